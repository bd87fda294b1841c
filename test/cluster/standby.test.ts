/** An active instance and a standby, with the lease in memory; their gateways have one SQLite database, one after the other. */
import { join } from 'node:path';
import t from 'tap';
import { placesIn } from '../support/empty-data.ts';
import { MemoryFiles, MemoryLease, MemoryLeaseStore } from './support/memory-store.ts';
import { type SharedDatabase, standbyTakesOver } from './support/pair.ts';

t.test('a standby takes over, with the lease in memory', (t) =>
  standbyTakesOver(t, async (): Promise<SharedDatabase> => {
    const lease = new MemoryLease();
    const files = new MemoryFiles();
    const store = () => {
      const own = new MemoryLeaseStore(lease, () => 0);
      return {
        ask: own.ask.bind(own),
        look: own.look.bind(own),
        remove: own.remove.bind(own),
        onChange: own.onChange.bind(own),
        close: own.close.bind(own),
        versions: files.versions,
        read: files.read,
        write: (file: Parameters<MemoryFiles['write']>[0]) => files.write(file),
      };
    };
    return { store, settings: (folder) => placesIn(join(folder, 'shared')), stepMs: 100 };
  }),
);
