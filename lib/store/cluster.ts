/** What several instances of a gateway have together on one PostgreSQL, and what one of them has in its data folder. */

import { join } from 'node:path';
import type { DeclaredUnit, SharedClusterStore } from '../cluster/contract.ts';
import type { DatabaseAddress } from '../domain/database-address.ts';
import { useFolder } from './folder.ts';
import { takeLock } from './lock.ts';
import { PostgresClusterStore } from './postgres/cluster-store.ts';
import { ownIdentity } from './postgres/identity.ts';
import { openingError } from './postgres/problems.ts';
import { StoreError } from './problem.ts';

/** The seat of one instance. */
export interface OpenCluster {
  readonly store: SharedClusterStore;
  /** Rejects with StoreError: why the database cannot be used. */
  answers(signal: AbortSignal): Promise<void>;
  /** Of this instance, for ever. */
  readonly id: string;
  /** Lets another process use the data folder. */
  release(): void;
}

/** Throws StoreError: `folder`, `in-use` where another instance runs in this folder, `refused`. Connects later. */
export async function openCluster(
  address: DatabaseAddress,
  dataDir: string,
  units: readonly DeclaredUnit[],
): Promise<OpenCluster> {
  await useFolder(dataDir);
  const lock = locked(dataDir);
  try {
    const { member } = await ownIdentity(dataDir);
    const store = new PostgresClusterStore(address, units);
    const answers = (signal: AbortSignal) =>
      store.secret(signal).then(
        () => {},
        (error) => {
          throw openingError(error, address);
        },
      );
    return { store, id: member, answers, release: () => lock.release() };
  } catch (error) {
    lock.release();
    throw error;
  }
}

function locked(dataDir: string) {
  try {
    return takeLock(join(dataDir, 'instance.lock'));
  } catch (error) {
    throw new StoreError(
      'in-use',
      `the data folder ${dataDir} is in use by another instance: give each one its own`,
      error,
    );
  }
}
