/**
 * A process that opens and ends events and delivers them until it is killed: `alerts-writer.ts FOLDER`; with `drain` it ends what is open,
 * delivers what waits, and exits. Each line on standard output is JSON: an event as it was published, or a message as it was sent.
 */
import { systemClock } from '../../lib/clock.ts';
import { createLog } from '../../lib/log.ts';
import { openStore } from '../../lib/store/index.ts';
import { DeliveryQueue } from '../../plugins/alerts/delivery/deliveries.ts';
import { Messages } from '../../plugins/alerts/delivery/messages.ts';
import type { Target } from '../../plugins/alerts/delivery/target.ts';
import { EventLog } from '../../plugins/alerts/events/event-log.ts';
import type { Rule } from '../../plugins/alerts/rules/rule.ts';
import { ALERT_MIGRATIONS, ALERT_TABLES, DELIVERIES } from '../../plugins/alerts/tables.ts';
import { standIn } from './stand-in.ts';

const UNITS = 5;
const [folder = '', mode = ''] = process.argv.slice(2);
const clock = systemClock;
const log = createLog('error');
const own = { dataDir: `${folder}/data`, keyFile: `${folder}/key`, timezone: () => 'UTC' };
const store = await openStore({ ...own, clock, log });
const tables = await store.tables('alerts', ALERT_TABLES, ALERT_MIGRATIONS);
const say = (words: object) => process.stdout.write(`${JSON.stringify(words)}\n`);
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const end = new AbortController();
const { signal } = end;

const target = (id: string) =>
  standIn<Target>({ id, enabled: true, resolved: true, quiet: undefined, zone: undefined });
const rule = standIn<Rule>({ targets: ['1', '2'], severity: 'warning' });
const messages = new Messages({
  clock,
  rules: { find: () => rule },
  targets: { find: target },
  configs: { defaults: { timezone: 'UTC' } },
  shown: () => ({}),
  deliveries: { phonesOf: () => undefined },
  phones: { quietUntil: (_phone, _about, now) => now },
});
await messages.load(tables);
const queues = [1, 2].map(
  (targetId) =>
    new DeliveryQueue({
      tables,
      clock,
      log,
      signal,
      own: { targetId, phone: null },
      most: 1,
      gatherMs: 0,
      async send([message]) {
        if (message) say({ sent: message.id, target: targetId, event: message.eventId, type: message.type });
        await pause(Math.random() * 4);
        return { ok: true, outcome: 'fine' };
      },
    }),
);
const events = new EventLog({
  tables,
  clock,
  log,
  signal,
  messages,
  tell: ({ change, event }) => say({ told: change, event: event.id }),
  deliveries: {
    wake() {
      for (const queue of queues) queue.wake();
    },
  },
});
await events.load();
say({ ready: true, open: events.open.map(({ id }) => id) });

async function change(unitId: string): Promise<void> {
  const now = clock.now();
  if (events.openOf(1, unitId)) events.end(1, unitId, now);
  else if (mode !== 'drain') {
    // As a watch does after a restart: the window of the last event is not reported again.
    const windowFrom = events.lastWindowOf(1, unitId) ?? 0;
    const window = { windowFrom, windowTo: windowFrom + 60_000, openedAt: now, worst: 80, worstAt: now };
    const what = {
      ruleName: 'limit',
      severity: 'warning',
      kind: 'level',
      what: 'leq',
      limitValue: 75,
      detail: '',
    } as const;
    events.begin({ ruleId: 1, unitId, ...what, ...window });
    events.worse(1, unitId, { value: 81, at: now });
  }
}

const waiting = () => tables.read((rows) => rows.count(DELIVERIES, { state: 'waiting' }));
for (;;) {
  for (let unit = 0; unit < UNITS; unit++) await change(`unit-${unit}`);
  if (Math.random() < 0.5) await events.settled();
  else await pause(Math.random() * 5);
  if (mode === 'drain' && events.open.length === 0 && (await waiting()) === 0) break;
}
await events.settled();
end.abort(new Error('done'));
await store.close();
say({ drained: true });
