/** Cycles: a measurement from start to files, with nobody there, on a whole gateway. */
import t, { type Test } from 'tap';
import { openWorld, type World } from '../support/world.ts';
import { ended, later } from './support/later.ts';

async function campaignWorld(t: Test, quirks = {}, settings = {}): Promise<World> {
  const world = await openWorld(t, { quirks, settings: { plugin_settings: { campaign: settings } } });
  await world.put('/sim-1/config', { mirror: { parse: false } });
  world.meter.set('Store Mode', 'Auto');
  world.meter.set('Measurement Time Preset Auto', '24h');
  return world;
}

const run = async (world: World, what: 'start' | 'stop', body?: object) =>
  ended(world, (await world.post(`/sim-1/cycle/${what}`, body)).body.job);
const starts = (world: World) => world.meter.log.commands.filter((text) => text === 'Measure,Start').length;

t.test('start to files: sleep off, clock, profile, a free name, and all files here when it ends', async (t) => {
  const world = await campaignWorld(t, { clock_offset_s: 90, ftp_start_delay_ms: 8_000 });
  world.meter.set('Sleep Mode', 'On');
  world.meter.set('FTP', 'Off');
  await world.put('/_profiles/site', { settings: { frequency_weighting: 'C', leq_interval: '1m' } });
  const { status, body, headers } = await world.post('/sim-1/cycle/start', { profile: 'site' });
  t.match({ status, body }, { status: 202, body: { message: String, job: String } });
  t.match(headers.get('location'), new RegExp(`_jobs/${body.job}$`));
  const again = (await world.post('/sim-1/cycle/start', { profile: 'site' })).body;
  t.match(again, { job: body.job, message: /runs already/ }, 'asked for the same again it is the same job');
  await world.put('/_profiles/night', { settings: { frequency_weighting: 'A' } });
  for (const other of [undefined, {}, { profile: 'night' }])
    t.match(await world.post('/sim-1/cycle/start', other), {
      status: 409,
      body: { code: 'JOB_RUNNING', detail: new RegExp(`the profile site \\(job ${body.job}\\)`) },
    });
  const started = await ended(world, body.job);
  t.match(started, {
    kind: 'cycle-start',
    state: 'done',
    message: 'The meter measures and stores under 0001.',
    progress: { done: 7, total: 7, unit: 'steps' },
    result: { store_name: '0001', store_mode: 'Auto', profile: 'site', is_over: false, started_at: /Z$/ },
  });
  t.same(
    started.result.steps.map(({ name }: { name: string }) => name),
    ['ready', 'sleep_off', 'clock', 'profile', 'store_name', 'start', 'seen'],
  );
  t.ok(Math.abs(started.result.clock_before_s - 90) < 1.5);
  t.equal(world.meter.read('Measure'), 'Start');
  t.equal(world.meter.read('Sleep Mode'), 'Off');
  t.equal(world.meter.read('Frequency Weighting (Main)'), 'C');

  t.match(await run(world, 'start'), {
    state: 'failed',
    error: { code: 'DEVICE_WRONG_STATE', detail: /measures already.*No measurement was started\.$/ },
  });
  await later(world, 5_000);
  const stopped = await run(world, 'stop');
  t.match(stopped, {
    kind: 'cycle-stop',
    state: 'done',
    result: { folder: '/NL-43/Auto_0001', verified: true, files: Number, bytes: Number },
  });
  t.ok(stopped.result.files > 0);
  const note = (name: string) => stopped.result.steps.find((step: { name: string }) => step.name === name).note;
  t.equal(note('ftp_on'), 'FTP was off.', 'also when the server took a second try to come up');
  t.equal(world.meter.read('Measure'), 'Stop');
  t.equal(world.meter.read('FTP'), 'Off', 'as before');
  const { data } = (await world.get('/sim-1/files')).body;
  t.ok(data.length >= stopped.result.files);
  t.ok(data.every(({ state, sha256 }: { state: string; sha256: string }) => state === 'complete' && sha256 !== null));

  t.match(await run(world, 'start'), { state: 'done', result: { store_name: '0002' } }, 'never the same name');
  t.equal(starts(world), 2);
  t.same(world.meter.log.spacingViolations(), []);
});

t.test(
  'the start says what the card will store; the answer of a stop does not name files that were not stored',
  async (t) => {
    const world = await campaignWorld(t);
    t.match(await world.post('/sim-1/cycle/start', { store: 'all' }), { status: 422 });
    const none = await run(world, 'start', { store: 'nothing' });
    t.match(none, { state: 'done', message: 'The meter measures and stores nothing by itself.' });
    t.equal(world.meter.read('Store Mode'), 'Manual');
    const { body } = await world.post('/sim-1/cycle/stop');
    t.notMatch(body.message, /fetched/, 'it is not done with the click');
    t.match(await ended(world, body.job), {
      state: 'done',
      message: 'The meter is stopped. Nothing was stored on its card, so there are no files.',
      result: { folder: null, files: null, verified: false },
    });
    const auto = await run(world, 'start', { store: 'auto' });
    t.match(auto, { state: 'done', result: { store_mode: 'Auto', store_name: '0001' } });
    t.match(auto.result.steps[3], { note: 'Set by the request: store_mode Auto.' });
    await later(world, 5_000);
    t.match(await run(world, 'stop'), { state: 'done', message: /^The meter is stopped; [1-9][0-9]* files of/ });
  },
);

t.test('a cancelled start says what it leaves; a meter that is away is tried again', async (t) => {
  const world = await campaignWorld(t);
  world.meter.faults.on('wedge', {});
  const { job } = (await world.post('/sim-1/cycle/start')).body;
  await later(world, 20_000);
  t.match((await world.get(`/_jobs/${job}`)).body.data, { state: 'running', message: /It is tried again until/ });
  await world.delete(`/_jobs/${job}`);
  t.match(await ended(world, job), {
    state: 'cancelled',
    message: /^The job was cancelled\. It ended in step 1 of 7 .*No measurement was started\.$/,
  });
  await world.meter.powerCycle(0);
  world.meter.faults.off('wedge');
  const second = (await world.post('/sim-1/cycle/start')).body.job;
  await later(world, 5_000);
  await world.restart(1_000);
  t.match(await ended(world, second), { state: 'done', result: { store_name: '0001' } }, 'goes on after a restart');
  t.equal(starts(world), 1);
});

t.test('without FTP in the config the stop stops, and says that the files stay on the card', async (t) => {
  const world = await campaignWorld(t);
  await world.put('/sim-1/config', { ftp_enabled: false });
  await run(world, 'start');
  const { state, result } = await run(world, 'stop');
  t.match({ state, result }, { state: 'done', result: { folder: null, verified: false } });
  t.match(result.steps[3], { name: 'fetch', note: /stay on the card/ });
  t.match(await world.post('/sim-1/cycle/start', { profile: 'none' }), {
    status: 422,
    body: { errors: [{ path: '/profile' }] },
  });
});

t.test(
  'a start that waits for slow files goes first; the mirror brings them beside it, and FTP is as before',
  async (t) => {
    const world = await campaignWorld(t, { link_ms: [1_000, 1_000] }, { start_waits_minutes: 0 });
    world.meter.set('FTP', 'Off');
    await run(world, 'start');
    const stop = (await world.post('/sim-1/cycle/stop')).body.job;
    const next = (await world.post('/sim-1/cycle/start')).body.job;
    const stopped = await ended(world, stop);
    t.match(stopped, { state: 'done', message: /the mirror \(job \d+\) fetches \/NL-43\/Auto_0001\.$/ });
    t.match(await ended(world, next), { state: 'done', result: { store_name: '0002' } });
    t.match(await ended(world, stopped.result.mirror_job), { state: 'done' });
    t.equal(world.meter.read('FTP'), 'Off');
    const { data } = (await world.get('/sim-1/files')).body;
    const own = data.filter(({ path }: { path: string }) => path.startsWith('/NL-43/Auto_0001/'));
    t.ok(own.length > 0 && own.every(({ state }: { state: string }) => state === 'complete'));
  },
);

t.test('a setting that is changed between profile and start is set again before the start', async (t) => {
  const world = await campaignWorld(t);
  await world.put('/_profiles/site', { settings: { frequency_weighting: 'C', leq_interval: '1m' } });
  const { body } = await world.post('/sim-1/cycle/start', { profile: 'site' });
  const isNamed = () => world.meter.log.commands.some((text) => text.startsWith('Overwrite'));
  await world.until('the profile is applied and the name is looked for', isNamed);
  world.meter.set('Frequency Weighting (Main)', 'A');
  t.match(await ended(world, body.job), { state: 'done', result: { store_name: '0001' } });
  t.equal(world.meter.read('Frequency Weighting (Main)'), 'C');
  t.equal(starts(world), 1);
});
