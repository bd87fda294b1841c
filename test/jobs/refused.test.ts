/** A job that was refused because the database did not answer: it may be stored, and is not done, now or after a start. */
import t, { type Test } from 'tap';
import { sleep } from '../../lib/clock.ts';
import { createEventStream } from '../../lib/events/stream.ts';
import { JOBS, jobMigrations, openJobs } from '../../lib/jobs/index.ts';
import type { Tables } from '../../lib/store/contract.ts';
import { folder, until } from '../store/setup.ts';
import { silence, unanswered } from '../support/unanswered.ts';

async function opened(t: Test) {
  const { clock, log, open } = folder(t);
  const { tables, state } = unanswered(await (await open()).tables('job', [JOBS], jobMigrations));
  const done: unknown[] = [];
  const start = async () => {
    const jobs = await openJobs({ tables, events: createEventStream(clock, log), clock, log });
    t.teardown(() => jobs.close());
    jobs.kind({ name: 'demo', run: async ({ input }) => void done.push(input) });
    await jobs.begin();
    return jobs;
  };
  return { clock, state, done, start };
}

t.test('a refused job has failed when the database answers, and the next start does not do it', async (t) => {
  const { clock, state, done, start } = await opened(t);
  const jobs = await start();
  state.answers = false;
  await t.rejects(jobs.start('demo', 'roof', 'refused'), { code: 'STORAGE_FAILED' });
  await clock.advance(60_000);
  state.answers = true;
  await clock.advance(5_000);
  let shown = await jobs.list({ states: ['failed'] });
  while (shown.length === 0) shown = await jobs.list({ states: ['failed'] });
  t.match(shown, [{ id: 1, state: 'failed', error: { code: 'STORAGE_FAILED', detail: /^It was refused/ } }]);
  await jobs.close();
  await start();
  t.strictSame(done, []);
});

t.test('the next job is done meanwhile; a job that was not stored is nowhere', async (t) => {
  const { clock, state, done, start } = await opened(t);
  const jobs = await start();
  state.answers = false;
  await t.rejects(jobs.start('demo', 'roof', 'refused'), { code: 'STORAGE_FAILED' });
  state.stores = false;
  await t.rejects(jobs.start('demo', 'roof', 'never'), { code: 'STORAGE_FAILED' });
  state.answers = state.stores = true;
  await jobs.start('demo', 'roof', 'wanted');
  await until(() => done.length > 0);
  await clock.advance(5_000);
  while ((await jobs.list({ states: ['failed'] })).length === 0);
  t.strictSame(done, ['wanted']);
  t.match(await jobs.list(), [{ id: 3 }, { id: 1, state: 'failed' }]);
});

t.test('jobs do not wait for each other where the database says nothing: all are refused after its time', async (t) => {
  const { clock, log, open } = folder(t);
  const real = await (await open()).tables('job', [JOBS], jobMigrations);
  let isSilent = false;
  const tables: Tables = {
    read: (work) => real.read(work),
    async write(work) {
      if (isSilent) await sleep(clock, 10_000).then(() => Promise.reject(silence()));
      return real.write(work);
    },
  };
  const jobs = await openJobs({ tables, events: createEventStream(clock, log), clock, log });
  t.teardown(() => jobs.close());
  jobs.kind({ name: 'demo', run: async () => {} });
  isSilent = true;
  const started = Promise.allSettled(['roof', 'gate', 'yard'].map((unitId) => jobs.start('demo', unitId, null)));
  let refused = 0;
  void started.then((outcomes) => {
    refused = outcomes.filter(({ status }) => status === 'rejected').length;
  });
  await clock.advance(10_000);
  await new Promise((resolve) => setImmediate(resolve));
  t.equal(refused, 3);
  isSilent = false;
});
