/** Two instances on a store of the cluster in memory. */
import t from 'tap';
import { memoryDatabase } from './support/memory-database.ts';
import { pairKeepsPromises } from './support/pair.ts';
import { instancesAreRemoved } from './support/removal.ts';

t.test('instances on a store in memory keep their promises', (t) => pairKeepsPromises(t, memoryDatabase));

t.test('and are removed when they are gone for good', (t) => instancesAreRemoved(t, memoryDatabase));
