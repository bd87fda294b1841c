/** Shared data of several instances on one PostgreSQL, and the data of one instance in its data folder. */
import { join, resolve } from 'node:path';
import type { LeaseStore } from '../cluster/contract.ts';
import { type DatabaseAddress, databaseWords } from '../domain/database-address.ts';
import { takeLock, useFolder } from './lock.ts';
import { PostgresLeaseStore } from './postgres/lease-store.ts';
import { openingError } from './postgres/problems.ts';
import { type InstanceIdentity, lookAtDatabase, ownIdentity, refuseOther } from './postgres/usable.ts';
import { StoreError } from './problem.ts';
import { type KeySource, refuseOtherKey, serverPlace } from './sealer.ts';

interface OpenCluster {
  readonly store: LeaseStore;
  /** Rejects with StoreError if this instance could not take over the database as it is. */
  answers(signal: AbortSignal): Promise<void>;
  readonly id: string;
  /** Lets another process use the data folder. */
  release(): void;
}

/**
 * Throws StoreError: `folder`, `in-use` if another instance runs in this folder, `refused`. Connects later.
 * `historyTables`: as in `lookAtDatabase`.
 */
export async function openCluster(
  address: DatabaseAddress,
  source: KeySource,
  historyTables: number,
): Promise<OpenCluster> {
  const dataDir = resolve(source.dataDir);
  await useFolder(dataDir);
  const lock = locked(dataDir);
  try {
    const identity = await ownIdentity(dataDir);
    const store = new PostgresLeaseStore(address);
    const answers = async (signal: AbortSignal) => {
      try {
        await refuseUseless(address, { ...source, dataDir, historyTables }, identity, signal);
        await store.look(signal);
      } catch (error) {
        throw openingError(error, address);
      }
    };
    return { store, id: identity.member, answers, release: () => lock.release() };
  } catch (error) {
    lock.release();
    throw error;
  }
}

/** An instance with another key, or with the data folder of another database, could wait but not take over. */
async function refuseUseless(
  address: DatabaseAddress,
  source: KeySource & { readonly historyTables: number },
  identity: InstanceIdentity,
  signal: AbortSignal,
): Promise<void> {
  const { databaseId, keyProof } = await lookAtDatabase(address, source.historyTables, signal);
  refuseOther(identity, databaseId, databaseWords(address), source.dataDir);
  if (keyProof !== undefined) await refuseOtherKey(keyProof, source, serverPlace(address));
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
