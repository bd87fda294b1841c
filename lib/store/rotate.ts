/**
 * A new key for the stored credentials. The gateway must be stopped: only one process writes the database.
 * The copies that the store made before its tables changed are deleted: they hold credentials that the old key opens.
 *
 *   1 the new key is written beside the key file (`<key_file>.next`) and synced
 *   2 every credential and the proof are sealed again, in one commit, synced
 *   3 the new key file replaces the old one, in one step
 *
 * If it is interrupted before step 2 is done, the old key stays valid and the draft is never used. After a later interruption, the next start (or the
 * next rotation) sees that the draft opens the database, and does step 3. The only key is never lost.
 */
import { access, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { systemClock } from '../clock.ts';
import { type DatabaseAddress, databaseWords } from '../domain/database-address.ts';
import { createLog } from '../log.ts';
import { CREDENTIALS } from './configs.ts';
import { adoptDraft, draftedKey, draftKey, keyFromFile } from './keys.ts';
import type { DeviceConfigRow, Fact } from './own-tables.ts';
import { StoreError } from './problem.ts';
import type { Database } from './rows.ts';
import { createSealer, KEY_PROOF, proofOf, proves, SECRET_FACT, type Sealer } from './secrets.ts';
import { copiesFolder, openDatabase } from './sqlite.ts';

/** Result of a new key. */
export interface Rotation {
  /** Credentials that are now sealed with the new key. */
  readonly resealed: number;
  /** Credentials that the old key did not open; they stay unchanged, and count as not set. */
  readonly damaged: number;
}

interface Kept {
  readonly dataDir: string;
  readonly server?: DatabaseAddress | undefined;
}

/** All steps. Throws StoreError. */
export async function rotateKeyFile(options: Kept & { readonly keyFile: string }): Promise<Rotation> {
  const dataDir = resolve(options.dataDir);
  return withDatabase({ ...options, dataDir }, async (database, proof) => {
    const inForce = await keyFromFile(options.keyFile, dataDir, false);
    const drafted = await draftedKey(options.keyFile);
    const cutOff = !proves(createSealer(inForce), proof) && drafted && proves(createSealer(drafted), proof);
    if (cutOff) await adoptDraft(options.keyFile);
    const next = await draftKey(options.keyFile, dataDir);
    const rotation = await reseal(database, proof, createSealer(cutOff ? drafted : inForce), createSealer(next));
    await adoptDraft(options.keyFile);
    return rotation;
  });
}

/** Only step 2, for keys that are kept elsewhere (SLM_SECRET_KEY): all or nothing. Throws StoreError. */
export function rotateStoredSecrets(
  options: Kept & {
    /** 32 bytes each. */
    readonly oldKey: Uint8Array;
    readonly newKey: Uint8Array;
  },
): Promise<Rotation> {
  const { oldKey, newKey, dataDir } = options;
  return withDatabase({ ...options, dataDir: resolve(dataDir) }, (database, proof) =>
    reseal(database, proof, createSealer(oldKey), createSealer(newKey)),
  );
}

async function withDatabase<T>(kept: Kept, work: (database: Database, proof: string) => Promise<T>): Promise<T> {
  const { dataDir, server } = kept;
  const database = await openKept(kept);
  try {
    const proof = await database.fact(KEY_PROOF);
    if (proof === undefined)
      throw new StoreError(
        'key',
        `the database ${server ? databaseWords(server) : `in ${dataDir}`} holds nothing sealed yet`,
      );
    const result = await work(database, proof);
    await rm(copiesFolder(dataDir), { recursive: true, force: true });
    return result;
  } finally {
    await database.close();
  }
}

async function openKept({ dataDir, server }: Kept): Promise<Database> {
  const parts = { clock: systemClock, log: createLog('silent') };
  if (server) return (await import('./postgres/index.ts')).openServer(server, { ...parts, dataDir });
  await access(join(dataDir, 'gateway.db')).catch((error) => {
    throw new StoreError('folder', `there is no database in ${dataDir}: nothing to give a new key to`, error);
  });
  return openDatabase(dataDir, parts);
}

async function reseal(database: Database, proof: string, from: Sealer, to: Sealer): Promise<Rotation> {
  if (!proves(from, proof))
    throw new StoreError('key', 'the database was written with another key than the one given as the present one');
  const count = { resealed: 0, damaged: 0 };
  const rows = (await database.configs()).map((row) => resealed(row, from, to, count));
  const secrets = (await database.facts(SECRET_FACT)).flatMap((fact) => resealedFact(fact, from, to, count));
  await database.replace(rows, [...secrets, { name: KEY_PROOF, value: proofOf(to) }]);
  return count;
}

function resealedFact({ name, value }: Fact, from: Sealer, to: Sealer, count: Count): Fact[] {
  try {
    const next = to.seal(name, 'secret', from.open(name, 'secret', value));
    count.resealed += 1;
    return [{ name, value: next }];
  } catch {
    count.damaged += 1;
    return [];
  }
}

interface Count {
  resealed: number;
  damaged: number;
}

function resealed(row: DeviceConfigRow, from: Sealer, to: Sealer, count: Count) {
  const next = { ...row };
  for (const field of CREDENTIALS) {
    const sealed = row[field];
    if (sealed === null || sealed === undefined) continue;
    try {
      next[field] = to.seal(row.unitId, field, from.open(row.unitId, field, sealed));
      count.resealed += 1;
    } catch {
      count.damaged += 1;
    }
  }
  return next;
}
