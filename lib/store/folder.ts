/** The data folder: made on demand, and held by one gateway at a time. */
import { chmod, mkdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { messageOf } from '../errors.ts';
import { othersMay } from '../system.ts';
import { type Lock, takeLock } from './lock.ts';
import { StoreError } from './problem.ts';

/** A user with write access to the folder could replace the database. Throws StoreError `folder`. */
export async function useFolder(dataDir: string): Promise<void> {
  try {
    await mkdir(dataDir, { recursive: true, mode: 0o700 });
    const { mode } = await stat(dataDir);
    if (!othersMay(0o002, mode)) return;
  } catch (error) {
    throw new StoreError('folder', `the data folder ${dataDir} cannot be used: ${messageOf(error)}`, error);
  }
  throw new StoreError('folder', `the data folder ${dataDir} can be changed by everybody: run chmod o-w ${dataDir}`);
}

/** Keeps other gateways out of the folder. Throws as `takeLock`. */
export async function lockFolder(dataDir: string): Promise<Lock> {
  const path = join(dataDir, 'gateway.lock');
  const lock = takeLock(path);
  await chmod(path, 0o600);
  return lock;
}
