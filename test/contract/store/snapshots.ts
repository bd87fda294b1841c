/** Promises of every store about last values. */
import type { Test } from 'tap';
import { SNAPSHOT_FIELDS } from '../../../lib/domain/fields/snapshot.ts';
import { config } from '../../store/setup.ts';
import type { PlaceOf } from './index.ts';

export function snapshotContract(t: Test, place: PlaceOf): void {
  t.test('a unit without values has a snapshot of nulls, and only those fields', async (t) => {
    const { open } = place(t);
    const store = await open();
    const none = store.snapshots.get('nobody');
    t.strictSame(Object.keys(none), Object.keys(SNAPSHOT_FIELDS));
    t.ok(Object.values(none).every((value) => value === null));
  });

  t.test('values merge at once in memory and survive a restart in their own types', async (t) => {
    const { open } = place(t);
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
    const { open, clock } = place(t);
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
    const { open } = place(t);
    const store = await open();
    store.snapshots.record('ghost', { lp: '50.0' });
    t.equal(store.snapshots.get('ghost').lp, null);
    await store.configs.change('ghost', () => config('ghost'));
    await store.close();
    t.equal((await open()).snapshots.get('ghost').lp, null);
  });

  t.test('waiting values are written at closing, without the rest of the second', async (t) => {
    const { open } = place(t);
    const store = await open();
    await store.configs.change('roof', () => config('roof'));
    store.snapshots.record('roof', { lastSeen: 5 });
    await store.close();
    store.snapshots.record('roof', { lastSeen: 6 });
    t.equal((await open()).snapshots.get('roof').lastSeen, 5);
  });
}
