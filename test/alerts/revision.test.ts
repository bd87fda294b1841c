/** Events are corrected when the levels of the card come. */
import t from 'tap';
import { createLog } from '../../lib/log.ts';
import { deliveryMigrations } from '../../plugins/alerts/delivery-tables.ts';
import { Revision } from '../../plugins/alerts/revision.ts';
import { EVENTS, type EventRow, migrations, RULES } from '../../plugins/alerts/tables.ts';
import { folder, until } from '../store/setup.ts';
import { PlainHistory } from '../support/plain-history.ts';

t.test('a gap that the card fills changes the value of an event, and both numbers are kept', async (t) => {
  const place = folder(t);
  const store = await place.open();
  const tables = await store.tables('alerts', [RULES, EVENTS], [...migrations, ...deliveryMigrations]);
  const { clock } = place;
  const from = Math.floor(clock.now() / 60_000) * 60;
  const history = new PlainHistory(() => clock.now());
  const row = (at: number, leq: number) => ({ at, steps: 10, leq, lmax: leq, lmin: leq, lpeak: leq, lp: [] });
  const weighting = { frequency: 'A', time: 'F' } as const;
  const seconds = (level: number, first: number, count: number) =>
    Array.from({ length: count }, (_, index) => row(from + first + index, level));
  history.append({ unitId: 'roof', source: 'stream', weighting, seconds: seconds(80, 0, 30) });
  const event: EventRow = {
    ...{ id: 1, ruleId: 1, unitId: 'roof', ruleName: 'limit', severity: 'warning', kind: 'level', what: 'leq' },
    ...{ limitValue: 75, windowFrom: from * 1_000, windowTo: (from + 60) * 1_000, openedAt: (from + 60) * 1_000 },
    ...{
      closedAt: (from + 60) * 1_000,
      worst: 80,
      worstAt: (from + 60) * 1_000,
      detail: '',
      ack: null,
      revised: null,
      escalatedAt: null,
    },
  };
  await tables.write((rows) => rows.put(EVENTS, [event]));
  const changed: EventRow[] = [];
  const events = { change: async (next: EventRow) => void changed.push(next) };
  const revision = new Revision({
    clock,
    history,
    tables,
    events,
    log: createLog('silent'),
    signal: new AbortController().signal,
  });
  const filled = [...seconds(80, 0, 30), ...seconds(90, 30, 30)];
  const batch = { unitId: 'roof', source: 'card', weighting, seconds: filled } as const;
  history.append(batch);
  revision.rows({ unitId: 'roof', data: batch });
  revision.rows({ unitId: 'roof', data: { ...batch, source: 'stream' } });
  await clock.advance(10_000);
  await until(() => changed.length > 0);
  t.match(changed, [{ id: 1, worst: 80, revised: { value: 87.4, was: 80 } }]);
  revision.close();
});
