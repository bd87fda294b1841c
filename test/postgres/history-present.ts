/** The levels of the present hour on a computer that takes over, also after the first computer comes back. */
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import t, { type Test } from 'tap';
import { historyBack } from '../../lib/app/history-carried.ts';
import { BETWEEN_BEATS_MS, TAKE_MS } from '../../lib/cluster/lease.ts';
import type { History, Query } from '../../lib/history/contract.ts';
import { openHistory } from '../../lib/history/index.ts';
import { PostgresDatabase } from '../../lib/history/postgres/database.ts';
import { createLog } from '../../lib/log.ts';
import { VirtualClock } from '../../simulator/clock.ts';
import { AF, CF, HOUR, reading, rowsOf, second, stream } from '../contract/history/rows.ts';
import { freshDatabase, inDatabase } from '../support/postgres.ts';
import { openRelay } from './support/relay.ts';

const TICK_MS = 5_000;
const MOST_TRIES = 100;

async function place(t: Test) {
  const database = await freshDatabase(t);
  const folder = t.testdir();
  /** A computer; to leave it without closing it is what its death looks like from outside. */
  const open = async (name: string, at = HOUR, url = database) => {
    const clock = new VirtualClock(at * 1_000);
    const path = join(folder, `${name}.db`);
    const history = await openHistory({ path, clock, log: createLog('silent'), database: url });
    t.teardown(() => history.close());
    const ticks = async (count: number) => {
      for (let tick = 0; tick < count; tick++) {
        await clock.advance(TICK_MS);
        // An answer of the thread.
        await history.units().catch(() => {});
      }
    };
    return {
      history,
      clock,
      ticks,
      /** Ticks until that is so. */
      async until(isSo: () => Promise<boolean>) {
        for (let tries = 0; tries < MOST_TRIES && !(await isSo()); tries++) await ticks(1);
      },
    };
  };
  const pieces = () =>
    inDatabase<{ writer: string; entry: string; last: string }>(
      database,
      'select writer, entry, last from history_present order by writer, entry',
    );
  const shipped = (name: string) => async () => (await pieces()).some(({ writer }) => writer.endsWith(`${name}.db`));
  return { database, folder, open, pieces, shipped };
}

const secondsOf = (unitId: string, from: number, count: number, level = 60) =>
  stream(
    unitId,
    Array.from({ length: count }, (_, index) => second(HOUR + from + index, level)),
  );
const asked = (unitId: string, more: Partial<Query> = {}): Query => ({
  unitId,
  over: { from: HOUR, to: HOUR + 300, step: 1 },
  ...more,
});
const measured = async (history: History, query: Query) =>
  (await rowsOf(history, query)).filter((row) => row.measured > 0).map(({ from, leq }) => [from - HOUR, leq]);
const stepsIn = async (database: string) =>
  Number(
    (await inDatabase<{ steps: string }>(database, 'select coalesce(sum(steps), 0) as steps from history_hour'))[0]
      ?.steps,
  );

t.test(
  'the server releases the locks of a computer that does not run before another computer takes over',
  async (t) => {
    const database = new PostgresDatabase(await freshDatabase(t));
    t.teardown(() => database.close());
    const [row] = await database.transaction((statements) =>
      statements.rows<{ ms: number }>(
        "select setting::int as ms from pg_settings where name = 'idle_in_transaction_session_timeout'",
      ),
    );
    t.ok(row && row.ms > 0 && row.ms < TAKE_MS - BETWEEN_BEATS_MS, `${row?.ms} ms`);
  },
);

t.test('the new instance has the present hour, goes on with it, and each second is there once', async (t) => {
  const { database, open, pieces, shipped } = await place(t);
  const first = await open('first');
  first.history.append(secondsOf('roof', 0, 100));
  first.history.append({ unitId: 'gate', source: 'poll', weighting: AF, seconds: [reading(HOUR + 7, 51)] });
  await first.history.flush();
  await first.until(shipped('first'));

  const second = await open('second', HOUR + 170);
  const whole = Array.from({ length: 100 }, (_, at) => [at, 60]);
  t.strictSame(await measured(second.history, asked('roof')), whole);
  t.match(await rowsOf(second.history, { unitId: 'gate', over: { from: HOUR + 7, to: HOUR + 8, step: 1 } }), [
    { lp: 51 },
  ]);
  second.history.append(secondsOf('roof', 165, 60, 70));
  await second.history.flush();
  const all = [...whole, ...Array.from({ length: 60 }, (_, at) => [165 + at, 70])];
  t.strictSame(await measured(second.history, asked('roof')), all, 'but the takeover');
  await second.until(async () => (await pieces()).every(({ writer }) => writer.endsWith('second.db')));
  t.ok((await pieces()).length > 0, 'it keeps for a third one what the first one had');
  const third = await open('third', HOUR + 400);
  t.strictSame(await measured(third.history, asked('roof')), all);

  // The hour is over, and it is carried. Then the first one comes back with what it had.
  await third.history.close();
  const later = await open('third', HOUR + 4_000);
  await later.until(async () => (await stepsIn(database)) === 1_600 && (await pieces()).length === 0);
  t.equal(await stepsIn(database), 1_600);
  t.strictSame(await pieces(), [], 'nothing of a finished hour stays');
  await first.history.close();
  const back = await open('first', HOUR + 8_000);
  await back.ticks(5);
  t.equal(await stepsIn(database), 1_600);
  t.strictSame(await measured(back.history, asked('roof')), all);
});

t.test(
  'changes in the present hour are also on the other computer: removed, doubtful, of another weighting',
  async (t) => {
    const { open, shipped } = await place(t);
    const first = await open('first');
    first.history.append(secondsOf('gone', 0, 180));
    first.history.append(secondsOf('doubtful', 0, 30));
    first.history.append(secondsOf('moved', 0, 30));
    await first.history.flush();
    await first.until(shipped('first'));
    await first.history.remove('gone', HOUR + 60, HOUR + 120);
    await first.history.doubt({
      unitId: 'doubtful',
      source: 'stream',
      weighting: AF,
      from: HOUR + 10,
      to: HOUR + 20,
      flag: 'frozen',
    });
    await first.history.restate({ unitId: 'moved', weighting: CF, from: HOUR, to: HOUR + 10 });
    const own = [
      await rowsOf(first.history, asked('doubtful')),
      await rowsOf(first.history, asked('moved', { weighting: CF })),
    ];

    const second = await open('second');
    const rows = await measured(second.history, asked('gone'));
    t.equal(rows.length, 120);
    t.notOk(
      rows.some(([at]) => Number(at) >= 60 && Number(at) < 120),
      'what was removed does not come back',
    );
    t.strictSame(await rowsOf(second.history, asked('doubtful')), own[0]);
    t.strictSame(await rowsOf(second.history, asked('moved', { weighting: CF })), own[1]);
  },
);

t.test('the old instance writes nothing more to the database, and says so', async (t) => {
  const { open, pieces, shipped } = await place(t);
  const first = await open('first');
  first.history.append(secondsOf('roof', 0, 10));
  await first.history.flush();
  await first.until(shipped('first'));
  const second = await open('second');
  await second.until(async () => (await pieces()).every(({ writer }) => writer.endsWith('second.db')));
  const before = await pieces();
  first.history.append(secondsOf('roof', 10, 10));
  await first.history.flush();
  await first.ticks(3);
  t.strictSame(await pieces(), before);
  t.match(first.history.status.away, /another gateway records levels with this database now/);
});

t.test(
  'started again, an instance sends what is new, not the hour again; with a new file it has its hour back',
  async (t) => {
    const { folder, open, pieces, shipped } = await place(t);
    const first = await open('first');
    first.history.append(secondsOf('roof', 0, 10));
    await first.history.flush();
    await first.until(shipped('first'));
    await first.history.close();
    const before = await pieces();
    const again = await open('first');
    again.history.append(secondsOf('roof', 10, 10));
    await again.history.flush();
    await again.until(async () => (await pieces()).length > before.length);
    t.strictSame((await pieces()).slice(0, before.length), before);
    t.equal((await pieces()).length, before.length + 1);
    await again.history.close();
    for (const end of ['', '-wal', '-shm']) rmSync(join(folder, `first.db${end}`), { force: true });
    const empty = await open('first');
    t.equal((await measured(empty.history, asked('roof'))).length, 20);
    await empty.until(async () => (await pieces()).length === 1);
    const next = await open('second');
    t.equal((await measured(next.history, asked('roof'))).length, 20, 'and so has who takes over from it');
  },
);

t.test('new rows go 5 s after the last send began, however long it took', async (t) => {
  const { database, open, shipped } = await place(t);
  const { history, clock } = await open('first');
  const other = new pg.Client({ connectionString: database });
  await other.connect();
  t.teardown(() => other.end());
  /** Answers of the thread, until that is so; no time passes. */
  const answersUntil = async (isSo: () => boolean | Promise<boolean>) => {
    for (let tries = 0; tries < MOST_TRIES && !(await isSo()); tries++) await history.units();
  };
  // The thread begins with the first call, and its time, too.
  await history.flush();
  await answersUntil(() => clock.pending > 0);
  await other.query('begin');
  await other.query('lock table history_present');
  await clock.advance(TICK_MS);
  await clock.advance(3_000);
  t.equal(clock.pending, 0, 'it waits for the table');
  await other.query('commit');
  await answersUntil(() => clock.pending > 0);
  history.append(secondsOf('roof', 0, 8));
  await history.flush();
  t.notOk(await shipped('first')());
  await clock.advance(TICK_MS - 3_000);
  await answersUntil(shipped('first'));
  t.ok(await shipped('first')());
});

t.test('an instance sends new rows before it closes: the next instance has all of them', async (t) => {
  const { open, pieces } = await place(t);
  const first = await open('first');
  first.history.append(secondsOf('roof', 0, 10));
  await first.history.close();
  t.equal((await pieces()).length, 1);
  const second = await open('second', HOUR + 10);
  t.equal((await measured(second.history, asked('roof'))).length, 10);
});

t.test(
  'an instance that is closed while the database is silent ends, too; later it has the rows that were not sent',
  { timeout: 30_000 },
  async (t) => {
    const { database, open, pieces, shipped } = await place(t);
    const relay = await openRelay(t, database);
    const first = await open('first', HOUR, relay.url);
    first.history.append(secondsOf('roof', 0, 10));
    await first.history.flush();
    await first.until(shipped('first'));
    first.history.append(secondsOf('roof', 10, 6));
    relay.goSilent();
    await first.history.close();
    t.equal((await pieces()).length, 1);

    const second = await open('second', HOUR + 60);
    t.equal((await measured(second.history, asked('roof'))).length, 10);
    second.history.append(secondsOf('roof', 60, 5));
    await second.history.close();
    const back = await open('first', HOUR + 70);
    const all = [...Array.from({ length: 16 }, (_, at) => at), 60, 61, 62, 63, 64];
    t.strictSame(
      (await measured(back.history, asked('roof'))).map(([at]) => at),
      all,
    );
    await back.history.close();
    const third = await open('third', HOUR + 80);
    t.equal((await measured(third.history, asked('roof'))).length, all.length, 'and so has who takes over from it');
  },
);

t.test('a database is carried back with the present hour of a gateway that was killed', async (t) => {
  const { folder, database, open, pieces, shipped } = await place(t);
  const first = await open('first');
  first.history.append(secondsOf('roof', 0, 100));
  await first.history.flush();
  await first.until(shipped('first'));

  const data = join(folder, 'data');
  mkdirSync(data);
  for (const again of ['without a file', 'with the file of before']) {
    await historyBack(data, database);
    const clock = new VirtualClock((HOUR + 200) * 1_000);
    const history = await openHistory({ path: join(data, 'history.db'), clock, log: createLog('silent') });
    const whole = Array.from({ length: 100 }, (_, at) => [at, 60]);
    t.strictSame(await measured(history, asked('roof')), whole, again);
    await history.close();
  }
  const before = (await pieces()).length;
  first.history.append(secondsOf('roof', 120, 5));
  await first.history.flush();
  await first.until(async () => (await pieces()).length > before);
  t.ok((await pieces()).length > before, 'a gateway that runs elsewhere all the same goes on');
});
