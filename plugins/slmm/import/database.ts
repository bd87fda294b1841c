/**
 * Reads the database of SLMM, which may contain anything. So only plain tables and known columns are read, with a limited
 * number of rows and characters; values of the wrong type are ignored.
 */
import { closeSync, createWriteStream, openSync, readSync } from 'node:fs';
import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import Database from 'better-sqlite3';
import { GatewayError, messageOf } from '../../../lib/index.ts';

const MAGIC = 'SQLite format 3\0';
/** A line of the meter has about 400 characters; longer values are not used. */
const LONGEST = 4_096;
const ROWS_IN_A_ROW = 1_000;

/** The columns of SLMM 0.4.0 and earlier; another name comes from somebody else, or from a later release. */
export const COLUMNS: Readonly<Record<string, readonly string[]>> = Object.fromEntries(
  Object.entries({
    nl43_config:
      'unit_id host tcp_port tcp_enabled ftp_enabled ftp_port ftp_username ftp_password web_enabled poll_interval_seconds poll_enabled monitor_enabled',
    nl43_status:
      'unit_id last_seen measurement_state measurement_start_time counter lp leq lmax lmin lpeak ln1 ln2 laeq lae lasmax lasmin lapeak battery_level power_source sd_remaining_mb sd_free_ratio raw_payload is_reachable consecutive_failures last_poll_attempt last_success last_error start_time_sync_attempted',
    nl43_readings: 'id unit_id timestamp lp leq lmax ln1 ln2',
    device_logs: 'id unit_id timestamp level category message',
    alert_rules:
      'id unit_id name metric comparison threshold_db duration_s clear_margin_db cooldown_s schedule_start schedule_end schedule_days channels recipients enabled created_at',
    alert_events:
      'id rule_id unit_id rule_name metric threshold_db onset_at onset_value peak_value clear_at status acknowledged_at acknowledged_by notes',
  }).map(([table, names]) => [table, names.split(' ')]),
);

export type ImportedRow = Readonly<Record<string, unknown>>;

/** Open until `close`. Errors: INVALID if the file is not a database of SLMM. */
export class SlmmDatabase {
  readonly #database: Database.Database;
  readonly #columns = new Map<string, readonly string[]>();

  constructor(path: string) {
    if (!isSqlite(path)) throw wrong('The file is not an SQLite database.');
    this.#database = new Database(path, { fileMustExist: true });
    try {
      this.#database.pragma('query_only = on');
      this.#database.pragma('trusted_schema = off');
      this.#database.pragma('cell_size_check = on');
      const tables = this.#tables();
      if (!tables.includes('nl43_config')) throw wrong(notSlmm(tables));
      for (const table of tables) this.#columns.set(table, this.#columnsOf(table));
      if (!this.#columns.get('nl43_config')?.includes('unit_id'))
        throw wrong('The table nl43_config has no column unit_id: this is not a database of SLMM.');
    } catch (error) {
      this.close();
      throw error instanceof GatewayError ? error : unreadable(error);
    }
  }

  columns(): ReadonlyMap<string, readonly string[]> {
    return this.#columns;
  }

  /**
   * At most `limit` rows with their known columns, in the order of their writing. Long values are cut. One table at a
   * time.
   */
  async *rows(table: string, limit: number, signal: AbortSignal): AsyncGenerator<ImportedRow> {
    const there = (COLUMNS[table] ?? []).filter((name) => this.#columns.get(table)?.includes(name));
    if (there.length === 0) return;
    // A cut value is longer than the longest allowed value, so it is not used.
    const cut = (name: string) =>
      `case when length("${name}") <= ${LONGEST} then "${name}" else substr("${name}", 1, ${LONGEST + 1}) end`;
    const columns = there.map((name) => `${cut(name)} as "${name}"`);
    yield* this.#selected(`select ${columns.join(', ')} from ${quoted(table)} order by rowid limit ${limit}`, signal);
  }

  /** Rows of a table that have a value in any of these columns; 0 without the table. */
  async countWith(table: string, wanted: readonly string[], signal: AbortSignal): Promise<number> {
    const there = wanted.filter((name) => this.#columns.get(table)?.includes(name));
    if (there.length === 0) return 0;
    const has = there.map((name) => `coalesce("${name}", '') <> ''`).join(' or ');
    return this.#sum(`select (${has}) as has from ${quoted(table)}`, signal);
  }

  /** Rows of a table; 0 without the table. */
  async count(table: string, signal: AbortSignal): Promise<number> {
    return this.#columns.has(table) ? this.#sum(`select 1 as has from ${quoted(table)}`, signal) : 0;
  }

  async #sum(select: string, signal: AbortSignal): Promise<number> {
    let sum = 0;
    for await (const { has } of this.#selected(select, signal)) sum += Number(has);
    return sum;
  }

  async *#selected(select: string, signal: AbortSignal): AsyncGenerator<ImportedRow> {
    let seen = 0;
    try {
      for (const row of this.#database.prepare(select).iterate()) {
        yield row as ImportedRow;
        seen += 1;
        if (seen % ROWS_IN_A_ROW !== 0) continue;
        await new Promise((resolve) => setImmediate(resolve));
        signal.throwIfAborted();
      }
    } catch (error) {
      throw signal.aborted ? error : unreadable(error);
    }
  }

  close(): void {
    this.#database.close();
  }

  /** A view or a virtual table could work without end. */
  #tables(): string[] {
    const found = this.#database.prepare(
      "select name from sqlite_schema where type = 'table' and sql like 'create table%' and length(name) < 100 limit 200",
    );
    return found.pluck().all() as string[];
  }

  /** Only stored columns; a computed one could take any time. */
  #columnsOf(table: string): string[] {
    const found = this.#database.prepare('select name from pragma_table_xinfo(?) where hidden = 0 limit 200');
    return found.pluck().all(table) as string[];
  }
}

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;

function isSqlite(path: string): boolean {
  const begin = Buffer.alloc(MAGIC.length);
  const file = openSync(path, 'r');
  try {
    return readSync(file, begin) === MAGIC.length && begin.toString('latin1') === MAGIC;
  } finally {
    closeSync(file);
  }
}

const notSlmm = (tables: readonly string[]): string => {
  const there = tables.slice(0, 10).map((name) => JSON.stringify(name));
  return `This is not a database of SLMM: it has no table nl43_config${there.length > 0 ? `, but ${there.join(', ')}` : ''}.`;
};

const wrong = (words: string) => new GatewayError('INVALID', words, { errors: [{ path: '', message: words }] });
const unreadable = (error: unknown) => wrong(`The database cannot be read: ${messageOf(error)}.`);

const NAME = 'import.db';

/** A database that has arrived and was opened; `end` closes and removes it. */
export interface ArrivedDatabase {
  readonly database: SlmmDatabase;
  readonly bytes: number;
  end(): Promise<void>;
}

/** The file of an import contains passwords, so every copy is removed after the work, a failure or a crash. */
export async function removeLeft(folder: string): Promise<void> {
  for (const name of await readdir(folder))
    if (name.startsWith('import')) await rm(join(folder, name), { force: true });
}

/** One at a time. Errors: INVALID if the file is not a database of SLMM; those of the upload. Then no file is left. */
export async function arrive(folder: string, upload: AsyncIterable<Buffer>): Promise<ArrivedDatabase> {
  const path = join(folder, NAME);
  try {
    await pipeline(Readable.from(upload), createWriteStream(path, { mode: 0o600 }));
    const database = new SlmmDatabase(path);
    const { size } = await stat(path);
    return {
      database,
      bytes: size,
      async end() {
        database.close();
        await removeLeft(folder);
      },
    };
  } catch (error) {
    await removeLeft(folder);
    throw error;
  }
}
