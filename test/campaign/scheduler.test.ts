/** Schedules on a whole gateway: runs in time, after a downtime, and where somebody set the clock. */
import t from 'tap';
import { openWorld, type World } from '../support/world.ts';
import { ended, later } from './support/later.ts';

/** The five parts of a time that comes so many minutes from now. */
const inMinutes = (world: World, minutes: number): string => {
  const then = new Date(world.clock.now() + minutes * 60_000);
  return `${then.getUTCMinutes()} ${then.getUTCHours()} * * *`;
};
const schedule = async (world: World, unit = 'sim-1') => (await world.get(`/${unit}/schedule`)).body.data;
const jobs = async (world: World) =>
  (await world.get('/_jobs?limit=50')).body.data.map(
    ({ kind, unit_id }: Record<string, string>) => `${unit_id} ${kind}`,
  );

t.test('a schedule is followed in time, and made up for after a downtime', async (t) => {
  const world = await openWorld(t);
  t.match(await world.put('/_profiles/site', { settings: { store_mode: 'Auto', measurement_time: '24h' } }), {
    status: 201,
  });
  t.match(await schedule(world), { unit_id: 'sim-1', zone: String, entries: [], next: [], recent: [] });
  const entries = [
    { cron: inMinutes(world, 2), action: 'start_cycle', profile: 'site' },
    { cron: inMinutes(world, 5), action: 'stop_cycle' },
    { cron: inMinutes(world, 5), action: 'clock_sync' },
    { cron: inMinutes(world, 6), action: 'start_cycle' },
  ];
  const { status, body } = await world.put('/sim-1/schedule', { zone: 'UTC', entries });
  t.match({ status, body }, { status: 200, body: { message: 'The schedule of sim-1 is set.', data: { zone: 'UTC' } } });
  t.match(body.data.next, [
    { action: 'start_cycle', profile: 'site', at: /:00\.000Z$/, local: /:00\+00:00$/ },
    { action: 'stop_cycle' },
    { action: 'clock_sync' },
    { action: 'start_cycle', profile: null },
  ]);
  t.match(await world.put('/sim-1/schedule', body.data), { status: 200 }, 'the data of a GET may be sent back');
  t.match(await world.delete('/_profiles/site'), { status: 409, body: { code: 'PROFILE_IN_USE', detail: /sim-1/ } });

  await world.clock.advance(100_000);
  await later(world, 60_000);
  t.equal(world.meter.read('Measure'), 'Start', 'it measures by itself');
  t.match((await schedule(world)).recent, [
    { action: 'start_cycle', profile: 'site', outcome: 'started', job: String },
  ]);
  t.same(await jobs(world), ['sim-1 cycle-start']);

  await world.restart(6 * 60_000);
  await later(world, 10_000);
  const { recent } = await schedule(world);
  await ended(
    world,
    recent.find(({ outcome, action }: Record<string, string>) => outcome === 'made_up' && action === 'start_cycle')
      ?.job,
  );
  t.match(recent.map(({ action, outcome }: Record<string, string>) => `${action} ${outcome}`).sort(), [
    'clock_sync made_up',
    'start_cycle made_up',
    'start_cycle started',
    'stop_cycle made_up',
  ]);
  t.equal(world.meter.read('Measure'), 'Start', 'it measures again');
  t.equal(world.meter.read('Store Name'), '0002', 'under a new name');
  t.equal(world.meter.log.commands.filter((text) => text === 'Measure,Start').length, 2);

  await world.put('/sim-2/config', { host: '192.0.2.7', tcp_enabled: false });
  await world.put('/sim-2/schedule', { entries: [{ cron: inMinutes(world, 2), action: 'start_cycle' }] });
  await world.clock.advance(130_000);
  await later(world, 1_000);
  t.match((await schedule(world, 'sim-2')).recent, [
    { outcome: 'not_started', job: null, detail: /TCP is switched off/ },
  ]);
  await world.delete('/sim-2/config');
  t.match(await world.get('/sim-2/schedule'), { status: 404, body: { code: 'UNIT_NOT_FOUND' } });

  for (const [json, path] of [
    [{ entries: [{ cron: '0 6 * *', action: 'mirror' }] }, '/entries/0/cron'],
    [{ entries: [{ cron: '0 6 * * *', action: 'dance' }] }, '/entries/0/action'],
    [{ zone: 'Nowhere', entries: [] }, '/zone'],
    [{ entries: [{ cron: '0 6 * * *', action: 'apply_profile' }] }, '/entries/0/profile'],
    [{}, '/entries'],
  ] as const)
    t.match(await world.put('/sim-1/schedule', json), { status: 422, body: { errors: [{ path }] } }, path);
  t.match(await world.put('/sim-1/schedule', { entries: [] }), { status: 200, body: { message: /no schedule now/ } });
  t.match(await world.delete('/_profiles/site'), { status: 200 });
});

t.test('an entry says what the card keeps, whatever store mode the meter has', async (t) => {
  const world = await openWorld(t);
  await world.put('/sim-1/settings/store_mode', { value: 'Manual' });
  const entries = [{ cron: inMinutes(world, 2), action: 'start_cycle', store: 'auto' }];
  const { body } = await world.put('/sim-1/schedule', { zone: 'UTC', entries });
  t.match(body.data, { entries: [{ profile: null, store: 'auto' }], next: [{ store: 'auto' }] });
  t.match(await world.put('/sim-1/schedule', body.data), { status: 200 }, 'the data of a GET may be sent back');
  await world.clock.advance(100_000);
  await later(world, 60_000);
  const { recent } = await schedule(world);
  const job = await ended(world, recent[0]?.job);
  t.match(job, { state: 'done', result: { store_mode: 'Auto', store_name: '0001' } });
  t.equal(world.meter.read('Store Mode'), 'Auto');

  for (const [entry, path] of [
    [{ cron: '0 6 * * *', action: 'mirror', store: 'auto' }, '/entries/0/store'],
    [{ cron: '0 6 * * *', action: 'start_cycle', store: 'all' }, '/entries/0/store'],
  ] as const)
    t.match(await world.put('/sim-1/schedule', { entries: [entry] }), { status: 422, body: { errors: [{ path }] } });
});
