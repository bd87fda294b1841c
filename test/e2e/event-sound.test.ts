/** The sound of an alert event: kept when the event is over, also after a restart, and as CSV. */
import t from 'tap';
import { openWorld, type World } from '../support/world.ts';

const RULE = {
  name: '=Limit',
  units: ['sim-1'],
  kind: 'level',
  quantity: 'leq',
  window: '1m',
  limit_db: 70,
  continue: false,
};
const eventsOf = async (world: World) => (await world.get('/_alerts/events')).body.data;

t.test('an event keeps its exposure, its loudest second and its duration', async (t) => {
  const world = await openWorld(t);
  world.meter.instrument.play({ steadyDb: 50 });
  await world.put('/sim-1/config', { history: 'stream', timezone: 'UTC' });
  await world.post('/_alerts/rules', RULE);
  const live = await world.watch('/_live?events=alert');
  const told = (change: string) => live.messages.some(({ event, data }) => event === 'alert' && data.change === change);
  await world.pass(60_000 - (world.clock.now() % 60_000) + 5_000);
  world.meter.instrument.play({ steadyDb: 90 });
  await world.until('an event', () => told('opened'));
  t.match(await eventsOf(world), [{ duration_s: null, lae: null, measured_s: null, loudest: null }], 'it is open');
  await world.pass(10_000);
  world.meter.instrument.play({ steadyDb: 50 });
  await world.until('its end', () => told('measured'));
  const [event] = await eventsOf(world);
  t.equal(event.duration_s, 60, 'the minute');
  t.equal(event.duration_s, (Date.parse(event.closed_at) - Date.parse(event.window_from)) / 1_000);
  t.ok(event.measured_s > 50 && event.measured_s <= 60, `${event.measured_s}`);

  // The same from the rows of the history.
  const span = `from=${event.window_from}&to=${event.closed_at}`;
  const { rows, columns } = (await world.get(`/sim-1/history?${span}&step=1s`)).body.data;
  const [leq, lmax, start] = ['leq', 'lmax', 'start'].map((name) => columns.indexOf(name));
  const known = rows.filter((row: number[]) => row[leq ?? 0] !== null);
  const energy = known.reduce((sum: number, row: number[]) => sum + 10 ** ((row[leq ?? 0] ?? 0) / 10), 0);
  t.ok(Math.abs(event.lae - 10 * Math.log10(energy)) < 0.05, `${event.lae} ${10 * Math.log10(energy)}`);
  const highest = Math.max(...known.map((row: number[]) => row[lmax ?? 0]));
  t.ok(Math.abs(event.loudest.level - highest) < 0.06, `${event.loudest.level} ${highest}`);
  const second = known.find(
    (row: (number | string)[]) => Date.parse(String(row[start ?? 0])) === Date.parse(event.loudest.at),
  );
  t.ok(second && Math.abs(second[lmax ?? 0] - highest) < 0.06, 'in that second');

  await world.restart(1_000);
  t.strictSame((await eventsOf(world))[0], event, 'it is kept');

  const csv = await world.get('/_alerts/events?format=csv');
  t.match(csv.headers.get('content-type'), /^text\/csv/);
  const [head = '', line = '', ...others] = String(csv.body).split('\r\n');
  t.strictSame(others, ['']);
  const cells = Object.fromEntries(head.split(',').map((name, at) => [name, line.split(',')[at]]));
  t.match(cells, {
    id: '1',
    unit_id: 'sim-1',
    rule_name: "'=Limit",
    duration_s: '60',
    lae: String(event.lae),
    loudest: String(event.loudest.level),
    loudest_at: event.loudest.at,
  });
  t.match(String((await world.get('/_alerts/events?format=csv-de&open=true')).body), /^\ufeffid;unit_id;.*\r\n$/);
});

t.test(
  'an event that is taken over has its exposure from the levels that are there, however long ago it was',
  async (t) => {
    const world = await openWorld(t);
    const end = Math.floor(world.clock.now() / 60_000) * 60_000 - 7 * 86_400_000;
    const at = (minute: number) => new Date(end - minute * 60_000).toISOString();
    await world.bring([`${at(2)},60,70,80.5`, `${at(1)},60,70,75`]);
    const event = { unit_id: 'sim-1', rule_name: 'Old', kind: 'level', what: 'leq', limit: 50, worst: 70 };
    const events = [{ ...event, opened_at: at(2), closed_at: at(0) }];
    const live = await world.watch('/_live?events=alert');
    await world.post('/_alerts/events/import', { events });
    await world.until('its exposure', () =>
      live.messages.some(({ event, data }) => event === 'alert' && data.change === 'measured'),
    );
    const [found] = await eventsOf(world);
    // 120 s of 70 dB: 70 + 10 lg 120.
    t.match(found, { lae: 90.79, measured_s: 120, duration_s: 120, loudest: { level: 80.5 } });
    t.match((await world.post('/_alerts/events/import', { events })).body, { taken: 0, present: 1 });
  },
);

t.test('an event without levels has no exposure', async (t) => {
  const world = await openWorld(t);
  const event = { unit_id: 'sim-1', rule_name: 'Old', kind: 'level', what: 'leq', limit: 50, worst: 60 };
  const [opened_at, closed_at] = [60_000, 30_000].map((ago) => new Date(world.clock.now() - ago).toISOString());
  await world.post('/_alerts/events/import', { events: [{ ...event, opened_at, closed_at }] });
  await world.restart(1_000);
  t.match(await eventsOf(world), [{ duration_s: 30, lae: null, measured_s: null, loudest: null }]);
});
