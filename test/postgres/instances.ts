/** An active instance and a standby on one PostgreSQL, each with a data folder of its own. */
import t from 'tap';
import { databaseAddress } from '../../lib/domain/database-address.ts';
import { PostgresLeaseStore } from '../../lib/store/postgres/lease-store.ts';
import { standbyTakesOver } from '../cluster/support/pair.ts';
import { freshDatabase } from '../support/postgres.ts';

t.test('a standby takes over, on PostgreSQL', (t) =>
  standbyTakesOver(t, async (t) => {
    const url = await freshDatabase(t);
    return {
      store: () => new PostgresLeaseStore(databaseAddress(url)),
      settings: () => ({ database_url: url }),
      stepMs: 10,
    };
  }),
);
