/** The file, the disk and the thread: what the contract cannot say of any store. */
import { copyFileSync, existsSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import t, { type Test } from 'tap';
import { HistoryError, type HistoryOptions, openHistory } from '../../lib/history/index.ts';
import { createLog } from '../../lib/log.ts';
import { VirtualClock } from '../../simulator/clock.ts';
import { AF, CF, HOUR, rowsOf, second, stream } from '../contract/history/rows.ts';
import { openedHistory } from '../support/history.ts';

const opened = (t: Test, path: string, more: Omit<HistoryOptions, 'path' | 'clock' | 'log'> = {}) =>
  openedHistory(t, { path, ...more });

const hour = (from: number) =>
  Array.from({ length: 3_600 }, (_, index) => second(from + index, 40 + (index % 300) / 10));
const day = { from: HOUR, to: HOUR + 86_400, step: 3_600 };

t.test(
  'appended rows are there after a restart, whether their hour is over or not, also those that wait',
  async (t) => {
    const path = join(t.testdir(), 'history.db');
    const first = await opened(t, path);
    first.history.append(stream('roof', hour(HOUR)));
    first.history.append(stream('roof', [second(HOUR + 20_000, 70)]));
    await first.history.flush();
    const before = await rowsOf(first.history, { unitId: 'roof', over: day, percentiles: [10], counts: true });
    first.history.append(stream('gate', [second(HOUR, 60)]));
    await first.history.close();
    const { history } = await opened(t, path);
    t.strictSame(await rowsOf(history, { unitId: 'roof', over: day, percentiles: [10], counts: true }), before);
    t.equal(before[0]?.measured, 3_600);
    t.strictSame(await history.units(), ['gate', 'roof'], 'the row that waited at the close is there');
  },
);

t.test(
  'a copy of the files at any moment is a history with all that was flushed: so is what a kill leaves',
  async (t) => {
    const folder = t.testdir();
    const path = join(folder, 'history.db');
    const { history, clock } = await opened(t, path);
    history.append(stream('roof', hour(HOUR)));
    history.append(stream('roof', hour(HOUR + 7_200)));
    await history.flush();
    await clock.advance(5_000);
    await history.units();
    history.append(stream('roof', [second(HOUR + 3_700, 60)]));
    await history.flush();
    await history.remove('roof', HOUR + 600, HOUR + 1_200);
    const doubt = { unitId: 'roof', source: 'stream', weighting: AF, flag: 'weighting' } as const;
    t.equal(await history.doubt({ ...doubt, from: HOUR + 3_000, to: HOUR + 7_260 }), 661);
    const stated = { unitId: 'roof', weighting: CF, from: HOUR + 3_400, to: HOUR + 7_230 };
    t.match(await history.restate(stated), { moved: 200 + 1 + 30 });
    for (const end of ['', '-wal']) if (existsSync(path + end)) copyFileSync(path + end, join(folder, `copy.db${end}`));
    const copy = await opened(t, join(folder, 'copy.db'));
    const rows = await rowsOf(copy.history, { unitId: 'roof', over: day, weighting: AF });
    t.strictSame(
      rows.slice(0, 3).map(({ measured }) => measured),
      [2_800, 0, 3_570],
    );
    t.strictSame(
      rows.slice(0, 3).map(({ flagged }) => flagged.weighting),
      [400, 0, 30],
    );
    const moved = await rowsOf(copy.history, { unitId: 'roof', over: day, weighting: CF });
    t.strictSame(
      moved.slice(0, 3).map(({ measured }) => measured),
      [200, 1, 30],
    );
    t.strictSame(rows, await rowsOf(history, { unitId: 'roof', over: day, weighting: AF }));
  },
);

t.test(
  'a full file stops recording with a clear state, loses what finds no room and says so; it goes on when there is room',
  async (t) => {
    const path = join(t.testdir(), 'history.db');
    const { history, clock } = await opened(t, path, { maxBytes: 300_000, mostWaiting: 5_000 });
    const states: string[] = [];
    history.onState(({ state }) => states.push(state));
    let from = HOUR - 90 * 3_600;
    let taken = 0;
    for (; history.status.state === 'recording' && taken < 400_000; from += 3_600) {
      taken += history.append(stream('roof', hour(from))).taken;
      await history.flush().catch(() => {});
      await clock.advance(6_000);
      await history.units();
    }
    t.match(history.status, { state: 'full', reason: /full/ });
    const { taken: some, lost } = history.append(stream('roof', hour(from)));
    t.equal(some + lost, 3_600);
    history.append(stream('roof', hour(from + 3_600)));
    t.ok(history.status.waiting <= 5_000);
    t.ok(history.status.lost > 0);
    // The regular work may have made a little room meanwhile.
    const refused = async () => {
      for (;;) {
        await history.flush();
        from += 3_600;
        history.append(stream('roof', hour(from)));
      }
    };
    await t.rejects(refused(), /full/);
    t.ok((await rowsOf(history, { unitId: 'roof', over: day })).length > 0, 'questions are still answered');
    await history.remove('roof', HOUR - 90 * 3_600, HOUR - 40 * 3_600);
    while (history.status.state !== 'recording') {
      await clock.advance(5_000);
      await history.units();
    }
    t.match(history.status, { state: 'recording', reason: null });
    t.strictSame([states[0], states.at(-1)], ['full', 'recording']);
    t.ok(statSync(path).size <= 300_000);
  },
);

t.test('nothing is recorded while the disk has less room than is to be kept free', async (t) => {
  const { history } = await opened(t, join(t.testdir(), 'history.db'), { minFreeBytes: 1e18 });
  history.append(stream('roof', [second(HOUR, 60)]));
  const full = { code: 'STORAGE_FULL', message: /MB of the disk are free/ };
  await t.rejects(history.flush(), full);
  // A reader of all rows waits for the newest rows first, and gets the same error.
  const all = history.lines({ unitId: 'roof', kind: 'seconds', from: HOUR, to: HOUR + 3_600 });
  await t.rejects(all[Symbol.asyncIterator]().next(), full);
  t.match(history.status, { state: 'full', waiting: 1 });
});

t.test('a closed history stays closed, also when its last rows found no room', async (t) => {
  const { history, clock } = await opened(t, join(t.testdir(), 'history.db'), { minFreeBytes: 1e18 });
  history.append(stream('roof', [second(HOUR, 60)]));
  await history.close();
  t.equal(clock.pending, 0, 'nothing is tried again');
  await clock.advance(60_000);
  await history.close();
  t.match(history.status, { state: 'closed', lost: 1 });
  t.strictSame(history.append(stream('roof', [second(HOUR, 60)])), { taken: 0, lost: 1 }, 'later rows are lost');
  await t.rejects(history.query({ unitId: 'roof', over: day }), { code: 'STOPPING' });
});

t.test('answers that nobody takes are dropped before an answer that is being read', async (t) => {
  const { history } = await opened(t, join(t.testdir(), 'history.db'));
  history.append(stream('roof', hour(HOUR)));
  const over = { from: HOUR, to: HOUR + 3_600, step: 1 };
  const read = (await history.query({ unitId: 'roof', over })).rows[Symbol.asyncIterator]();
  let rows = 0;
  for (let page = await read.next(); !page.done; page = await read.next()) {
    rows += page.value.length;
    for (let left = 0; left < 100; left++) await history.query({ unitId: 'roof', over });
  }
  t.equal(rows, 3_600);
});

t.test('a file that is used, damaged or no database has its own error, and is not changed', async (t) => {
  const folder = t.testdir({ 'text.db': 'this is no database, but a text of some length'.repeat(50) });
  await opened(t, join(folder, 'history.db'));
  const problemOf = (path: string) =>
    openHistory({ path, clock: new VirtualClock(), log: createLog('silent') }).then(
      () => 'none',
      (error: unknown) => (error instanceof HistoryError ? error.problem : String(error)),
    );
  t.equal(await problemOf(join(folder, 'history.db')), 'in-use');
  t.equal(await problemOf(join(folder, 'text.db')), 'corrupt');
  writeFileSync(join(folder, 'file'), '');
  t.equal(await problemOf(join(folder, 'file', 'history.db')), 'folder');
});

t.test('while a history of this process still closes, the next one waits for it, and has its levels', async (t) => {
  const path = join(t.testdir(), 'history.db');
  const { history: first } = await opened(t, path);
  first.append(stream('roof', hour(HOUR)));
  await first.flush();
  const closing = first.close();
  const { history } = await opened(t, path);
  await closing;
  t.equal((await rowsOf(history, { unitId: 'roof', over: day }))[0]?.measured, 3_600);
});

t.test('the files are for their owner alone', async (t) => {
  const path = join(t.testdir(), 'new', 'history.db');
  const { history } = await opened(t, path);
  await history.units();
  for (const end of ['', '-wal', '-shm', '.lock']) t.equal(statSync(path + end).mode & 0o077, 0, end);
});

t.test('a thousand years in one row, and a million empty rows, hold up nobody', async (t) => {
  const { history } = await opened(t, join(t.testdir(), 'history.db'));
  history.append(stream('roof', [second(HOUR, 60)]));
  await history.flush();
  const thousand = { from: 0, to: 31_557_600_000 };
  const [row] = await rowsOf(history, { unitId: 'roof', over: { ranges: [thousand] } });
  t.match(row, { ...thousand, measured: 1, leq: 60 });
  const leaving = new AbortController();
  const asked = history.query({ unitId: 'roof', over: { from: 0, to: 1_000_000, step: 1 } }, leaving.signal);
  const { rows } = await asked;
  const [first] = await Promise.all([rows[Symbol.asyncIterator]().next(), history.units()]);
  t.ok((first.value?.length ?? 0) < 10_000);
});

t.test(
  'an unused history makes no tables and opens no file; old rows of earlier records are still removed',
  async (t) => {
    const path = join(t.testdir(), 'history.db');
    const isOpen = () => existsSync(`${path}-wal`);
    const unused = await opened(t, path);
    await unused.clock.advance(2 * 3_600_000);
    await unused.history.close();
    t.equal(statSync(path).size, 0);
    const used = await opened(t, path);
    used.history.append(stream('roof', [second(HOUR - 10 * 86_400, 60)]));
    await used.history.flush();
    await used.history.close();
    const again = await opened(t, path, { retention: { secondsDays: 1, minutesDays: 1 } });
    await again.clock.advance(60_000);
    t.notOk(isOpen());
    await again.clock.advance(3_600_000);
    // The answer comes after what was asked for before.
    await again.history.bytes();
    await again.clock.advance(5_000);
    t.strictSame(await again.history.units(), [], 'a row of long ago is gone');
  },
);

t.test('while tables cannot be made, each question fails; they are made when that is possible', async (t) => {
  const path = join(t.testdir(), 'history.db');
  const { history } = await opened(t, path);
  const other = new Database(path);
  other.exec('create table history_series (id integer)');
  t.teardown(() => other.close());
  history.append(stream('roof', [second(HOUR, 60)]));
  await t.rejects(history.flush(), /history_series/);
  t.match(history.status, { state: 'failing', waiting: 1 });
  await t.rejects(history.units(), { code: 'STORAGE_FAILED' });
  other.exec('drop table history_series');
  t.strictSame(await history.units(), []);
  await history.flush();
  t.match(history.status, { state: 'recording', lost: 0 });
});
