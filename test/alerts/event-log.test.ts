/** Several changes of one event at one moment: no change is lost, and the first acknowledgement stays. */
import t, { type Test } from 'tap';
import type { Request, Route } from '../../lib/index.ts';
import { createLog } from '../../lib/log.ts';
import { EventLog } from '../../plugins/alerts/events/event-log.ts';
import { addOneEvent } from '../../plugins/alerts/events/one-event.ts';
import type { Alerts, AlertsHost } from '../../plugins/alerts/parts.ts';
import { ALERT_MIGRATIONS, ALERT_TABLES, EVENTS, type EventRow } from '../../plugins/alerts/tables.ts';
import { folder } from '../store/setup.ts';
import { standIn } from '../support/stand-in.ts';

/** One event of the unit `roof` that is open, and the route by which people acknowledge it. */
async function opened(t: Test) {
  const place = folder(t);
  const store = await place.open();
  const tables = await store.tables('alerts', ALERT_TABLES, ALERT_MIGRATIONS);
  const { clock } = place;
  const { signal } = new AbortController();
  const told: string[] = [];
  const events = new EventLog({
    tables,
    clock,
    signal,
    log: createLog('silent'),
    messages: { add: async () => [] },
    deliveries: { wake: () => {} },
    tell: ({ change }) => void told.push(change),
  });
  await events.load();
  const about = {
    ruleName: 'limit',
    severity: 'warning',
    kind: 'level',
    what: 'leq',
    limitValue: 75,
    detail: '',
  } as const;
  const window = { windowFrom: 0, windowTo: 60_000, openedAt: 60_000, worst: 80, worstAt: 60_000 };
  events.begin({ ruleId: 1, unitId: 'roof', ...about, ...window });
  await events.settled();

  const routes = new Map<string, Route>();
  const host = standIn<AlertsHost>({ clock, route: (route: Route) => void routes.set(route.path, route) });
  addOneEvent(standIn<Alerts>({ host, tables, events, shown: ({ ack }: EventRow) => ({ ack }) }));
  // biome-ignore lint/suspicious/noExplicitAny: an answer, as docs/api.md shows it
  const ack = async (by: string, units: readonly string[] | null = null): Promise<any> => {
    const request = standIn<Request>({
      params: { id: '1' },
      body: { note: by },
      identity: { name: by, units },
      caller: { signal },
    });
    return routes.get('/_alerts/events/{id}/ack')?.handle(request);
  };
  const kept = async () => (await tables.read((rows) => rows.find(EVENTS, {})))[0];
  return { events, told, ack, kept };
}

for (const isOpen of [true, false])
  t.test(
    `when two people acknowledge ${isOpen ? 'an open event' : 'an ended event'} at once, the first stays`,
    async (t) => {
      const { events, told, ack, kept } = await opened(t);
      if (!isOpen) events.end(1, 'roof', 70_000);
      await events.settled();
      const [first, second] = await Promise.all([ack('Anna'), ack('Bert')]);
      t.match(first, { message: 'The event is acknowledged.', data: { ack: { by: 'Anna' } } });
      t.match(second, { message: 'The event was acknowledged before, by Anna.', data: { ack: { by: 'Anna' } } });
      t.match(second.data.ack.later, [{ by: 'Bert', note: 'Bert' }], 'the note of the second is kept');
      t.match(await kept(), { ack: { by: 'Anna', note: 'Anna' } });
      t.equal(told.filter((change) => change === 'acknowledged').length, 2, 'its note is told, too');
      await ack('Bert');
      t.equal(told.filter((change) => change === 'acknowledged').length, 2, 'the same note again changes nothing');
    },
  );

for (const steps of [0, 1, 2, 3, 5, 8])
  t.test(`an event that ends ${steps} steps after it is acknowledged is over and acknowledged`, async (t) => {
    const { events, ack, kept } = await opened(t);
    const acknowledged = ack('Anna');
    for (let step = 0; step < steps; step += 1) await Promise.resolve();
    events.end(1, 'roof', 70_000);
    await acknowledged;
    await events.settled();
    t.match(await kept(), { closedAt: 70_000, ack: { by: 'Anna' } });
  });

t.test('a key without rights for the unit sees and changes no event', async (t) => {
  const { ack, kept, told } = await opened(t);
  await t.rejects(ack('Eve', ['yard']), { code: 'ALERT_NOT_FOUND' });
  t.match(await kept(), { ack: null });
  t.same(told, ['opened']);
});
