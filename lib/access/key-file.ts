/**
 * `keys.json` in the data folder: the API keys, without the keys themselves. It is replaced whole, so that the command
 * line can change it while a gateway reads it (docs/adr). Who may do what is not decided here.
 */
import { readFileSync, statSync } from 'node:fs';
import { mkdir, open, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type Clock, sleep } from '../clock.ts';
import { messageOf } from '../errors.ts';
import { compileBody } from '../http/checks.ts';
import { replaceFile } from './replace-file.ts';
import { ROLES, type Role } from './roles.ts';

export interface KeyRecord {
  readonly id: string;
  readonly name: string;
  readonly role: Role;
  /** Null: all units. */
  readonly units: readonly string[] | null;
  /** SHA-256 of the text of the key, hex. */
  readonly hash: string;
  /** UTC, ISO 8601, as the two below. */
  readonly created_at: string;
  /** Null: never. */
  readonly expires_at: string | null;
  readonly revoked_at: string | null;
}

export const UNIT_ID = '^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$';
export const NAME = '^[\\p{L}\\p{N}][\\p{L}\\p{N} ._@-]{0,63}$';
const TIME = { type: 'string', format: 'date-time' };
const KEY = {
  id: { type: 'string', pattern: '^[0-9a-f]{8}$' },
  name: { type: 'string', pattern: NAME },
  role: { enum: ROLES },
  units: { type: ['array', 'null'], items: { type: 'string', pattern: UNIT_ID } },
  hash: { type: 'string', pattern: '^[0-9a-f]{64}$' },
  created_at: TIME,
  expires_at: { ...TIME, type: ['string', 'null'] },
  revoked_at: { ...TIME, type: ['string', 'null'] },
};
const check = compileBody({
  type: 'object',
  properties: {
    version: { const: 1 },
    keys: { type: 'array', items: { type: 'object', properties: KEY, required: Object.keys(KEY) } },
  },
  required: ['version', 'keys'],
});

const LOCK_STALE_MS = 10_000;
const LOCK_WAIT_MS = 50;

export const keyFileIn = (dataDir: string): string => join(dataDir, 'keys.json');

/** All keys, revoked and expired ones too; none where there is no file. Throws with one line that says what to do. */
export function readKeyFile(path: string): readonly KeyRecord[] {
  try {
    const about = statSync(path, { throwIfNoEntry: false });
    if (!about) return [];
    if ((about.mode & 0o077) !== 0) throw new Error(`others than their owner can reach them: run chmod 600 ${path}`);
    const content: unknown = JSON.parse(readFileSync(path, 'utf8'));
    check(content);
    return (content as { keys: KeyRecord[] }).keys;
  } catch (error) {
    throw new Error(`the API keys in ${path} cannot be used: ${reasonOf(error)}`, { cause: error });
  }
}

const OWNER = 'this file has to belong to the user that the gateway runs as, and npm run keys to be run as that user';

function reasonOf(error: unknown): string {
  const isForeign = error instanceof Error && 'code' in error && (error.code === 'EACCES' || error.code === 'EPERM');
  return isForeign ? `${messageOf(error)}; ${OWNER}` : messageOf(error);
}

/** Replaces the keys by what `change` makes of them. Two changes at once follow each other. */
export async function changeKeyFile(
  path: string,
  clock: Clock,
  change: (keys: readonly KeyRecord[]) => readonly KeyRecord[],
): Promise<void> {
  const lock = `${path}.lock`;
  try {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    await acquire(lock, clock);
  } catch (error) {
    throw new Error(`the API keys in ${path} cannot be changed: ${reasonOf(error)}`, { cause: error });
  }
  try {
    const keys = change(readKeyFile(path));
    await replaceFile(path, `${JSON.stringify({ version: 1, keys }, undefined, 2)}\n`);
  } finally {
    await rm(lock, { force: true });
  }
}

/** A lock that is old was left behind by a process that died: a change takes milliseconds. */
async function acquire(lock: string, clock: Clock): Promise<void> {
  const limit = clock.elapsed() + 2 * LOCK_STALE_MS;
  while (!(await isMade(lock))) {
    if (clock.elapsed() > limit)
      throw new Error(`another change of the keys is in progress; if none is, remove ${lock}`);
    const about = await stat(lock).catch(() => undefined);
    if (about && clock.now() - about.mtimeMs > LOCK_STALE_MS) await rm(lock, { force: true });
    else await sleep(clock, LOCK_WAIT_MS);
  }
}

async function isMade(lock: string): Promise<boolean> {
  try {
    const file = await open(lock, 'wx', 0o600);
    await file.close();
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    throw error;
  }
}
