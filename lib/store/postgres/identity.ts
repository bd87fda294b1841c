/** Which gateway this is, and to which database its data folder belongs: `instance.json` in the folder. */
import { randomUUID } from 'node:crypto';
import { open, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { messageOf } from '../../errors.ts';
import { moveOver } from '../../system.ts';
import { StoreError } from '../problem.ts';

/** The file in the data folder. */
export const IDENTITY_FILE = 'instance.json';

/** The content of `instance.json`. */
export interface InstanceIdentity {
  /** Id of this gateway; it never changes. */
  readonly member: string;
  /** Id of the database of the folder; undefined before the first start with a database. */
  readonly database: string | undefined;
}

/** Throws StoreError `folder` for a file that is damaged. A folder without one gets a new name for its gateway. */
export async function readIdentity(dataDir: string): Promise<InstanceIdentity> {
  const path = join(dataDir, IDENTITY_FILE);
  const text = await readFile(path, 'utf8').catch((error) => {
    if (error.code === 'ENOENT') return undefined;
    throw new StoreError('folder', `${path} cannot be read: ${messageOf(error)}`, error);
  });
  if (text === undefined) return { member: randomUUID(), database: undefined };
  try {
    const { member, database } = JSON.parse(text);
    const isKnown = database === undefined || typeof database === 'string';
    if (typeof member === 'string' && isKnown) return { member, database };
  } catch {
    // Told below.
  }
  throw new StoreError(
    'folder',
    `${path} is damaged: restore it from a backup, or remove it if no other gateway uses this database`,
  );
}

/** The same under its name for ever: a new one is written at once. */
export async function ownIdentity(dataDir: string): Promise<InstanceIdentity> {
  const identity = await readIdentity(dataDir);
  if (identity.database === undefined) await writeIdentity(dataDir, identity);
  return identity;
}

/** Resolves when it is on the disk. Throws StoreError `folder`. */
export async function writeIdentity(dataDir: string, identity: InstanceIdentity): Promise<void> {
  const path = join(dataDir, IDENTITY_FILE);
  try {
    await writeSynced(`${path}.part`, `${JSON.stringify(identity)}\n`);
    await moveOver(`${path}.part`, path);
  } catch (error) {
    throw new StoreError('folder', `${path} cannot be written: ${messageOf(error)}`, error);
  }
}

async function writeSynced(draft: string, text: string): Promise<void> {
  await rm(draft, { force: true });
  const file = await open(draft, 'wx', 0o600);
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
}
