/** Whole units go from SQLite to PostgreSQL and back: by a file that is the same from both, and by a copy of everything. */
import { join } from 'node:path';
import { Readable } from 'node:stream';
import t from 'tap';
import type { History } from '../../lib/history/contract.ts';
import { openHistory } from '../../lib/history/index.ts';
import { openSharedStore } from '../../lib/history/postgres/shared-units.ts';
import { openFileStore } from '../../lib/history/sqlite/file-units.ts';
import type { UnitStore } from '../../lib/history/stored/source.ts';
import { copyStore } from '../../lib/history/stored/store-copy.ts';
import { WholeUnits } from '../../lib/history/stored/whole-units.ts';
import { createLog } from '../../lib/log.ts';
import { VirtualClock } from '../../simulator/clock.ts';
import { AF, CF, HOUR, interval, reading, second, stream } from '../contract/history/rows.ts';
import { freshDatabase, inDatabase } from '../support/postgres.ts';

/** Everything that a history may have: two sources and weightings, readings, intervals, imports, flags, samples, hours of two months. */
async function fill(history: History): Promise<void> {
  const seconds = Array.from({ length: 4_000 }, (_, index) =>
    second(HOUR + index, 50 + (index % 30), { flags: { over: index % 100 === 0 }, lp: [50, 51, 52] }),
  );
  history.append(stream('roof', seconds));
  history.append(stream('roof', [second(HOUR + 45 * 86_400, 80)]));
  history.append(stream('roof', [second(HOUR + 100, 80)], CF));
  history.append({ unitId: 'roof', source: 'poll', weighting: AF, seconds: [reading(HOUR + 9_000, 50)] });
  history.append({
    unitId: 'roof',
    source: 'card',
    weighting: AF,
    intervals: [interval(HOUR + 7_200, 900, 55, { ln: { 10: 60 } }), interval(HOUR + 8_100, 900, 56)],
  });
  history.append(stream('yard', [second(HOUR, 40)]));
  await history.flush();
  async function* rows() {
    yield [interval(HOUR + 20_000, 3_600, 61.5, { line: 2 })];
  }
  await history.import({ unitId: 'roof', weighting: AF }, rows());
  await history.doubt({
    unitId: 'roof',
    source: 'stream',
    weighting: AF,
    from: HOUR,
    to: HOUR + 60,
    flag: 'weighting',
  });
}

async function fileWith(folder: string, database?: string): Promise<string> {
  const path = join(folder, database ? 'carried.db' : 'history.db');
  const history = await openHistory({ path, clock: new VirtualClock(), log: createLog('silent'), database });
  await fill(history);
  await history.close();
  return path;
}

const linesOf = async (store: UnitStore, unitId = 'roof'): Promise<string[]> =>
  Readable.from(new WholeUnits(store).lines(unitId)).toArray();

async function closing<T>(opened: Promise<UnitStore>, use: (store: UnitStore) => Promise<T>): Promise<T> {
  const store = await opened;
  try {
    return await use(store);
  } finally {
    await store.close();
  }
}

t.test('the file of a unit is the same, byte for byte, from both stores', async (t) => {
  const folder = t.testdir();
  const file = await closing(openFileStore(await fileWith(folder)), linesOf);
  t.ok(file.length > 5);
  const database = await freshDatabase(t);
  const path = await fileWith(folder, database);
  t.strictSame(await closing(openSharedStore(database, path), linesOf), file, 'recorded there, and not carried yet');
  t.strictSame(await closing(openSharedStore(database, path), linesOf), file, 'carried');
  const other = await freshDatabase(t);
  const none = join(folder, 'none.db');
  async function* lines() {
    for (const line of file) yield line.trimEnd();
  }
  await closing(openSharedStore(other, none), async (store) => {
    t.match(await new WholeUnits(store).take(lines), { unitId: 'roof', hours: 5, intervals: 3 });
    t.strictSame(await linesOf(store), file, 'taken from the file');
    await t.rejects(new WholeUnits(store).take(lines), /already has .*: nothing was written/);
    t.strictSame(await linesOf(store), file);
  });
});

t.test('a data folder is copied into a database and back, and both are compared', async (t) => {
  const folder = t.testdir();
  const path = await fileWith(folder);
  const database = await freshDatabase(t);
  const none = join(folder, 'none.db');
  const back = join(folder, 'back.db');
  const [roof, yard] = await closing(openFileStore(path), async (from) => {
    const done = await closing(openSharedStore(database, none), (into) => copyStore(from, into));
    t.strictSame(done, { units: 2, hours: 6, intervals: 3 });
    return [await linesOf(from), await linesOf(from, 'yard')];
  });
  await closing(openSharedStore(database, none), async (from) => {
    await closing(openFileStore(back), (into) => copyStore(from, into));
    t.strictSame(await linesOf(from), roof);
  });
  await closing(openFileStore(back), async (store) => {
    t.strictSame([await linesOf(store), await linesOf(store, 'yard')], [roof, yard]);
    await closing(openSharedStore(database), async (into) =>
      t.match(await copyStore(store, into), { units: 0 }, 'what is there already is not copied again'),
    );
    await inDatabase(database, 'update history_hour set leq = leq + 1');
    await closing(openSharedStore(database), (into) =>
      t.rejects(copyStore(store, into), /other levels of roof already: nothing was copied/),
    );
  });
});

t.test('a copy that is not the same is noticed', async (t) => {
  const folder = t.testdir();
  const path = await fileWith(folder);
  const database = await freshDatabase(t);
  const none = join(folder, 'none.db');
  await closing(openSharedStore(database, none), async () => {});
  await inDatabase(
    database,
    `create function less() returns trigger language plpgsql as 'begin new.leq = new.leq - 1; return new; end'`,
  );
  await inDatabase(
    database,
    'create trigger less before insert on history_interval for each row execute function less()',
  );
  await closing(openFileStore(path), (from) =>
    closing(openSharedStore(database, none), (into) => t.rejects(copyStore(from, into), /the copy of roof differs/)),
  );
});

t.test('a backup has the rows of the database and those that are still here, and keeps no lock', async (t) => {
  const folder = t.testdir();
  const file = await closing(openFileStore(await fileWith(folder)), linesOf);
  const database = await freshDatabase(t);
  await closing(openSharedStore(database, await fileWith(folder, database)), async () => {});
  const clock = new VirtualClock();
  const path = join(folder, 'carried.db');
  const history = await openHistory({ path, clock, log: createLog('silent'), database });
  t.teardown(() => history.close());
  history.append(stream('roof', [second(HOUR + 4_000, 70)]));
  const backup = join(folder, 'backup.db');
  await history.backup(backup);
  await closing(openFileStore(backup), async (store) => {
    const lines = await linesOf(store);
    const seconds = (all: readonly string[]) => all.flatMap((line) => JSON.parse(line).seconds ?? []).length;
    t.equal(seconds(lines), seconds(file) + 1);
    t.equal(lines.length, file.length);
    t.strictSame(await linesOf(store, 'yard').then(seconds), 1);
  });
});
