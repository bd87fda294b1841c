/** An active instance and a standby, with the lease in memory; their gateways have one SQLite database, one after the other. */
import { join } from 'node:path';
import t from 'tap';
import { placesIn } from '../support/empty-data.ts';
import { MemoryLease, MemoryLeaseStore } from './support/memory-store.ts';
import { type SharedDatabase, standbyTakesOver } from './support/pair.ts';

t.test('a standby takes over, with the lease in memory', (t) =>
  standbyTakesOver(t, async (): Promise<SharedDatabase> => {
    const lease = new MemoryLease();
    const store = () => new MemoryLeaseStore(lease, () => 0);
    return { store, settings: (folder) => placesIn(join(folder, 'shared')), stepMs: 100 };
  }),
);
