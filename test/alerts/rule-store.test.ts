/** Rules of older data folders keep their meaning. */
import t from 'tap';
import { RuleStore } from '../../plugins/alerts/stores.ts';
import { ALERT_MIGRATIONS, ALERT_TABLES, RULES } from '../../plugins/alerts/tables.ts';
import { folder } from '../store/setup.ts';

t.test('a rule of 0.2, which does not say whether events go on, has an event for each window', async (t) => {
  const { clock, open } = folder(t);
  const store = await open();
  const tables = await store.tables('alerts', ALERT_TABLES, ALERT_MIGRATIONS);
  const old = {
    ...({ name: 'Day', units: ['roof'], enabled: true, severity: 'warning', targets: [], kind: 'level' } as const),
    quantity: 'leq',
    window: '15m',
    align: 'clock',
    limit_db: 55,
    clear_db: 53,
    min_coverage: 0.5,
  };
  await tables.write((rows) => rows.put(RULES, [{ id: 1, body: old, createdAt: 0, changedAt: 0 }]));
  const rules = new RuleStore(tables, clock);
  await rules.load();
  t.match(rules.get('1'), { ...old, continue: false });
  await rules.change('1', { ...rules.get('1'), name: 'Evening' });
  t.match(rules.get('1'), { name: 'Evening', continue: false });
});
