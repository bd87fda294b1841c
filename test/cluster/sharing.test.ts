/** Instances on a store of the cluster in memory that share their meters out. */
import t from 'tap';
import { memoryDatabase } from './support/memory-database.ts';
import { sharingKeepsPromises } from './support/sharing.ts';

t.test('instances on a store in memory share meters out', (t) => sharingKeepsPromises(t, memoryDatabase));
