/** Instances on a store of the cluster in memory that share their meters out. */
import t from 'tap';
import { memoryDatabase } from './support/memory-database.ts';
import { openSharing, sharingKeepsPromises } from './support/sharing.ts';

t.test('instances on a store in memory share meters out', (t) => sharingKeepsPromises(t, memoryDatabase));

t.test('while nobody reaches the database each meter stays where it is, by the promises of all', async (t) => {
  const names = ['one', 'two', 'three'];
  const { instances, first, atRest, pass, unitsOf, meters } = await openSharing(t, memoryDatabase, names, 4, {
    history: 'stream',
  });
  await atRest();
  const ends = () => meters.map(({ log }) => log.events.filter(({ kind }) => kind === 'disconnect').length);
  const before = ends();
  for (const { store } of instances) store.isAway = true;
  await pass(120_000, { stepMs: 100 });
  t.strictSame(await unitsOf(first.base), [200, 200, 200, 200]);
  for (const { store } of instances) store.isAway = false;
  await pass(20_000, { stepMs: 100 });
  t.strictSame(await unitsOf(first.base), [200, 200, 200, 200]);
  t.strictSame(ends(), before, 'no meter noticed anything');
});
