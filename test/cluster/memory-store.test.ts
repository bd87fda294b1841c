/** The store of the model keeps the contract that the model relies on. */
import t from 'tap';
import { MemoryClusterStore } from './support/memory-store.ts';
import { storeKeepsContract } from './support/store-contract.ts';

const unit = (name: string) => ({ unit: name, site: 'x', pinned: undefined });

t.test('the store in memory keeps the contract of a cluster', (t) =>
  storeKeepsContract(t, async () => new MemoryClusterStore([unit('1'), unit('2')])),
);
