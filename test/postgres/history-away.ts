/** A database that is away, comes back, or ends midway: no level is lost or changed. */
import { dirname, join } from 'node:path';
import t, { type Test } from 'tap';
import type { Query } from '../../lib/history/contract.ts';
import { openHistory } from '../../lib/history/index.ts';
import { createLog } from '../../lib/log.ts';
import { VirtualClock } from '../../simulator/clock.ts';
import { AF, HOUR, hours, interval, rowsOf, second, stream } from '../contract/history/rows.ts';
import { freshDatabase, inDatabase } from '../support/postgres.ts';

const TICK_MS = 5_000;
const MOST_TRIES = 200;

async function open(t: Test, database: string, path = join(t.testdir(), 'history.db')) {
  const clock = new VirtualClock();
  const history = await openHistory({ path, clock, log: createLog('silent'), database });
  t.teardown(() => history.close());
  return {
    history,
    path,
    /** Time goes on, in ticks of the history, until that is so. */
    async until(isSo: () => boolean | Promise<boolean>) {
      for (let tries = 0; tries < MOST_TRIES && !(await isSo()); tries++) {
        await clock.advance(TICK_MS);
        // An answer of the thread.
        await history.bytes().catch(() => {});
      }
    },
  };
}

const hourOf = (unitId: string, level: number, from = HOUR, count = 3_600) =>
  stream(
    unitId,
    Array.from({ length: count }, (_, index) => second(from + index, level)),
  );
const one = (unitId: string): Query => ({ unitId, ...hours(1, 3_600) });

/** Whether so many seconds are in the database, by its sums. */
async function hasSeconds(database: string, seconds: number): Promise<boolean> {
  const [row] = await inDatabase<{ steps: string | null }>(database, 'select sum(steps) as steps from history_hour');
  return Number(row?.steps) === seconds * 10;
}

/** Nobody gets in, as when the server is stopped; who is in is thrown out. Resolves with what lets them in again. */
async function shut(database: string) {
  const { pathname } = new URL(database);
  const other = new URL(database);
  other.pathname = '/postgres';
  const name = pathname.slice(1);
  await inDatabase(other.href, `alter database ${name} allow_connections false`);
  await inDatabase(other.href, 'select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [name]);
  return () => inDatabase(other.href, `alter database ${name} allow_connections true`);
}

t.test('levels of the time without a database are there when it is back, each once', async (t) => {
  const database = await freshDatabase(t);
  const { history, until } = await open(t, database);
  history.append(hourOf('roof', 60));
  await history.flush();
  await until(() => hasSeconds(database, 3_600));
  t.equal(history.status.away, null);
  const stored = () => inDatabase<{ hour: number }>(database, 'select hour from history_hour order by hour');
  t.strictSame(
    (await stored()).map(({ hour }) => hour),
    [HOUR / 3_600],
  );
  const letIn = await shut(database);
  history.append(hourOf('roof', 70, HOUR + 3_600));
  history.append({ unitId: 'roof', source: 'poll', weighting: AF, intervals: [interval(HOUR + 7_200, 900, 50)] });
  await history.flush();
  await until(() => history.status.away !== null);
  t.match(history.status, { state: 'recording', away: /^the database cannot be reached/, lost: 0 });
  await t.rejects(
    history.query(one('roof')),
    { code: 'STORAGE_FAILED' },
    'an answer with less than there is would be wrong',
  );
  await letIn();
  await until(() => history.status.away === null);
  t.equal(history.status.away, null);
  const rows = await rowsOf(history, { unitId: 'roof', ...hours(3, 3_600) });
  t.strictSame(
    rows.map(({ leq, measured }) => [leq, measured]),
    [
      [60, 3_600],
      [70, 3_600],
      [50, 900],
    ],
  );
  t.equal((await stored()).length, 2);
  t.equal(history.status.duplicates, 0);
});

t.test(
  'rows that come late join their hour in the database, and before that in answers; a second counts once',
  async (t) => {
    const database = await freshDatabase(t);
    const { history, until } = await open(t, database);
    history.append(hourOf('roof', 60, HOUR, 1_800));
    await history.flush();
    await until(() => hasSeconds(database, 1_800));
    history.append(hourOf('roof', 60, HOUR + 1_700, 1_900));
    await history.flush();
    const look = async (what: string) => {
      const [row] = await rowsOf(history, one('roof'));
      t.match(row, { leq: 60, measured: 3_600 }, what);
      const seconds = await rowsOf(history, { unitId: 'roof', ...hours(1, 1) });
      t.equal(seconds.filter(({ measured }) => measured === 1).length, 3_600, what);
      t.match(await history.extent('roof'), { gapCount: 0, series: [{ measured: 3_600 }] }, what);
    };
    await look('before they are carried');
    await until(() => hasSeconds(database, 3_600));
    await look('after');
    history.append(hourOf('yard', 60, HOUR, 1));
    await history.flush();
    t.equal(history.status.duplicates, 100, 'told with the next rows that are written');
  },
);

t.test('rows that are removed while an hour is in both places are gone from both', async (t) => {
  const database = await freshDatabase(t);
  const { history, until } = await open(t, database);
  history.append(hourOf('roof', 60, HOUR, 1_800));
  await history.flush();
  await until(() => hasSeconds(database, 1_800));
  history.append(hourOf('roof', 60, HOUR + 1_800, 1_800));
  t.equal(await history.remove('roof', HOUR + 1_200, HOUR + 2_400), 1_200);
  const measured = async () => (await rowsOf(history, one('roof')))[0]?.measured;
  t.equal(await measured(), 2_400);
  await until(() => hasSeconds(database, 2_400));
  t.equal(await measured(), 2_400);
});

t.test('two gateways on one database: each sees what the other has stored, and their hours join', async (t) => {
  const database = await freshDatabase(t);
  const first = await open(t, database);
  const other = await open(t, database, join(dirname(first.path), 'other.db'));
  first.history.append(hourOf('roof', 60, HOUR, 1_800));
  other.history.append(hourOf('roof', 60, HOUR + 1_800, 1_800));
  for (const { history } of [first, other]) await history.flush();
  await first.until(() => hasSeconds(database, 1_800));
  await other.until(() => hasSeconds(database, 3_600));
  for (const { history } of [first, other]) t.match(await rowsOf(history, one('roof')), [{ leq: 60, measured: 3_600 }]);
  t.strictSame(await other.history.units(), ['roof']);
});

t.test('a database of a later release, or none at all, is refused by name', async (t) => {
  const database = await freshDatabase(t);
  await inDatabase(database, 'create table history_version (version integer not null)');
  await inDatabase(database, 'insert into history_version values (999)');
  await t.rejects(open(t, database), { name: 'HistoryError', problem: 'newer', message: /newer release/ });
  const nowhere = new URL(database);
  nowhere.pathname = '/nowhere';
  await t.rejects(open(t, nowhere.href, join(t.testdir(), 'none.db')), {
    name: 'HistoryError',
    message: /database_url/,
  });
});
