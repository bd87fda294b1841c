/** A silent station: its answer, /health and a rule report it, and never too early. */
import t from 'tap';
import { openWorld, type World } from '../support/world.ts';

const SECOND_MS = 1_000;
const RULE = { name: 'Weather', kind: 'device', units: ['sim-1'], condition: 'station_silent', for: '1s' };

const send = async (world: World, more: object = {}, id = 'mast') => {
  const raw = JSON.stringify({ time: new Date(world.clock.now()).toISOString(), wind_speed: 3, ...more });
  const headers = { 'Content-Type': 'application/x-ndjson' };
  const { status, body } = await world.asked('POST', `/_stations/${id}/observations`, { raw, headers });
  if (status !== 200) throw new Error(JSON.stringify(body));
};
const silentOf = async (world: World, id = 'mast') => (await world.asked('GET', `/_stations/${id}`)).body.data.silent;
const eventsOf = async (world: World) =>
  (await world.asked('GET', '/_alerts/events')).body.data.map(
    ({ what, closed_at }: { what: string; closed_at: string | null }) => [what, closed_at === null ? 'open' : 'closed'],
  );
const problemsOf = async (world: World) => {
  const health = await fetch(new URL('/health', world.base));
  const { problems = [] } = (await health.json()) as { problems?: { part: string; detail: string }[] };
  return problems.map((one) => JSON.stringify(one)).filter((text) => text.includes('tations'));
};

t.test('a station is silent when it has sent nothing for longer than three times its usual', async (t) => {
  const world = await openWorld(t);
  await world.put('/_stations/mast', { units: ['sim-1'], interval_s: 60 });
  await world.post('/_alerts/rules', RULE);
  await world.pass(12 * SECOND_MS);
  t.equal(await silentOf(world), null, 'a new station has time for its first observation');
  await send(world);
  t.match((await world.asked('GET', '/_stations/mast')).body.data, {
    silent: false,
    silent_after_s: null,
    silent_limit_s: 180,
  });
  const { last_at } = (await world.asked('GET', '/_stations/mast')).body.data;
  await world.pass(Date.parse(last_at) + 180 * SECOND_MS - world.clock.now());
  t.strictSame(
    [await silentOf(world), await eventsOf(world), await problemsOf(world)],
    [false, [], []],
    'exactly the limit is not longer',
  );

  await world.pass(60 * SECOND_MS);
  t.equal(await silentOf(world), true);
  t.strictSame(await eventsOf(world), [['station_silent', 'open']]);
  const [event] = (await world.asked('GET', '/_alerts/events')).body.data;
  t.equal(event.detail, `Nothing is known of the weather from these stations: mast (last at ${last_at}).`);
  t.match(await problemsOf(world), [/Stations that have sent nothing for too long: mast\./]);

  await send(world);
  await world.pass(12 * SECOND_MS);
  t.equal(await silentOf(world), false);
  t.strictSame(await eventsOf(world), [['station_silent', 'closed']]);
  t.strictSame(await problemsOf(world), []);
});

t.test(
  'the usual interval is what the station itself says, the distance of its observations, or set by a person',
  async (t) => {
    const world = await openWorld(t);
    const limit = async () => (await world.asked('GET', '/_stations/mast')).body.data.silent_limit_s;
    await world.put('/_stations/mast', { interval_s: 60 });
    t.equal(await limit(), 180);
    await send(world, { duration_s: 3_600 });
    t.equal(await limit(), 3 * 3_600, 'a station that sends hours is not silent after minutes');
    await world.put('/_stations/mast', { silent_after_s: 90_000 });
    t.equal(await limit(), 90_000);
    t.equal((await world.put('/_stations/mast', { interval_s: 120 })).body.data.silent_after_s, 90_000, 'it stays');
    t.equal((await world.put('/_stations/mast', { silent_after_s: null })).body.data.silent_limit_s, 3 * 3_600);
    for (const wrong of [0, 59, 1.5, '5m', 31 * 86_400 + 1])
      t.match(await world.put('/_stations/mast', { silent_after_s: wrong }), {
        status: 422,
        body: { errors: [{ path: '/silent_after_s' }] },
      });
  },
);

t.test('a station that never sent anything is silent, too; a removed station is not', async (t) => {
  const world = await openWorld(t, { meters: 2 });
  const made = await world.post('/_alerts/rules', { ...RULE, units: ['sim-1', 'sim-2'] });
  t.equal(made.status, 201);
  await world.put('/_stations/mast', { units: ['sim-1'], silent_after_s: 60 });
  await world.pass(100 * SECOND_MS);
  t.equal(await silentOf(world), true);
  const { data: open } = (await world.asked('GET', '/_alerts/events')).body;
  t.match(open, [{ unit_id: 'sim-1', detail: /: mast \(never\)\.$/ }]);
  t.equal(open.length, 1, 'nothing at the other unit');
  const [rule] = (await world.asked('GET', '/_alerts/rules')).body.data;
  t.match(rule.warnings, [{ unit_id: 'sim-2', message: /No station observes for sim-2/ }]);
  await world.delete('/_stations/mast');
  await world.pass(12 * SECOND_MS);
  t.strictSame(await eventsOf(world), [['station_silent', 'closed']]);
  t.strictSame(await problemsOf(world), []);
});

t.test(
  'while the gateway was off nobody could send: right after the start no silence is reported, and an event goes on',
  async (t) => {
    const world = await openWorld(t);
    await world.put('/_stations/mast', { silent_after_s: 60 });
    await world.put('/_stations/well', { silent_after_s: 80 });
    await world.post('/_alerts/rules', RULE);
    await send(world, {}, 'mast');
    await send(world, {}, 'well');
    await world.pass(100 * SECOND_MS);
    t.strictSame(await eventsOf(world), [['station_silent', 'open']]);
    await world.restart(120 * SECOND_MS);
    await world.pass(50 * SECOND_MS);
    t.equal(await silentOf(world), null);
    t.equal(await silentOf(world, 'well'), null);
    t.strictSame([await eventsOf(world), await problemsOf(world)], [[['station_silent', 'open']], []]);
    await world.pass(90 * SECOND_MS);
    t.equal(await silentOf(world), true);
    t.strictSame(await eventsOf(world), [['station_silent', 'open']], 'the same event');
    await send(world, {}, 'mast');
    await send(world, {}, 'well');
    await world.pass(12 * SECOND_MS);
    t.strictSame(await eventsOf(world), [['station_silent', 'closed']]);
  },
);
