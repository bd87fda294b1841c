/** Two instances on a store of the cluster in memory. */
import t from 'tap';
import { placesAreFreed } from './support/freed.ts';
import { memoryDatabase } from './support/memory-database.ts';
import { pairKeepsPromises } from './support/pair.ts';
import { instancesAreRemoved } from './support/removal.ts';
import { copiesOfComputersEnd } from './support/replaced.ts';
import { instancesTellTroubles } from './support/telling.ts';

t.test('instances on a store in memory keep their promises', (t) => pairKeepsPromises(t, memoryDatabase));

t.test('and are removed when they are gone for good', (t) => instancesAreRemoved(t, memoryDatabase));

t.test('and tell what is wrong with their computers', (t) => instancesTellTroubles(t, memoryDatabase));

t.test('a meter that did not hear of the end of a connection', (t) => placesAreFreed(t, memoryDatabase));

t.test('and end where their computer was copied', (t) => copiesOfComputersEnd(t, memoryDatabase));
