/** A page that only listens has the same values as GET _status, after any beginning. Against the real gateway. */
import t, { type Test } from 'tap';
import type { LiveEvent, Unit, UnitEvent } from '../../client/index.ts';
import { heard } from '../../web/state/heard.ts';
import { openWorld, type Watched, type World } from '../support/world.ts';

/** These grow without an event, and a page counts them itself. Of failures only the first of a state is an event. */
const GROWING = [
  ...['age_s', 'levels_age_s', 'stale', 'levels_stale', 'levels_stale_after_s', 'last_seen'],
  ...['consecutive_failures', 'last_error'],
];

const without = (unit: Unit): object =>
  Object.fromEntries(Object.entries(unit).filter(([name]) => !GROWING.includes(name)));

/** As the page does it: the list of the last hello, and each event after it. */
function listened({ messages }: Watched): readonly object[] {
  const last = messages.findLastIndex(({ event }) => event === 'hello');
  const units = new Map(
    (messages[last] as Extract<LiveEvent, { event: 'hello' }>).data.map((unit) => [unit.unit_id, unit]),
  );
  for (const event of messages.slice(last + 1) as UnitEvent[]) {
    if (event.event === 'config') {
      if (event.data.unit) units.set(event.unit_id, event.data.unit as Unit);
      else units.delete(event.unit_id);
    }
    const before = units.get(event.unit_id);
    if (before) units.set(event.unit_id, heard(before, event));
  }
  return [...units.values()].map(without);
}

async function sameAsStatus(t: Test, world: World, clients: readonly Watched[], what: string): Promise<void> {
  const { data } = (await world.get('/_status')).body;
  await world.pass(200);
  for (const client of clients) t.same(listened(client), data.map(without), what);
}

t.test('a listener that begins at any moment of a busy minute has the values of GET _status', async (t) => {
  const world = await openWorld(t, { meters: 2 });
  const clients: Watched[] = [await world.watch('/_live')];
  const steps: readonly (() => Promise<unknown>)[] = [
    () => world.put('/sim-1/polling/config', { poll_enabled: true, poll_interval_seconds: 5 }),
    () => world.post('/sim-1/start'),
    () => world.get('/sim-2/live'),
    () => world.put('/sim-2/config', { name: 'Yard', tags: ['night'] }),
    () => world.put('/sim-2/frequency-weighting', { weighting: 'C' }),
    () => world.get('/sim-2/live'),
    () => world.post('/sim-1/stop'),
    () => world.put('/away/config', { host: '192.0.2.9', tcp_enabled: false }),
    () => world.get('/sim-1/live'),
    () => world.delete('/away/config'),
  ];
  for (const step of steps) {
    const asked = step();
    // A socket opens in the middle of what is asked.
    clients.push(await world.watch('/_live'));
    await world.passing(asked);
  }
  await world.put('/sim-1/polling/config', { poll_enabled: false });
  await world.pass(5_000);
  await sameAsStatus(t, world, clients, 'after readings, states and configs');
});

t.test('frozen levels, a meter that is away or exchanged, and a stream are events, too', async (t) => {
  const world = await openWorld(t, { meters: 2 });
  const clients = [await world.watch('/_live')];
  await world.post('/sim-1/start');
  await world.pass(10_000);
  const still = world.meter.faults.on('frozen');
  await world.get('/sim-1/live');
  await world.clock.advance(70_000);
  await world.get('/sim-1/live');
  await sameAsStatus(t, world, clients, 'frozen levels');
  t.match((await world.get('/_status?units=sim-1')).body.data, [{ frozen: true }]);
  world.meter.faults.off(still);

  const garbled = world.meter.faults.on('garbled');
  await world.get('/sim-1/live');
  await world.get('/sim-1/battery');
  await sameAsStatus(t, world, clients, 'levels that cannot be read');
  world.meter.faults.off(garbled);

  // Changed at the keys: the shown levels are still those of before.
  world.meter.set('Frequency Weighting (Main)', 'C');
  await world.get('/sim-1/frequency-weighting');
  await sameAsStatus(t, world, clients, 'another weighting');

  await world.put('/sim-1/config', { history: 'stream' });
  await world.pass(10_000);
  await world.put('/sim-1/config', { history: 'off' });
  await world.pass(15_000);
  await world.get('/sim-1/live');
  await sameAsStatus(t, world, clients, 'a stream that has ended');

  const away = world.meter.faults.on('no-reply');
  await world.get('/sim-1/live');
  await world.get('/sim-1/live');
  await sameAsStatus(t, world, clients, 'a meter that is away');
  world.meter.faults.off(away);
  await world.get('/sim-1/live');
  await sameAsStatus(t, world, clients, 'back again');
});
