/** Long work: kept, shown, cancelled, continued. Each test has a store of its own on the disk. */
import t, { type Test } from 'tap';
import { GatewayError } from '../../lib/errors.ts';
import { createEventStream } from '../../lib/events/stream.ts';
import type { JobKind, JobRun } from '../../lib/jobs/contract.ts';
import { JOBS, type JobService, jobMigrations, KEPT_JOBS, MOST_JOBS, openJobs } from '../../lib/jobs/index.ts';
import { folder, until } from '../store/setup.ts';

/** A kind whose work the test ends by hand. */
function byHand(name: string, more: Partial<JobKind> = {}) {
  const runs: (JobRun & { end(result?: unknown): void; fail(error: Error): void })[] = [];
  const work = (run: JobRun) =>
    new Promise((resolve, reject) => {
      runs.push({ ...run, end: resolve, fail: reject });
      run.signal.addEventListener('abort', () => reject(run.signal.reason));
    });
  return { kind: { name, run: work, ...more }, runs, work };
}

async function jobsIn(t: Test, place = folder(t), kinds: readonly JobKind[] = []) {
  const store = await place.open();
  const events = createEventStream(place.clock, place.log);
  const told: string[] = [];
  events.on('job', ({ unitId, data }) => told.push(`${unitId} ${data.kind} ${data.state}`));
  const tables = await store.tables('job', [JOBS], jobMigrations);
  const jobs = await openJobs({ tables, events, clock: place.clock, log: place.log });
  for (const kind of kinds) jobs.kind(kind);
  await jobs.begin();
  const state = async (id: number) => (await jobs.get(id))?.state;
  const reached = async (id: number, wanted: string) => {
    while ((await state(id)) !== wanted) await new Promise((resolve) => setImmediate(resolve));
  };
  return { place, store, jobs, told, tables, state, reached };
}

t.test('a job runs, tells how far it is, and is kept with its result', async (t) => {
  const { kind, runs } = byHand('count');
  const { place, store, jobs, told, reached } = await jobsIn(t, undefined, [kind]);
  const begun = await jobs.start('count', 'roof', { to: 3 });
  t.match(begun, { id: 1, kind: 'count', unitId: 'roof', progress: null, result: null, endedAt: null });
  await until(() => runs.length === 1);
  t.same(runs[0]?.input, { to: 3 });
  runs[0]?.progress(1, 3, 'files');
  runs[0]?.say('One of three is there.');
  t.match(await jobs.get(1), { state: 'running', progress: { done: 1, total: 3, unit: 'files' }, message: /One of/ });
  runs[0]?.end({ files: 3 });
  await reached(1, 'done');
  t.same(told, ['roof count queued', 'roof count running', 'roof count done']);
  await store.close();
  const again = await jobsIn(t, place, [kind]);
  t.match(await again.jobs.get(1), { state: 'done', result: { files: 3 }, progress: { done: 1 } });
  t.equal((await again.jobs.start('count', 'roof', null)).id, 2, 'and the numbers go on');
});

t.test('on one unit those that want it run one after the other, on two units beside each other', async (t) => {
  const mirror = byHand('mirror', { oneAtATime: 'unit' });
  const cycle = byHand('cycle', { oneAtATime: 'unit' });
  const free = byHand('free');
  const { jobs, state, reached } = await jobsIn(t, undefined, [mirror.kind, cycle.kind, free.kind]);
  const first = await jobs.start('mirror', 'roof', null);
  const second = await jobs.start('cycle', 'roof', null);
  const third = await jobs.start('mirror', 'gate', null);
  const fourth = await jobs.start('free', 'roof', null);
  await until(() => mirror.runs.length === 2 && free.runs.length === 1);
  t.same(await Promise.all([first, second, third, fourth].map(({ id }) => state(id))), [
    'running',
    'queued',
    'running',
    'running',
  ]);
  mirror.runs[0]?.fail(new Error('inner words'));
  await reached(first.id, 'failed');
  await reached(second.id, 'running');
  t.match(await jobs.get(first.id), { error: { code: 'INTERNAL', detail: /error in the gateway/ } });
});

t.test('a waiting job is cancelled at once, a running job when its work has ended', async (t) => {
  const { kind, runs } = byHand('mirror', { oneAtATime: 'unit' });
  const { jobs, reached } = await jobsIn(t, undefined, [kind]);
  const first = await jobs.start('mirror', 'roof', null);
  const second = await jobs.start('mirror', 'roof', null);
  await until(() => runs.length === 1);
  t.match(await jobs.cancel(second.id), { state: 'cancelled', startedAt: null });
  await jobs.cancel(first.id);
  await reached(first.id, 'cancelled');
  t.ok(runs[0]?.signal.aborted);
  t.match(await jobs.cancel(first.id), { state: 'cancelled' }, 'once more does nothing');
  t.equal(await jobs.cancel(99), undefined);
});

t.test('those that want the files and those that control the meter run beside each other', async (t) => {
  const mirror = byHand('mirror', { oneAtATime: 'unit' });
  const cycle = byHand('cycle', { oneAtATime: 'control' });
  const { jobs, state } = await jobsIn(t, undefined, [mirror.kind, cycle.kind]);
  const first = await jobs.start('cycle', 'roof', null);
  await jobs.start('mirror', 'roof', null);
  const third = await jobs.start('cycle', 'roof', null);
  await until(() => mirror.runs.length === 1 && cycle.runs.length === 1);
  t.same(await Promise.all([first, third].map(({ id }) => state(id))), ['running', 'queued']);
});

t.test('the text of the work after a cancellation stays in the message; a stop is no cancellation', async (t) => {
  const ends: boolean[] = [];
  let begun = 0;
  const work = (run: JobRun) =>
    new Promise((_, reject) => {
      begun += 1;
      run.signal.addEventListener('abort', () => {
        ends.push(run.isCancelled);
        run.say('The meter does not measure.');
        reject(run.signal.reason);
      });
    });
  const { jobs, reached } = await jobsIn(t, undefined, [{ name: 'cycle', run: work, resume: work }]);
  const { id } = await jobs.start('cycle', 'roof', null);
  await until(() => begun === 1);
  await jobs.cancel(id);
  await reached(id, 'cancelled');
  t.match(await jobs.get(id), { message: 'The job was cancelled. The meter does not measure.' });
  await jobs.start('cycle', 'roof', null);
  await until(() => begun === 2);
  await jobs.close();
  t.same(ends, [true, false]);
});

t.test('jobs of a unit that is removed are cancelled', async (t) => {
  const { kind, runs } = byHand('mirror');
  const { jobs, reached } = await jobsIn(t, undefined, [kind]);
  const { id } = await jobs.start('mirror', 'roof', null);
  await until(() => runs.length === 1);
  jobs.drop('roof');
  await reached(id, 'cancelled');
  t.match(await jobs.get(id), { message: 'The unit roof was removed.' });
});

t.test('a job that a dead process left goes on if its kind can, otherwise it has failed', async (t) => {
  const place = folder(t);
  const can = byHand('can', { resume: async () => 'went on' });
  const cannot = byHand('cannot');
  const first = await jobsIn(t, place, [can.kind, cannot.kind, byHand('gone').kind]);
  for (const kind of ['can', 'cannot', 'gone']) await first.jobs.start(kind, 'roof', { kind });
  await until(() => can.runs.length === 1 && cannot.runs.length === 1);
  await can.runs[0]?.save({ at: 7 });
  // The process dies: nothing is closed but the lock.
  await first.store.close();

  const resumed: JobRun[] = [];
  const resume = async (run: JobRun) => {
    resumed.push(run);
    return 'went on';
  };
  const again = await jobsIn(t, place, [{ ...can.kind, resume }, cannot.kind]);
  await again.reached(1, 'done');
  t.match(resumed[0], { input: { kind: 'can' }, checkpoint: { at: 7 }, unitId: 'roof' });
  t.match(await again.jobs.get(1), { result: 'went on' });
  t.match(await again.jobs.get(2), { state: 'failed', error: { detail: /stopped while the job ran/ } });
  t.match(await again.jobs.get(3), { state: 'failed', error: { detail: /kind gone/ } });
});

t.test('a clean stop ends the work, and keeps what can go on', async (t) => {
  const place = folder(t);
  const can = byHand('can', { resume: async () => null });
  const cannot = byHand('cannot');
  const { jobs, store } = await jobsIn(t, place, [can.kind, cannot.kind]);
  await jobs.start('can', null, null);
  await jobs.start('cannot', null, null);
  await until(() => can.runs.length === 1 && cannot.runs.length === 1);
  await jobs.close();
  t.match(await jobs.get(1), { state: 'running' });
  t.match(await jobs.get(2), { state: 'failed' });
  await t.rejects(jobs.start('can', null, null), { code: 'STOPPING' });
  await store.close();
  const again = await jobsIn(t, place, [can.kind, cannot.kind]);
  await again.reached(1, 'done');
});

t.test('lists are filtered and come in pages', async (t) => {
  const { kind } = byHand('mirror');
  const done = { name: 'done', run: async () => null };
  const { jobs, reached } = await jobsIn(t, undefined, [kind, done]);
  for (const unit of ['roof', 'gate', 'roof']) await jobs.start('mirror', unit, null);
  const { id } = await jobs.start('done', 'gate', null);
  await reached(id, 'done');
  const ids = async (filter: Parameters<JobService['list']>[0]) => (await jobs.list(filter)).map((job) => job.id);
  t.same(await ids({}), [4, 3, 2, 1]);
  t.same(await ids({ units: ['roof'] }), [3, 1]);
  t.same(await ids({ states: ['running'], kinds: ['mirror'], limit: 2 }), [3, 2]);
  t.same(await ids({ before: 3, limit: 1 }), [2]);
});

t.test('only so many ended jobs are kept, the youngest, and only so many wait', async (t) => {
  const { kind } = byHand('mirror', { oneAtATime: 'unit' });
  const { jobs, tables, reached } = await jobsIn(t, undefined, [kind, { name: 'done', run: async () => null }]);
  const { id: first } = await jobs.start('done', null, null);
  await reached(first, 'done');
  const [row] = await tables.read((rows) => rows.find(JOBS));
  if (!row) return t.fail('no row');
  const old = Array.from({ length: KEPT_JOBS + 9 }, (_, index) => ({ ...row, id: 10_000 + index }));
  await tables.write((rows) => rows.put(JOBS, old));
  const { id } = await jobs.start('mirror', 'roof', null);
  await jobs.cancel(id);
  while ((await tables.read((rows) => rows.count(JOBS))) > KEPT_JOBS)
    await new Promise((resolve) => setImmediate(resolve));
  t.equal(await tables.read((rows) => rows.count(JOBS)), KEPT_JOBS);
  for (let count = 0; count < 50; count += 1) await jobs.start('mirror', 'gate', null);
  await t.rejects(jobs.start('mirror', 'gate', null), { code: 'DEVICE_BUSY', headers: { 'Retry-After': '60' } });
  t.ok(await jobs.start('mirror', 'roof', null), 'other units are not concerned');
  for (let count = 51; count < MOST_JOBS; count += 1) await jobs.start('mirror', `unit-${count % 100}`, null);
  await t.rejects(jobs.start('mirror', 'school', null), { code: 'DEVICE_BUSY' }, 'nor without end');
});

t.test(
  'for a kind that may be there once, a second start returns the job that waits, runs or is being written',
  async (t) => {
    const { kind, runs } = byHand('mirror');
    const { jobs, reached } = await jobsIn(t, undefined, [kind]);
    const starts = await Promise.all(['roof', 'roof', 'gate'].map((unit) => jobs.startOnce('mirror', unit, null)));
    t.match(starts, [
      { job: { id: 1 }, isNew: true },
      { job: { id: 1 }, isNew: false },
      { job: { id: 2 }, isNew: true },
    ]);
    t.match(await jobs.startOnce('mirror', 'roof', null), { job: { id: 1, state: 'running' }, isNew: false });
    await until(() => runs.length === 2);
    runs[0]?.end();
    await reached(1, 'done');
    t.match(await jobs.startOnce('mirror', 'roof', null), { job: { id: 3 }, isNew: true });
  },
);

t.test('a job that ended while nothing could be written has ended, and is written with the next one', async (t) => {
  const { kind, runs } = byHand('mirror');
  const { place, store, tables, jobs, reached } = await jobsIn(t, undefined, [kind]);
  const { write } = tables;
  const { id } = await jobs.start('mirror', 'roof', null);
  await until(() => runs.length === 1);
  tables.write = () => Promise.reject(new GatewayError('STORAGE_FULL', 'The disk is full.'));
  runs[0]?.end('kept');
  await reached(id, 'done');
  t.match(await jobs.list(), [{ id, state: 'done', result: 'kept' }]);
  tables.write = write;
  await jobs.start('mirror', 'gate', null);
  await store.close();
  const again = await jobsIn(t, place, [kind]);
  t.match(await again.jobs.get(id), { state: 'done', result: 'kept' });
});

t.test('a kind has one name, and a job needs a kind', async (t) => {
  const { jobs } = await jobsIn(t, undefined, [byHand('mirror').kind]);
  t.throws(() => jobs.kind(byHand('mirror').kind), /known already/);
  await t.rejects(jobs.start('nothing', 'roof', null), /no kind of job/);
});
