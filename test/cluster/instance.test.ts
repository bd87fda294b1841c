/** Two instances on a store of the cluster in memory; their gateways have one SQLite database, one after the other. */
import { join } from 'node:path';
import t from 'tap';
import { LEASED } from '../../lib/app/instance.ts';
import type { ClusterRequest, SharedClusterStore } from '../../lib/cluster/contract.ts';
import { placesIn } from '../support/empty-data.ts';
import { placesAreFreed } from './support/freed.ts';
import { MemoryClusterStore, MemoryFiles } from './support/memory-store.ts';
import { pairKeepsPromises, type SharedDatabase } from './support/pair.ts';
import { instancesAreRemoved } from './support/removal.ts';
import { instancesTellTroubles } from './support/telling.ts';

const open = async (): Promise<SharedDatabase> => {
  const kept = new MemoryClusterStore(LEASED.map((unit) => ({ ...unit, pinned: undefined })));
  const files = new MemoryFiles();
  const left = new Set<() => void>();
  const store = (): SharedClusterStore => ({
    async ask(request: ClusterRequest, signal: AbortSignal) {
      const answer = await kept.ask(request, signal);
      if (request.kind === 'beat' && request.state === 'gone') for (const tell of left) tell();
      return answer;
    },
    remove: (seen, signal) => kept.remove(seen, signal),
    members: async () => kept.members,
    secret: async () => Buffer.alloc(32, 5),
    versions: () => files.versions(),
    read: (name) => files.read(name),
    write: (file) => files.write(file),
    onLeft: (listener) => void left.add(listener),
    close: async () => {},
  });
  return { store, settings: (folder) => placesIn(join(folder, 'shared')), stepMs: 100 };
};

t.test('instances on a store in memory keep their promises', (t) => pairKeepsPromises(t, open));

t.test('and are removed when they are gone for good', (t) => instancesAreRemoved(t, open));

t.test('and tell what is wrong with their computers', (t) => instancesTellTroubles(t, open));

t.test('a meter that did not hear of the end of a connection', (t) => placesAreFreed(t, open));
