/** The store of the model keeps the contract that the model relies on. */
import t from 'tap';
import { MemoryClusterStore } from './support/memory-store.ts';
import { storeKeepsContract } from './support/store-contract.ts';

t.test('the store in memory keeps the contract of a cluster', (t) =>
  storeKeepsContract(t, async (units) => {
    const store = new MemoryClusterStore(units.map((unit) => ({ unit, site: 'x' })));
    return { store, failOver: async () => store.failOver() };
  }),
);
