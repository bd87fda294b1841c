/** A look at the database before an instance joins others on it: who could not take over must not wait, and be counted on. */
import pg from 'pg';
import { unlessAborted } from '../../clock.ts';
import { type DatabaseAddress, databaseWords } from '../../domain/database-address.ts';
import { StoreError } from '../problem.ts';
import { KEY_PROOF } from '../proof.ts';
import { DONE_NAMES, lookAtTables, refuseNewer, TABLE_NAMES } from './migrations.ts';
import { configOf } from './session.ts';
import { DATABASE_ID, refuseUnusable, SERVER_FACTS, type ServerFacts } from './usable.ts';

/** For one answer of the server, ms. */
const SILENT_MS = 4_000;

/** What a gateway has written of itself; undefined where none has. */
export interface WrittenFacts {
  readonly databaseId: string | undefined;
  readonly keyProof: string | undefined;
}

/**
 * Changes nothing. Rejects with StoreError `refused`, `read-only`, `other` (tables of something else) or `newer`, and with the error of the driver
 * where the server cannot be asked. `historyTables`: the newest version of the tables of levels that this release can use.
 */
export async function lookAtDatabase(
  address: DatabaseAddress,
  historyTables: number,
  signal: AbortSignal,
): Promise<WrittenFacts> {
  const client = new pg.Client({ ...configOf(address), query_timeout: SILENT_MS });
  // Without a listener an error ends the process. Who waits for an answer gets the error as well.
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

/** The tables of levels are changed apart from the others. */
function refuseNewerHistory(version: number, known: number, where: string): void {
  if (version <= known) return;
  throw new StoreError(
    'newer',
    `the history in the database ${where} was written by a newer release (its tables have version ${version}): start that release, or restore a backup`,
  );
}
