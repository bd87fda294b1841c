import t from 'tap';
import { Snapshots } from '../../lib/store/snapshots.ts';
import { openDatabase } from '../../lib/store/sqlite.ts';
import { folder, until } from './setup.ts';

t.test('many records become one write a second', async (t) => {
  const { open, dataDir, clock, log } = folder(t);
  await (await open()).close();
  const database = await openDatabase(dataDir, { clock, log });
  t.teardown(() => database.close());
  const writes: number[] = [];
  const snapshots = new Snapshots({
    database: {
      ...database,
      putSnapshots: (take) =>
        database.putSnapshots(() => {
          const rows = take();
          writes.push(rows.length);
          return rows;
        }),
    },
    clock,
    log,
    configs: { get: () => ({}) },
  });
  for (let i = 0; i < 600; i += 1) snapshots.record(`unit-${i}`, { lp: '50.0' });
  for (let i = 0; i < 600; i += 1) snapshots.record(`unit-${i}`, { lp: '51.0' });
  await clock.advance(999);
  t.same(writes, [], 'not before a second is over');
  await clock.advance(1);
  await until(() => writes.length > 0);
  t.same(writes, [600]);
  await snapshots.close();
  const rows = await database.snapshots();
  t.equal(rows.length, 600);
  t.ok(rows.every(({ lp }) => lp === '51.0'));
});

t.test('a failing write is logged and tried again, ever more slowly, until it succeeds', async (t) => {
  const { open, dataDir, clock, log, lines } = folder(t);
  await (await open()).close();
  const database = await openDatabase(dataDir, { clock, log });
  t.teardown(() => database.close());
  let tries = 0;
  const snapshots = new Snapshots({
    database: {
      ...database,
      async putSnapshots(take) {
        tries += 1;
        if (tries > 2) return database.putSnapshots(take);
        take();
        throw new Error('disk full');
      },
    },
    clock,
    log,
    configs: { get: () => ({}) },
  });
  snapshots.record('roof', { lp: '50.0' });
  await clock.advance(1_000);
  await until(() => lines.length === 1);
  t.match(lines[0], 'disk full');
  snapshots.record('roof', { leq: '48.0' });
  await clock.advance(2_000);
  await until(() => lines.length === 2);
  t.equal(tries, 2);
  await clock.advance(3_999);
  t.equal(tries, 2, 'the third try comes after four seconds');
  await clock.advance(1);
  await until(() => tries === 3);
  await snapshots.close();
  t.match(await database.snapshots(), [{ unitId: 'roof', lp: '50.0', leq: '48.0' }]);
});
