/** Work of several commands beside a recorded stream: it takes as long as without one, and the stream is interrupted once. */
import t, { type Test } from 'tap';
import { loadProfile } from '../../simulator/index.ts';
import { fewestIn } from '../support/busy-line.ts';
import { openWorld, type World } from '../support/world.ts';

interface Step {
  readonly name: string;
}

/** A recorded meter of the usual kind. Nothing is polled: what is asked is asked for the test. */
async function recordedWorld(t: Test): Promise<World> {
  const world = await openWorld(t, { quirks: loadProfile('default') });
  world.meter.set('Store Mode', 'Auto');
  world.meter.set('Measurement Time Preset Auto', '24h');
  world.meter.card.addFolder('/JOB', world.clock.now());
  world.meter.card.addFile('/JOB/small.rnd', { bytes: 2_000, seed: 1 }, world.clock.now());
  await world.put('/sim-1/config', { history: 'stream', mirror: { parse: false } });
  return world;
}

/** How often the stream was begun: once after each interruption. */
const begun = ({ meter }: World): number => meter.log.commands.filter((text) => text.startsWith('DRD?')).length;

/** The cost of the work: time until it is done, and interruptions of the stream. */
async function costOf<T>(world: World, work: () => Promise<T>) {
  await world.clock.pass(12_000, { stepMs: 250 });
  const from = world.clock.elapsed();
  const before = begun(world);
  const done = await work();
  const ms = world.clock.elapsed() - from;
  await world.clock.pass(2_000, { stepMs: 100 });
  const breaks = begun(world) - before;
  return { done, ms, breaks, figures: `${ms} ms and ${breaks} interruptions` };
}

/** In small steps: while files come the clock would run ahead of the disk and the sockets. */
const asked = (world: World, method: string, path: string, json?: unknown) =>
  world.clock.until(world.asked(method, path, json === undefined ? {} : { json }), { stepMs: 10 });

async function job(world: World, path: string) {
  const { body, status } = await asked(world, 'POST', path);
  if (status !== 202) throw new Error(`${path} answers ${status}`);
  for (;;) {
    const { data } = (await world.asked('GET', `/_jobs/${body.job}`)).body;
    if (!['queued', 'running'].includes(data.state)) return data;
    await world.clock.pass(200, { stepMs: 10 });
  }
}

t.test('jobs beside a stream take no longer than without one, and each step interrupts it once', async (t) => {
  const world = await recordedWorld(t);
  world.meter.set('FTP', 'Off');
  const start = await costOf(world, () => job(world, '/sim-1/cycle/start'));
  t.equal(start.done.state, 'done', JSON.stringify(start.done.error));
  t.ok(start.ms <= 16_000 && start.breaks === 1, `start: ${start.figures}`);
  const stop = await costOf(world, () => job(world, '/sim-1/cycle/stop'));
  t.match(stop.done, { state: 'done', result: { verified: true } });
  // Files come in the time of the disk and the sockets, and frames come meanwhile: without them it takes twelve seconds.
  const ended = (name: string) => Date.parse(stop.done.result.steps.find((step: Step) => step.name === name).at);
  const filesMs = ended('fetch') - ended('ftp_on');
  t.ok(stop.ms - filesMs <= 14_000 && stop.breaks <= 3, `stop: ${stop.figures}, of them ${filesMs} ms for files`);
  await world.put('/sim-1/config', { mirror: { paths: ['/JOB'] } });
  const mirror = await costOf(world, () => job(world, '/sim-1/mirror'));
  t.match(mirror.done, { state: 'done', result: { fetched: 1 } });
  t.equal(world.meter.read('FTP'), 'Off');
  t.ok(mirror.ms <= 10_000 && mirror.breaks <= 2, `mirror: ${mirror.figures}`);
  const said = world.log.filter((line) => line.includes('for as long as the job needs'));
  const jobs = ['Start of a measurement', 'Stop of a measurement', 'Copy of the card'];
  t.same([...new Set(said.map((line) => JSON.parse(line).job))], jobs, 'the log says which job interrupts the stream');
});

t.test('requests of several commands, and FTP, interrupt the stream once and are answered in seconds', async (t) => {
  const world = await recordedWorld(t);
  const requests = [
    ['POST', '/sim-1/ftp/enable', undefined, 1_500],
    ['POST', '/sim-1/ftp/download', { remote_path: '/JOB/small.rnd' }, 2_500],
    ['GET', '/sim-1/measurement-time?max_age=0', undefined, 3_500],
    ['PUT', '/sim-1/measurement-time', { preset: '10m' }, 3_500],
    ['GET', '/sim-1/doctor', undefined, 6_000],
  ] as const;
  for (const [method, path, json, limitMs] of requests) {
    const { done, ms, breaks, figures } = await costOf(world, () => asked(world, method, path, json));
    t.equal(done.status, 200, JSON.stringify(done.body));
    t.ok(ms <= limitMs && breaks === 1, `${method} ${path}: ${figures}`);
  }
});

t.test('a small file is there within 3 s after four folders of the card were listed', async (t) => {
  const world = await recordedWorld(t);
  await world.post('/sim-1/ftp/enable');
  await world.clock.pass(12_000, { stepMs: 250 });
  const waits: number[] = [];
  const ask = async (method: string, path: string, json?: object) => {
    const from = world.clock.elapsed();
    t.equal((await asked(world, method, path, json)).status, 200);
    waits.push(world.clock.elapsed() - from);
  };
  for (const folder of ['/', '/JOB', '/', '/JOB']) await ask('GET', `/sim-1/ftp/files?path=${folder}`);
  await ask('POST', '/sim-1/ftp/download', { remote_path: '/JOB/small.rnd' });
  t.ok(Math.max(...waits) <= 3_000, `waits of ${waits.join()} ms`);
});

/** Works for so long; the fewest frames of any minute, and how often it worked. */
async function fewestBeside(t: Test, world: World, ms: number, work: () => Promise<{ readonly status: number }>) {
  const viewer = await world.watch('/sim-1/live');
  const frames: number[] = [];
  viewer.socket.on('message', (data) => {
    if (String(data).includes('"counter"')) frames.push(world.clock.elapsed());
  });
  const until = world.clock.elapsed() + ms;
  let times = 0;
  for (; world.clock.elapsed() < until; times += 1) t.equal((await work()).status, 200);
  viewer.socket.terminate();
  return { fewest: fewestIn(60, frames), times };
}

t.test('a program that downloads without a pause leaves 75 % of the frames of any minute', async (t) => {
  const world = await recordedWorld(t);
  await world.post('/sim-1/ftp/enable');
  await world.clock.pass(12_000, { stepMs: 250 });
  const { fewest, times } = await fewestBeside(t, world, 75_000, () =>
    world.post('/sim-1/ftp/download', { remote_path: '/JOB/small.rnd' }),
  );
  t.ok(fewest >= 450, `${fewest} of 600 frames beside ${times} files`);
  t.ok(times >= 6, `${times} files`);
});

t.test('a program that reads all settings without a pause leaves 73 % of the frames of any minute', async (t) => {
  const world = await recordedWorld(t);
  // The first one may owe what it takes.
  await world.get('/sim-1/settings/all?max_age=0&timeout_s=60');
  await world.clock.pass(60_000, { stepMs: 250 });
  const read = () => world.get('/sim-1/settings/all?max_age=0&timeout_s=60');
  const { fewest, times } = await fewestBeside(t, world, 180_000, read);
  // A reading takes 8 s. Somebody who reads the settings again would rather have that than a wait of a minute.
  t.ok(fewest >= 440, `${fewest} of 600 frames beside ${times} readings of all settings`);
});
