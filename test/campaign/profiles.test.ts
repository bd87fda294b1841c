/** Profiles: sets of settings that are brought to meters and compared with them. */
import t from 'tap';
import { openWorld, type World } from '../support/world.ts';
import { ended, later } from './support/later.ts';

const SETTINGS = { store_mode: 'Auto', frequency_weighting: 'C', measurement_time: '00:05:00', lp_interval: '1s' };

const RULE = { name: 'Keys', kind: 'device', condition: 'settings_changed', for: '30s' };

const sets = (world: World) => world.meter.log.commands.filter((text) => /,/.test(text));

t.test('a profile is kept, applied to meters in one job each, and later differences are listed', async (t) => {
  const world = await openWorld(t, { meters: 2 });
  const created = await world.put('/_profiles/night', { description: 'Nights', settings: SETTINGS });
  t.match(created, {
    status: 201,
    body: { data: { name: 'night', settings: { ...SETTINGS, measurement_time: '5m' } } },
  });
  t.match(created.headers.get('location'), /\/_profiles\/night$/);
  t.match(await world.put('/_profiles/night', { settings: SETTINGS }), { status: 200, body: { message: /changed/ } });
  t.match((await world.get('/_profiles')).body, { data: [{ name: 'night', units: [] }], next: null });

  world.meter.log.clear();
  const { status, body, headers } = await world.post('/_profiles/night/apply', {
    units: ['sim-1', 'sim-2', 'nowhere'],
  });
  t.match(
    { status, body },
    {
      status: 202,
      body: { jobs: [{ unit_id: 'sim-1' }, { unit_id: 'sim-2' }], not_started: [{ code: 'UNIT_NOT_FOUND' }] },
    },
  );
  t.match(headers.get('location'), /_jobs\?kind=apply-profile$/);
  const [first, second] = body.jobs;
  t.match(await ended(world, first.job), {
    state: 'done',
    result: { profile: 'night', changed: [{ setting: 'store_mode', before: 'Manual', after: 'Auto' }, {}, {}, {}] },
  });
  t.match(await ended(world, second.job), { state: 'done' });
  t.equal(world.meter.read('Frequency Weighting (Main)'), 'C');
  t.equal(world.meter.read('Measurement Time Preset Auto'), '5m', 'the store mode is set before its time');
  t.match((await world.get('/_profiles/night/drift')).body.data, [
    { unit_id: 'sim-1', state: 'same', differences: [], not_read: [], read_at: String },
    { unit_id: 'sim-2', state: 'same' },
  ]);

  world.meter.log.clear();
  const again = await world.post('/_profiles/night/apply', { units: ['sim-1'] });
  t.match(await ended(world, again.body.jobs[0].job), { state: 'done', result: { changed: [] } });
  t.same(sets(world), [], 'what is right already is not set again');

  world.meter.set('Lp Store Interval', '100ms');
  t.match((await world.get('/_profiles/night/drift')).body.data[0], { state: 'same' }, 'nobody has read it yet');
  await world.get('/sim-1/lp-interval');
  t.match((await world.get('/_profiles/night/drift')).body.data, [
    { unit_id: 'sim-1', state: 'differs', differences: [{ setting: 'lp_interval', wanted: '1s', found: '100ms' }] },
    { unit_id: 'sim-2', state: 'same' },
  ]);

  world.meters[1]?.set('Frequency Weighting (Main)', 'Z');
  await world.clock.advance(86_400_000 - 60_000);
  await later(world, 120_000);
  t.match(
    (await world.get('/_profiles/night/drift')).body.data,
    [
      { state: 'differs' },
      {
        unit_id: 'sim-2',
        state: 'differs',
        differences: [{ setting: 'frequency_weighting', wanted: 'C', found: 'Z' }],
      },
    ],
    'once a day they are read',
  );

  await world.restart(1_000);
  t.match(
    (await world.get('/_profiles/night/drift')).body.data,
    [{ state: 'differs' }, { state: 'differs' }],
    'and kept',
  );

  await world.post('/sim-1/start');
  const measuring = await world.post('/_profiles/night/apply', { units: ['sim-1'] });
  t.match(await ended(world, measuring.body.jobs[0].job), {
    state: 'failed',
    error: { code: 'DEVICE_WRONG_STATE', detail: /lp_interval could not be set to 1s\. .* stop it first\.$/ },
  });
  t.match(await world.delete('/_profiles/night'), { status: 200 });
  t.match(await world.get('/_profiles/night/drift'), { status: 404, body: { code: 'PROFILE_NOT_FOUND' } });
  t.same(world.meter.log.spacingViolations(), []);
});

t.test('a wrong value of a profile is 422 with the place', async (t) => {
  const world = await openWorld(t, { meters: 0 });
  for (const [settings, path] of [
    [{}, '/settings'],
    [{ lp_interval: '2s' }, '/settings/lp_interval'],
    [{ measurement_time: '0s' }, '/settings/measurement_time'],
    [{ measurement_time: '1001h' }, '/settings/measurement_time'],
    [{ leq_interval: '5x' }, '/settings/leq_interval'],
    [{ frequency_weighting: 'A,C' }, '/settings/frequency_weighting'],
    [{ clock: '2026/11/21 06:00:00' }, '/settings/clock'],
  ] as const) {
    const { status, body } = await world.put('/_profiles/x', { settings });
    t.match({ status, body }, { status: 422, body: { code: 'INVALID', errors: [{ path }] } }, JSON.stringify(settings));
  }
  t.match(await world.put('/_profiles/..%2Fx', { settings: SETTINGS }), { status: 422 });
  t.match(await world.post('/_profiles/none/apply', { units: ['roof'] }), {
    status: 404,
    body: { code: 'PROFILE_NOT_FOUND' },
  });
  await world.put('/_profiles/x', { settings: SETTINGS });
  for (const units of [[], ['roof', 'roof'], ['a b'], 'roof'])
    t.match(await world.post('/_profiles/x/apply', { units }), { status: 422 }, JSON.stringify(units));
  t.match(await world.post('/_profiles/x/apply', { units: ['roof'] }), {
    status: 404,
    body: { code: 'UNIT_NOT_FOUND' },
  });
});

t.test('a rule tells that a setting of a meter is not as its profile has it, until it is', async (t) => {
  const world = await openWorld(t);
  await world.post('/_alerts/rules', { ...RULE, units: ['sim-1'] });
  await world.put('/_profiles/night', { settings: SETTINGS });
  const bring = async () => {
    const { body } = await world.post('/_profiles/night/apply', { units: ['sim-1'] });
    t.match(await ended(world, body.jobs[0].job), { state: 'done' });
  };
  const events = async () => (await world.get('/_alerts/events')).body.data;
  await bring();
  await later(world, 120_000);
  t.same(await events(), [], 'all is as the profile has it');
  world.meter.set('Lp Store Interval', '100ms');
  await world.get('/sim-1/lp-interval');
  await later(world, 120_000);
  const [event, ...more] = await events();
  t.same(more, []);
  t.match(event, { detail: /profile night: lp_interval is 100ms, not 1s/, closed_at: null });
  await world.restart(1_000);
  await later(world, 60_000);
  t.match(await events(), [{ id: event.id, closed_at: null }], 'a restart keeps it one event');
  await bring();
  await later(world, 60_000);
  t.match(await events(), [{ id: event.id, closed_at: String }]);
  world.meter.set('Lp Store Interval', '100ms');
  await world.get('/sim-1/lp-interval');
  await later(world, 120_000);
  await world.delete('/_profiles/night');
  await later(world, 60_000);
  t.match(await events(), [{ closed_at: String }, { closed_at: String }], 'without a profile nothing differs');
});

t.test('a rule on settings says where it has no profile to compare with, until there is one', async (t) => {
  const world = await openWorld(t, { meters: 2 });
  const lacking = (unit: string) => ({ unit_id: unit, recordable: false, message: /has no profile/ });
  const rule = async () => (await world.get('/_alerts/rules/1')).body.data;
  await later(world, 10_000);
  await world.put('/_profiles/night', { settings: SETTINGS });
  const apply = async (unit: string) => {
    const { body } = await world.post('/_profiles/night/apply', { units: [unit] });
    t.match(await ended(world, body.jobs[0].job), { state: 'done' });
  };
  await apply('sim-2');
  const checked = await world.post('/_alerts/rules/check', { rule: { ...RULE, units: ['sim-1', 'sim-2'] } });
  t.match(checked.body.data.warnings, [lacking('sim-1')], 'while it is written');
  const made = await world.post('/_alerts/rules', { ...RULE, units: ['sim-1', 'sim-2'] });
  t.match(made.body.data, { state: 'no_data', warnings: [lacking('sim-1')] }, 'when it is made');
  t.equal(made.body.data.warnings.length, 1);
  t.match((await world.get('/_alerts/rules')).body.data, [{ state: 'no_data', warnings: [lacking('sim-1')] }]);
  await apply('sim-1');
  t.match(await rule(), { state: 'watched', warnings: [] }, 'as soon as it has one');
  await world.restart(1_000);
  t.match(
    await rule(),
    { state: 'no_data', warnings: [{ message: /not known yet/ }, {}] },
    'a start knows nothing at first',
  );
  await later(world, 10_000);
  t.match(await rule(), { state: 'watched', warnings: [] });
  await world.delete('/_profiles/night');
  t.match(await rule(), { state: 'no_data', warnings: [lacking('sim-1'), lacking('sim-2')] }, 'and when it is gone');
  await world.put('/_alerts/rules/1', { ...RULE, units: ['sim-1'], enabled: false });
  t.match(await rule(), { state: 'off', warnings: [] });
});
