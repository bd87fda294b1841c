/** Opens the store: folder, database, key, memory. Its order is the order in which things may fail. */
import { readdir, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Clock } from '../clock.ts';
import type { DatabaseAddress } from '../domain/database-address.ts';
import type { Log } from '../log.ts';
import { Configs } from './configs.ts';
import type { Store } from './contract.ts';
import type { Ownership } from './postgres/medium.ts';
import { StoreError } from './problem.ts';
import type { Database } from './rows.ts';
import { type SealedPlace, sealerFor, serverPlace } from './sealer.ts';
import { pluginSecrets, type Sealer } from './secrets.ts';
import { Snapshots } from './snapshots.ts';
import { emptyTables, openDatabase } from './sqlite.ts';

export { keyFromText } from './keys.ts';
export { StoreError, type StoreProblem } from './problem.ts';
export { type Rotation, rotateKeyFile, rotateStoredSecrets } from './rotate.ts';

/** Place and needs of the store. */
export interface StoreOptions {
  /** PostgreSQL, from `database_url`. Undefined: SQLite in `dataDir`. */
  readonly server?: DatabaseAddress | undefined;
  /** Folder of the database and of other data; created (mode 0700) if it is missing. */
  readonly dataDir: string;
  /** File of the key that seals credentials; created (mode 0600) if it is missing. Not inside `dataDir`. */
  readonly keyFile: string;
  /** The key itself, in place of the file: 32 bytes as hex or base64, or a text of at least 16 characters. */
  readonly secretKey?: string | undefined;
  /** IANA name: the zone of a unit whose creator gives none. Asked at the first use. */
  readonly timezone: () => string;
  readonly clock: Clock;
  readonly log: Log;
  /** Clock for waits for a server. Default: the time of this computer. */
  readonly timer?: Clock;
  /** From the lease of this instance: the server refuses writes without it. */
  readonly ownership?: Ownership | undefined;
  /** Begins with an empty database also where other files show that there was one. */
  readonly acceptLoss?: boolean;
}

/** The history has levels. */
const LEVELS = 'levels';

/** Throws StoreError with one line about the fault and its repair. */
export async function openStore(options: StoreOptions): Promise<Store> {
  const dataDir = resolve(options.dataDir);
  const { server } = options;
  const where = placeOf(server, dataDir);
  const parts = { ...options, dataDir, refuseLoss: () => refuseLoss(dataDir, where, options) };
  const database = server
    ? await (await import('./postgres/index.ts')).openServer(server, parts)
    : await openDatabase(dataDir, parts);
  try {
    return await assemble(database, await sealerFor(database, { ...options, dataDir }, where), options);
  } catch (error) {
    await database.close();
    throw error;
  }
}

/** Words about the database. */
interface Place extends SealedPlace {
  /** How to recover it after a loss. */
  readonly back: string;
}

const placeOf = (server: DatabaseAddress | undefined, dataDir: string): Place =>
  server
    ? { ...serverPlace(server), back: SERVER_BACK }
    : { name: `the database gateway.db in ${dataDir}`, away: 'move gateway.db away', back: FILE_BACK };

const FILE_BACK = 'restore gateway.db from a backup';
const SERVER_BACK =
  'name the right database in database_url, restore it from a backup, or carry the data folder over with npm run database -- copy';

/** Levels or records of changes belonged to a gateway with units: an empty database next to them is a loss. */
async function refuseLoss(
  dataDir: string,
  { name, back }: Place,
  { acceptLoss = false, log, server }: Pick<StoreOptions, 'acceptLoss' | 'log' | 'server'>,
): Promise<void> {
  const files = await readdir(join(dataDir, 'audit')).catch(() => []);
  const evidence = [...(server ? ['gateway.db'] : []), ...files.map((name) => join('audit', name)), 'history.db'];
  const sizes = evidence.map(async (name) => ((await sizeOf(join(dataDir, name))) > 0 ? [name] : []));
  const [shown] = (await Promise.all(sizes)).flat();
  if (shown === undefined) return;
  const detail = `${name} is gone or empty, but ${shown} shows that there was one`;
  if (acceptLoss) return log.error(`${detail}: it begins empty, as --accept-loss says`);
  throw new StoreError(
    'lost',
    `${detail}. Either ${back}, or start once with --accept-loss to begin without units, rules and jobs`,
  );
}

const sizeOf = (path: string): Promise<number> =>
  stat(path).then(
    ({ size }) => size,
    () => 0,
  );

/**
 * The database for a command beside a gateway: tables alone, without the key of the credentials. On SQLite no gateway may run on the data
 * folder (StoreError `in-use`); on a server it may, also on another computer. Throws as `openStore`.
 */
export async function openTablesAlone(
  options: Pick<StoreOptions, 'server' | 'dataDir' | 'clock' | 'log' | 'acceptLoss'>,
): Promise<Pick<Store, 'tables' | 'close'>> {
  const dataDir = resolve(options.dataDir);
  const { server } = options;
  const refuse = () => refuseLoss(dataDir, placeOf(server, dataDir), options);
  const parts = { ...options, dataDir, refuseLoss: refuse };
  return server ? (await import('./postgres/index.ts')).visitServer(server, parts) : openDatabase(dataDir, parts);
}

async function assemble(database: Database, sealer: Sealer, options: StoreOptions): Promise<Store> {
  const { clock, log, timezone } = options;
  const configs = new Configs({ database, sealer, timezone, clock, log });
  const snapshots = new Snapshots({ database, clock, log, configs });
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
    tables: (owner, tables, migrations) => database.tables(owner, tables, migrations),
    secrets: (owner) => pluginSecrets(database, sealer, log, owner),
    hadLevels: async () => (await database.fact(LEVELS)) !== undefined,
    noteLevels: (are) => (are ? database.putFact(LEVELS, 'kept') : database.dropFact(LEVELS)),
    async backup(file, empty = []) {
      await database.backup(resolve(file));
      emptyTables(resolve(file), empty);
    },
    trouble: () => database.trouble(),
    close() {
      closing ??= shut();
      return closing;
    },
  };
}
