/**
 * The store's rows on a PostgreSQL server. Loaded only if `database_url` names a server. The data folder still holds
 * other data, so its lock stays. A row in the database names its owner (`owner.ts`).
 */
import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { MikroORM } from '@mikro-orm/postgresql';
import { type Clock, systemClock, within } from '../../clock.ts';
import { type DatabaseAddress, databaseWords } from '../../domain/database-address.ts';
import { inSeconds } from '../../domain/figures.ts';
import type { Log } from '../../log.ts';
import { Commits } from '../commits.ts';
import { type Lock, lockFolder, useFolder } from '../lock.ts';
import { StoreError } from '../problem.ts';
import { type Database, keptRows, ORM_OPTIONS, probeOf, tableOpener } from '../rows.ts';
import { openDatabase } from '../sqlite.ts';
import { type Carried, copyFromFile, copyToFile } from './copy.ts';
import { type Ownership, serverMedium } from './medium.ts';
import { lookBefore, migrateServer } from './migrations.ts';
import { claimDatabase, keepBeating, type OwnerWork, releaseDatabase } from './owner.ts';
import { openingError, serverTrouble } from './problems.ts';
import { POSTGRES } from './schema.ts';
import { ServerSession } from './session.ts';
import {
  DATABASE_ID,
  IDENTITY_FILE,
  readIdentity,
  refuseOther,
  refuseUnusable,
  SERVER_FACTS,
  type ServerFacts,
  writeIdentity,
} from './usable.ts';

export type { Carried } from './copy.ts';
export type { Ownership } from './medium.ts';
export { IDENTITY_FILE } from './usable.ts';

/** The opening needs these, besides the address. */
interface ServerOptions {
  readonly dataDir: string;
  readonly clock: Clock;
  readonly log: Log;
  /** Called for a database without tables, before they are made. An error that it throws ends the opening. */
  readonly refuseLoss?: (() => Promise<void>) | undefined;
  /** Clock for waits for the server. Default: the time of the computer, which the server follows, too. */
  readonly timer?: Clock;
  /** By the lease of this instance. Without it the database is claimed here, while no other gateway lives. */
  readonly ownership?: Ownership | undefined;
}

/** For one step of the opening, ms: changes of the tables may take a while. */
const OPEN_MS = 120_000;
const late = () => new Error(`timeout expired: it did not finish within ${inSeconds(OPEN_MS)}`);

/**
 * Brings the tables up to date and takes the database. Throws StoreError: `unreachable`, `refused`, `read-only`, `other`, `newer`,
 * `in-use`, `folder`.
 */
export async function openServer(address: DatabaseAddress, options: ServerOptions): Promise<Database> {
  await useFolder(options.dataDir);
  const lock = await lockFolder(options.dataDir).catch((error) => {
    throw new StoreError(
      'in-use',
      `the data folder ${options.dataDir} is in use by another process: stop the other gateway first`,
      error,
    );
  });
  let orm: MikroORM | undefined;
  try {
    const session = new ServerSession(address);
    orm = makeOrm(session);
    return await opened(orm, session, lock, address, options);
  } catch (error) {
    await orm?.close(true).catch(() => {});
    lock.release();
    throw openingError(error, address);
  }
}

/** Without the driver's own connections: there is one (`session.ts`). */
const makeOrm = (session: ServerSession): MikroORM =>
  new MikroORM({ ...ORM_OPTIONS, dbName: 'as the address says', driverOptions: session.dialect() });

const nothing = () => {};

function transactions(
  parts: Parameters<typeof serverMedium>[0],
  { clock, log, timer = systemClock }: Pick<ServerOptions, 'clock' | 'log' | 'timer'>,
) {
  const medium = serverMedium(parts);
  const commits = new Commits({ medium, clock: timer, log, probe: probeOf(clock, POSTGRES) });
  /** For the opening: a failure keeps its own message. */
  const run: OwnerWork = (work) => within(timer, OPEN_MS, late, (signal) => medium.transaction('full', work, signal));
  return { commits, run };
}

async function opened(
  orm: MikroORM,
  session: ServerSession,
  lock: Lock,
  address: DatabaseAddress,
  { dataDir, clock, log, refuseLoss, timer = systemClock, ownership: leased }: ServerOptions,
): Promise<Database> {
  const where = databaseWords(address);
  let ownership: Ownership | undefined;
  const { commits, run } = transactions({ orm, session, ownership: () => ownership }, { clock, log, timer });
  await orm.connect();
  const before = await prepared(commits, run, where, refuseLoss);
  const identity = await readIdentity(dataDir);
  const rows = keptRows(commits, POSTGRES, log);
  refuseOther(identity, await rows.fact(DATABASE_ID), where, dataDir);
  const { member } = identity;
  ownership = leased ?? { member, incarnation: await claimDatabase({ member, where, run, timer, log }) };
  const database = (await rows.fact(DATABASE_ID)) ?? randomUUID();
  await rows.putFact(DATABASE_ID, database);
  await writeIdentity(dataDir, { ...identity, database });
  const rest = leased === undefined ? keepBeating(commits, timer) : nothing;
  return {
    ...rows,
    isNew: before === 'nothing',
    async replace(configs, facts) {
      await rows.replace(configs, facts);
      // Replaced rows stay in the files of the server until they are written again (PostgreSQL, "VACUUM").
      await commits.withoutTransaction(async (em) => {
        for (const table of ['device_config', 'store_fact']) await em.execute(`vacuum full ${table}`);
      });
    },
    tables: tableOpener({ commits, dialect: POSTGRES, beforeChange: async () => {} }),
    backup: async (file) => void (await apart(address, (own) => copyToFile(own, file))),
    async close() {
      rest();
      if (leased === undefined) await releaseDatabase(commits).catch(nothing);
      await commits.settled().finally(async () => {
        await orm.close(true);
        lock.release();
      });
    },
  };
}

async function prepared(commits: Commits, run: OwnerWork, where: string, refuseLoss: ServerOptions['refuseLoss']) {
  const before = await commits.withoutTransaction(async (em) => {
    const [facts] = await em.execute<ServerFacts[]>(SERVER_FACTS);
    refuseUnusable(facts, where);
    return lookBefore(em, where);
  });
  if (before === 'nothing') await refuseLoss?.();
  await run((em) => migrateServer(em, where));
  return before;
}

/** Tables of a database that another process may own meanwhile. */
type DatabaseVisit = Pick<Database, 'tables' | 'close'>;

/**
 * For a command beside the gateway: it does not own the database, and does not stop others from owning it. Throws as
 * `openServer`.
 */
export async function visitServer(address: DatabaseAddress, options: ServerOptions): Promise<DatabaseVisit> {
  const session = new ServerSession(address);
  const orm = makeOrm(session);
  const { commits, run } = transactions({ orm, session, ownership: () => undefined }, options);
  const close = () => commits.settled().finally(() => orm.close(true));
  try {
    await orm.connect();
    await prepared(commits, run, databaseWords(address), options.refuseLoss);
  } catch (error) {
    await orm.close(true).catch(nothing);
    throw openingError(error, address);
  }
  return { tables: tableOpener({ commits, dialect: POSTGRES, beforeChange: async () => {} }), close };
}

/** `work` on a connection of its own, so that nobody waits for it. Errors: STORAGE_FULL, STORAGE_FAILED. */
async function apart<T>(address: DatabaseAddress, work: (orm: MikroORM) => Promise<T>): Promise<T> {
  const orm = makeOrm(new ServerSession(address));
  try {
    return await work(orm);
  } catch (error) {
    throw serverTrouble(error) ?? error;
  } finally {
    await orm.close(true);
  }
}

/**
 * Copies `gateway.db` of the data folder into the empty database of the server. No gateway may use either meanwhile.
 * The file stays unchanged; after a failure the folder belongs to no server. Throws as `openServer`, and if the two
 * sides differ afterwards.
 */
export async function carryOver(address: DatabaseAddress, options: ServerOptions): Promise<readonly Carried[]> {
  const file = join(options.dataDir, 'gateway.db');
  // Brings its tables to this release, and sees that no gateway has it.
  await (await openDatabase(options.dataDir, options)).close();
  const { database: before } = await readIdentity(options.dataDir);
  try {
    return await whileOpen(address, options, () =>
      apart(address, (orm) => copyFromFile(orm, file, databaseWords(address))),
    );
  } catch (error) {
    if (before === undefined) await rm(join(options.dataDir, IDENTITY_FILE), { force: true });
    throw error;
  }
}

async function whileOpen<T>(
  address: DatabaseAddress,
  options: ServerOptions,
  work: (database: Database) => Promise<T>,
): Promise<T> {
  const database = await openServer(address, options);
  try {
    return await work(database);
  } finally {
    await database.close();
  }
}

/** Carries the database of the server into `file`, which is replaced. Throws as `openServer`. */
export const carryBack = (
  address: DatabaseAddress,
  file: string,
  options: ServerOptions,
): Promise<readonly Carried[]> =>
  whileOpen(address, options, ({ isNew }) => {
    if (isNew) throw new StoreError('lost', `the database ${databaseWords(address)} holds nothing to carry back`);
    return apart(address, (orm) => copyToFile(orm, file));
  });
