/** A store of the cluster in memory for the instances of a test; their gateways have one SQLite database, one after the other. */
import { join } from 'node:path';
import { LEASED } from '../../../lib/app/instance.ts';
import type { ClusterRequest, SharedClusterStore } from '../../../lib/cluster/contract.ts';
import { placesIn } from '../../support/empty-data.ts';
import { MemoryClusterStore, MemoryFiles } from './memory-store.ts';
import type { SharedDatabase } from './pair.ts';

export async function memoryDatabase(): Promise<SharedDatabase> {
  const kept = new MemoryClusterStore(LEASED.map((unit) => ({ ...unit, pinned: undefined })));
  const files = new MemoryFiles();
  const listeners = new Set<() => void>();
  const store = (): SharedClusterStore => ({
    async ask(request: ClusterRequest, signal: AbortSignal) {
      const answer = await kept.ask(request, signal);
      const hasChanged =
        request.kind === 'beat' && (request.state === 'gone' || request.release.length + request.claim.length > 0);
      if (hasChanged) for (const tell of listeners) tell();
      return answer;
    },
    remove: (seen, signal) => kept.remove(seen, signal),
    members: async () => kept.members,
    secret: async () => Buffer.alloc(32, 5),
    versions: () => files.versions(),
    read: (name) => files.read(name),
    write: (file) => files.write(file),
    onChange: (listener) => void listeners.add(listener),
    close: async () => {},
  });
  return { store, settings: (folder) => placesIn(join(folder, 'shared')), stepMs: 100 };
}
