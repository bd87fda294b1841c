import t from 'tap';
import { SNAPSHOT_FIELDS } from '../../lib/domain/fields/snapshot.ts';
import { openDatabase } from '../../lib/store/orm.ts';
import { Snapshots } from '../../lib/store/snapshots.ts';
import { config, folder, until } from './setup.ts';

t.test('a unit without values has a snapshot of nulls, and only those fields', async (t) => {
  const { open } = folder(t);
  const store = await open();
  const none = store.snapshots.get('nobody');
  t.strictSame(Object.keys(none), Object.keys(SNAPSHOT_FIELDS));
  t.ok(Object.values(none).every((value) => value === null));
});

t.test('values merge at once in memory and survive a restart in their own types', async (t) => {
  const { open } = folder(t);
  const store = await open();
  await store.configs.change('roof', () => config('roof'));
  store.snapshots.record('roof', { lp: '51.2', leq: '49.8', measurementState: 'Measure', overRange: true });
  store.snapshots.record('roof', {
    lp: '52.0',
    leq: null,
    underRange: false,
    measurementStartTime: 1_766_500_000_000,
    lastSeen: 1_766_500_060_123,
    powerSource: 'USB',
  });
  const before = store.snapshots.get('roof');
  t.match(before, { lp: '52.0', leq: null, measurementState: 'Measure', overRange: true, underRange: false });
  await store.close();
  t.strictSame((await open()).snapshots.get('roof'), before);
});

t.test('each group of values has the moment it was measured, also after a restart', async (t) => {
  const { open, clock } = folder(t);
  const store = await open();
  await store.configs.change('roof', () => config('roof'));
  store.snapshots.record('roof', { lp: '51.2', leq: '49.8', lastSeen: 1_000 });
  store.snapshots.record('roof', { lp: '52.0', lastSeen: 2_000 });
  store.snapshots.record('roof', { batteryLevel: '100', batteryState: 'Full' });
  store.snapshots.record('roof', { sdRemainingMb: '7', cardAt: 500 });
  const moments = { lpAt: 2_000, levelsAt: 1_000, batteryAt: clock.now(), cardAt: 500, stateAt: null, powerAt: null };
  t.match(store.snapshots.get('roof'), { ...moments, lastSeen: 2_000 });
  await store.close();
  t.match((await open()).snapshots.get('roof'), moments);
});

t.test('values for a unit without a config are ignored', async (t) => {
  const { open } = folder(t);
  const store = await open();
  store.snapshots.record('ghost', { lp: '50.0' });
  t.equal(store.snapshots.get('ghost').lp, null);
  await store.configs.change('ghost', () => config('ghost'));
  await store.close();
  t.equal((await open()).snapshots.get('ghost').lp, null);
});

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
    knows: () => true,
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
    knows: () => true,
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

t.test('what is due is written at closing, without waiting for the second to pass', async (t) => {
  const { open } = folder(t);
  const store = await open();
  await store.configs.change('roof', () => config('roof'));
  store.snapshots.record('roof', { lastSeen: 5 });
  await store.close();
  store.snapshots.record('roof', { lastSeen: 6 });
  t.equal((await open()).snapshots.get('roof').lastSeen, 5);
});
