/** Opens the store: folder, database, key, memory. The way it does so is the order in which things may fail. */
import { chmod, mkdir, open } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Clock } from '../clock.ts';
import { messageOf } from '../errors.ts';
import type { Log } from '../log.ts';
import { Configs } from './configs.ts';
import type { Store } from './contract.ts';
import { keyFromFile, keyFromText } from './keys.ts';
import { type Database, openDatabase } from './orm.ts';
import { StoreError } from './problem.ts';
import { createSealer, type Sealer } from './secrets.ts';
import { Snapshots } from './snapshots.ts';

export { StoreError, type StoreProblem } from './problem.ts';

export interface StoreOptions {
  /** Folder of the database; made (mode 0700) where it does not exist. */
  readonly dataDir: string;
  /** File of the key that seals credentials; made (mode 0600) where it does not exist. Not inside `dataDir`. */
  readonly keyFile: string;
  /** The key itself, in place of the file: 32 bytes as hex or base64, or a text of at least 16 characters. */
  readonly secretKey?: string | undefined;
  readonly clock: Clock;
  readonly log: Log;
}

const KEY_PROOF = 'key-proof';

/** Throws StoreError with one line that says what is wrong and what cures it. */
export async function openStore(options: StoreOptions): Promise<Store> {
  const dataDir = resolve(options.dataDir);
  const path = await databaseFile(dataDir);
  const database = await openDatabase(path);
  try {
    return await assemble(database, await sealerFor(database, options, dataDir), options);
  } catch (error) {
    await database.close();
    throw error;
  }
}

/** SQLite gives its side files (-wal, -shm) the mode of the database file, so that one is made first, for the owner alone. */
async function databaseFile(dataDir: string): Promise<string> {
  const path = join(dataDir, 'gateway.db');
  try {
    await mkdir(dataDir, { recursive: true, mode: 0o700 });
    const file = await open(path, 'a', 0o600);
    await file.close();
    await chmod(path, 0o600);
    return path;
  } catch (error) {
    throw new StoreError('folder', `the data folder ${dataDir} cannot be used: ${messageOf(error)}`, error);
  }
}

/** The first start leaves a sealed proof behind; every later start has to open it before anything else is read. */
async function sealerFor(database: Database, options: StoreOptions, dataDir: string): Promise<Sealer> {
  const proof = await database.fact(KEY_PROOF);
  const { secretKey, keyFile } = options;
  const key = secretKey ? await keyFromText(secretKey) : await keyFromFile(keyFile, dataDir, proof === undefined);
  const sealer = createSealer(key);
  if (proof === undefined) await database.putFact(KEY_PROOF, sealer.seal('', KEY_PROOF, KEY_PROOF));
  else if (!opens(sealer, proof))
    throw new StoreError(
      'key',
      `the database in ${dataDir} was written with another key than ${secretKey ? 'SLM_SECRET_KEY' : `the file ${keyFile}`}: ` +
        'start with the key it was written with; if that is lost, move gateway.db away and enter the configs again',
    );
  return sealer;
}

function opens(sealer: Sealer, proof: string): boolean {
  try {
    return sealer.open('', KEY_PROOF, proof) === KEY_PROOF;
  } catch {
    return false;
  }
}

async function assemble(database: Database, sealer: Sealer, { clock, log }: StoreOptions): Promise<Store> {
  const configs = new Configs(database, sealer, log);
  const snapshots = new Snapshots({ database, clock, log, knows: (unitId) => configs.get(unitId) !== undefined });
  await configs.load();
  await snapshots.load();
  const stopForgetting = configs.onChange((unitId, config) => {
    if (config === undefined) snapshots.forget(unitId);
  });
  const shut = async () => {
    await configs.close();
    try {
      await snapshots.close();
    } finally {
      stopForgetting();
      await database.close();
    }
  };
  let closing: Promise<void> | undefined;
  return {
    configs,
    snapshots,
    close() {
      closing ??= shut();
      return closing;
    },
  };
}
