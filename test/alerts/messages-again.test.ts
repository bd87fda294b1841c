/** An event that the database stored without an answer is written again, and its messages are sent once. */
import t from 'tap';
import { createLog } from '../../lib/log.ts';
import { Messages } from '../../plugins/alerts/delivery/messages.ts';
import type { Target } from '../../plugins/alerts/delivery/target.ts';
import { EventLog } from '../../plugins/alerts/events/event-log.ts';
import type { Rule } from '../../plugins/alerts/rules/rule.ts';
import { ALERT_MIGRATIONS, ALERT_TABLES, DELIVERIES } from '../../plugins/alerts/tables.ts';
import { folder, until } from '../store/setup.ts';
import { standIn } from '../support/stand-in.ts';
import { unanswered } from '../support/unanswered.ts';

for (const stores of [true, false])
  t.test(`one that was ${stores ? '' : 'not '}stored the first time: each target has one message`, async (t) => {
    const { clock, open } = folder(t);
    const real = await (await open()).tables('alerts', ALERT_TABLES, ALERT_MIGRATIONS);
    const { tables, state } = unanswered(real);
    const messages = new Messages({
      clock,
      configs: { defaults: { timezone: 'UTC' } },
      shown: () => ({}),
      deliveries: { phonesOf: () => undefined },
      rules: { find: () => standIn<Rule>({ targets: ['1', '2'], severity: 'warning' }) },
      targets: {
        find: (id) => standIn<Target>({ id, enabled: true, resolved: true, quiet: undefined, zone: undefined }),
      },
      phones: { quietUntil: (_phone, _about, now) => now },
    });
    const ending = new AbortController();
    t.teardown(() => ending.abort(new Error('over')));
    const woken: number[] = [];
    const events = new EventLog({
      tables,
      clock,
      signal: ending.signal,
      log: createLog('silent'),
      tell: () => {},
      messages,
      deliveries: { wake: (targetIds) => void woken.push(...targetIds) },
    });
    await events.load();
    state.answers = false;
    state.stores = stores;
    const about = { ruleName: 'limit', severity: 'warning', kind: 'level', what: 'leq', limitValue: 75 } as const;
    const window = { windowFrom: 0, windowTo: 60_000, openedAt: 60_000, worst: 80, worstAt: 60_000 };
    events.begin({ ruleId: 1, unitId: 'roof', detail: '', ...about, ...window });
    for (let tries = 0; tries < 3; tries += 1) {
      await until(() => clock.pending > 0);
      await clock.advance(5_000);
    }
    t.strictSame(woken, []);
    state.answers = state.stores = true;
    await clock.advance(5_000);
    await until(() => woken.length > 0);
    t.strictSame(woken, [1, 2]);
    const sent = await real.read((rows) => rows.find(DELIVERIES, { order: { id: 'asc' } }));
    t.match(sent, [
      { id: 1, targetId: 1, type: 'opened' },
      { id: 2, targetId: 2, type: 'opened' },
    ]);
    t.equal(sent.length, 2);
  });
