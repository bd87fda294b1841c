/** Two instances on one PostgreSQL, each with a data folder of its own. */
import t, { type Test } from 'tap';
import { LEASED } from '../../lib/app/instance.ts';
import { databaseAddress } from '../../lib/domain/database-address.ts';
import { PostgresClusterStore } from '../../lib/store/postgres/cluster-store.ts';
import { placesAreFreed } from '../cluster/support/freed.ts';
import { pairKeepsPromises, type SharedDatabase } from '../cluster/support/pair.ts';
import { instancesAreRemoved } from '../cluster/support/removal.ts';
import { copiesOfComputersEnd } from '../cluster/support/replaced.ts';
import { metersAreGivenAway } from '../cluster/support/sharing.ts';
import { instancesTellTroubles } from '../cluster/support/telling.ts';
import { freshDatabase } from '../support/postgres.ts';

const open = async (t: Test): Promise<SharedDatabase> => {
  const url = await freshDatabase(t);
  return {
    store: () => new PostgresClusterStore(databaseAddress(url), LEASED),
    settings: () => ({ database_url: url }),
    stepMs: 10,
  };
};

t.test('instances on PostgreSQL keep their promises', (t) => pairKeepsPromises(t, open));

t.test('and are removed when they are gone for good', (t) => instancesAreRemoved(t, open));

t.test('and give meters that they share out to each other', (t) => metersAreGivenAway(t, open));
t.test('and tell what is wrong with their computers', (t) => instancesTellTroubles(t, open));

t.test('a meter that did not hear of the end of a connection', (t) => placesAreFreed(t, open));

t.test('and end where their computer was copied', (t) => copiesOfComputersEnd(t, open));
