/** Jobs by HTTP: listed, shown, cancelled, and only those that a key reaches. */
import t from 'tap';
import { endedJob } from '../support/packages.ts';
import { openWorld } from '../support/world.ts';

const DEMO = new URL('../jobs/demo-plugin.ts', import.meta.url).pathname;

t.test('jobs are listed in pages, shown and cancelled', async (t) => {
  const world = await openWorld(t, { meters: 0, settings: { plugins: ['config', 'jobs', DEMO] } });
  for (const unit of ['roof', 'gate']) {
    await world.put(`/${unit}/config`, { host: '192.0.2.7', tcp_enabled: false });
    const { status, body, headers } = await world.post(`/${unit}/demo`);
    t.match({ status, body }, { status: 202, body: { status: 'ok', job: { state: /queued|running/, unit_id: unit } } });
    t.match(headers.get('location'), /\/_jobs\/\d+$/);
  }
  const first = await world.get('/_jobs?limit=1');
  t.match(first.body, { status: 'ok', data: [{ id: '2', unit_id: 'gate', kind: 'demo' }], next: '2' });
  const second = await world.get(`/_jobs?limit=1&cursor=${first.body.next}`);
  t.match(second.body, { data: [{ id: '1', unit_id: 'roof' }], next: null });
  t.match((await world.get('/_jobs?unit=roof,none&state=running&kind=demo')).body, { data: [{ id: '1' }] });
  t.match(await world.get('/_jobs?state=lost'), { status: 422, body: { errors: [{ path: '/state' }] } });
  t.match((await world.get('/_jobs/1')).body.data, {
    state: 'running',
    progress: { done: 1, total: null, unit: 'files' },
  });
  t.match(await world.delete('/_jobs/1'), {
    status: 200,
    body: { message: /^The job 1 is (cancelled|asked to end)\.$/ },
  });
  t.match((await world.delete('/_jobs/1')).body.data, { state: 'cancelled', ended_at: String });
  for (const id of ['99', 'x', '0', '-1']) t.match(await world.get(`/_jobs/${id}`), { status: 404 }, id);
});

t.test('when the meter is busy for two minutes, jobs wait for their turn and are done', async (t) => {
  const plugins = ['config', 'jobs', 'mirror', 'campaign', 'history', 'ftp', DEMO];
  const world = await openWorld(t, { settings: { plugins } });
  await world.put('/sim-1/config', { mirror: { paths: ['/JOB'] } });
  world.meter.card.addFile('/JOB/a.rnd', { bytes: 5_000, seed: 1 }, world.clock.now());
  await world.put('/_profiles/night', { settings: { frequency_weighting: 'C' } });
  const applied = { units: ['sim-1'] };
  const jobs = { '/sim-1/mirror': {}, '/_profiles/night/apply': applied, '/sim-1/cycle/start': {} };
  for (const [index, [path, body]] of Object.entries(jobs).entries()) {
    t.equal((await world.post('/sim-1/busy')).status, 202);
    const began = world.clock.now();
    t.equal((await world.post(path, body)).status, 202, path);
    t.match(await endedJob(world, index + 1), { state: 'done', error: null }, path);
    t.ok(world.clock.now() - began > 100_000, `${path} has waited`);
  }
});
