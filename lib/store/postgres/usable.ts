/** Whether a database can be used, and by the gateway of this data folder. */
import { randomUUID } from 'node:crypto';
import { open, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { unlessAborted } from '../../clock.ts';
import { type DatabaseAddress, databaseWords } from '../../domain/database-address.ts';
import { messageOf } from '../../errors.ts';
import { moveOver } from '../../system.ts';
import { StoreError } from '../problem.ts';
import { KEY_PROOF } from '../secrets.ts';
import { DONE_NAMES, lookAtTables, refuseNewer, TABLE_NAMES } from './migrations.ts';
import { configOf } from './session.ts';

/** The file in the data folder. */
export const IDENTITY_FILE = 'instance.json';

/** The content of `instance.json`. */
export interface InstanceIdentity {
  /** Id of this gateway; it never changes. */
  readonly member: string;
  /** Id of the database of the folder; undefined before the first start with a database. */
  readonly database: string | undefined;
}

/**
 * Which gateway this is, and to which database its data folder belongs: `instance.json` in the folder. Throws
 * StoreError `folder` for a file that is damaged. A folder without one gets a new name for its gateway.
 */
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

/** Name of the fact that identifies this database. */
export const DATABASE_ID = 'database-id';
/** The first release that supports the SQL used here. */
const OLDEST = 150_000;

/** Facts from the server. */
export interface ServerFacts {
  readonly version: number;
  readonly encoding: string;
  readonly standby: boolean;
  readonly read_only: boolean;
}

/** One row of `ServerFacts`. */
export const SERVER_FACTS = `select current_setting('server_version_num')::int as version, current_setting('server_encoding') as encoding,
  pg_is_in_recovery() as standby, current_setting('transaction_read_only')::boolean as read_only`;

/** Throws StoreError `refused` or `read-only`. */
export function refuseUnusable(facts: ServerFacts | undefined, where: string): void {
  if (!facts) throw new StoreError('refused', `the database ${where} says nothing of itself`);
  if (facts.version < OLDEST)
    throw new StoreError(
      'refused',
      `the database ${where} is of PostgreSQL ${Math.floor(facts.version / 10_000)}: 15 or newer is needed`,
    );
  if (facts.encoding !== 'UTF8')
    throw new StoreError(
      'refused',
      `the database ${where} keeps texts as ${facts.encoding}: make one with createdb --encoding=UTF8 --template=template0`,
    );
  if (facts.standby || facts.read_only)
    throw new StoreError(
      'read-only',
      `the database ${where} can only be read: ${facts.standby ? 'it is a standby; name the primary server in database_url' : 'set default_transaction_read_only to off for its user'}`,
    );
}

/**
 * Throws StoreError `other` if the data folder belongs to another database. `found`: the id of this database, if it has
 * one.
 */
export function refuseOther(
  { database }: InstanceIdentity,
  found: string | undefined,
  where: string,
  dataDir: string,
): void {
  if (database === undefined || database === found) return;
  const holds = found === undefined ? 'is a new one' : 'holds the data of another gateway';
  throw new StoreError(
    'other',
    `the database ${where} ${holds}, and the data folder ${dataDir} belongs to a different database: name that database in database_url; if the change is meant, remove ${IDENTITY_FILE} from the data folder first`,
  );
}

/** Time limit for one answer of the server, ms. */
const SILENT_MS = 4_000;

/** Facts that a gateway has written; undefined in a new database. */
interface WrittenFacts {
  readonly databaseId: string | undefined;
  readonly keyProof: string | undefined;
}

/**
 * Checks the database before an instance joins others: a standby that could not take over must not be counted on.
 * Changes nothing. Rejects with StoreError `refused`, `read-only`, `other` (foreign tables) or `newer`, and with the
 * error of the driver without an answer. `historyTables`: the newest version of the tables of levels that this release
 * can use.
 */
export async function lookAtDatabase(
  address: DatabaseAddress,
  historyTables: number,
  signal: AbortSignal,
): Promise<WrittenFacts> {
  const client = new pg.Client({ ...configOf(address), query_timeout: SILENT_MS });
  // Without a listener an error ends the process. The waiting query fails as well.
  client.on('error', () => {});
  try {
    return await unlessAborted(seenBy(client, databaseWords(address), historyTables), signal);
  } finally {
    client.end().catch(() => {});
  }
}

async function seenBy(client: pg.Client, where: string, historyTables: number): Promise<WrittenFacts> {
  await client.connect();
  const { rows: facts } = await client.query<ServerFacts>(SERVER_FACTS);
  refuseUnusable(facts[0], where);
  const names = async (sql: string) => (await client.query<{ name: string }>(sql)).rows.map(({ name }) => name);
  const tables = await names(TABLE_NAMES);
  if (lookAtTables(tables, where) === 'nothing') return { databaseId: undefined, keyProof: undefined };
  refuseNewer(await names(DONE_NAMES), where);
  if (tables.includes('history_version')) {
    const { rows } = await client.query<{ version: number }>('select max(version) as version from history_version');
    refuseNewerHistory(rows[0]?.version ?? 0, historyTables, where);
  }
  const { rows } = await client.query<{ name: string; value: string }>('select name, value from store_fact');
  const factOf = (wanted: string) => rows.find(({ name }) => name === wanted)?.value;
  return { databaseId: factOf(DATABASE_ID), keyProof: factOf(KEY_PROOF) };
}

/** The tables of levels have a version of their own. */
function refuseNewerHistory(version: number, known: number, where: string): void {
  if (version <= known) return;
  throw new StoreError(
    'newer',
    `the history in the database ${where} was written by a newer release (its tables have version ${version}): start that release, or restore a backup`,
  );
}
