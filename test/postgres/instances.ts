/** Two instances on one PostgreSQL, each with a data folder of its own. */
import t from 'tap';
import { LEASED } from '../../lib/app/instance.ts';
import { databaseAddress } from '../../lib/domain/database-address.ts';
import { PostgresClusterStore } from '../../lib/store/postgres/cluster-store.ts';
import { pairKeepsPromises } from '../cluster/support/pair.ts';
import { freshDatabase } from '../support/postgres.ts';

t.test('instances on PostgreSQL keep their promises', (t) =>
  pairKeepsPromises(t, async (t) => {
    const url = await freshDatabase(t);
    return {
      store: () => new PostgresClusterStore(databaseAddress(url), LEASED),
      settings: () => ({ database_url: url }),
      stepMs: 2,
    };
  }),
);
