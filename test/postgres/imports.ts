/** Imports that a crash broke off do not stay in the database, and those under way do. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import t, { type Test } from 'tap';
import type { IntervalRow } from '../../lib/history/contract.ts';
import { openHistory } from '../../lib/history/index.ts';
import { createLog } from '../../lib/log.ts';
import { VirtualClock } from '../../simulator/clock.ts';
import { AF, HOUR, hours, interval, rowsOf } from '../contract/history/rows.ts';
import { freshDatabase, inDatabase } from '../support/postgres.ts';

const TARGET = { unitId: 'roof', weighting: AF };
const page = (from: number): IntervalRow[] => Array.from({ length: 30 }, (_, row) => interval(from + row * 60, 60, 50));

async function open(t: Test, database: string) {
  const clock = new VirtualClock();
  const path = join(await mkdtemp(join(tmpdir(), 'slm-test-')), 'history.db');
  t.teardown(() => rm(dirname(path), { recursive: true, force: true }));
  const history = await openHistory({ path, clock, log: createLog('silent'), database });
  t.teardown(() => history.close());
  /** Its regular work is done. */
  const tick = async () => {
    await clock.advance(5_000);
    for (let asked = 0; asked < 3; asked++) await history.bytes().catch(() => {});
  };
  return { history, tick };
}

/** An import that has brought a page, and waits for what `goOn` gives it. */
function begun(history: Awaited<ReturnType<typeof open>>['history'], from = HOUR) {
  const half = Promise.withResolvers<void>();
  const rest = Promise.withResolvers<void>();
  async function* pages() {
    yield page(from);
    half.resolve();
    await rest.promise;
    yield page(from + 1_800);
  }
  const done = history.import(TARGET, pages());
  done.catch(() => {});
  return { half: half.promise, goOn: rest.resolve, done };
}

const counts = async (database: string) => {
  const [found] = await inDatabase<{ series: number; rows: number }>(
    database,
    'select (select count(*)::int from history_series) as series, (select count(*)::int from history_interval) as rows',
  );
  return found;
};

t.test(
  'the rest of an import that a process left is removed by the next process, which imports meanwhile',
  async (t) => {
    const database = await freshDatabase(t);
    const first = await open(t, database);
    const broken = begun(first.history);
    await broken.half;
    // As after a kill: nobody is there to undo it.
    await first.history.close();
    broken.goOn();
    await t.rejects(broken.done);
    t.strictSame(await counts(database), { series: 1, rows: 30 });

    const second = await open(t, database);
    const own = begun(second.history);
    await own.half;
    await second.tick();
    t.strictSame(await counts(database), { series: 1, rows: 30 }, 'the one under way stays');
    own.goOn();
    t.match(await own.done, { rows: 60, from: HOUR, to: HOUR + 3_600 });
    t.match(await rowsOf(second.history, { unitId: 'roof', ...hours(1, 3_600) }), [{ leq: 50, measured: 3_600 }]);
    await second.tick();
    t.strictSame(await counts(database), { series: 1, rows: 60 });
  },
);

t.test('an import that goes on after another process has taken over fails, and leaves nothing', async (t) => {
  const database = await freshDatabase(t);
  const first = await open(t, database);
  const slow = begun(first.history);
  await slow.half;
  const second = await open(t, database);
  await second.tick();
  t.strictSame(await counts(database), { series: 0, rows: 0 });
  const own = begun(second.history, HOUR + 7_200);
  await own.half;
  slow.goOn();
  await t.rejects(slow.done);
  await first.tick();
  t.strictSame(await counts(database), { series: 1, rows: 30 }, 'and does not touch that of the other');
  own.goOn();
  t.match(await own.done, { rows: 60 });
});
