/**
 * The shared database, with units that are written and read as a whole. The remaining rows in the local file are copied
 * first, so its gateway must be stopped. The gateways of other computers must be stopped, too.
 */
import { existsSync } from 'node:fs';
import type { SeriesKey } from '../contract.ts';
import { openFile } from '../sqlite/file-units.ts';
import { LocalRows } from '../sqlite/local-rows.ts';
import type { IntervalRecord } from '../stored/columns.ts';
import type { PackedHour, SeriesRecord, UnitStore } from '../stored/source.ts';
import { finished, type Work, waitFor } from '../stored/work.ts';
import { Carrying } from './carrying.ts';
import { type OpenTransaction, PostgresDatabase, type Statements } from './database.ts';
import { PresentHours } from './present.ts';
import { PostgresSource } from './source.ts';
import { importSeries, placeText, seriesWith, writeHours, writeIntervals } from './statements.ts';
import { Months, makeTables } from './tables.ts';

const HOURS_A_STATEMENT = 16;

/**
 * `path`: the file of this computer, if its rows are to be carried. `withPresent`: also what a killed gateway sent of
 * hours that are not over. Throws HistoryError, also when a gateway has the file, DatabaseAway, or the error of the
 * server.
 */
export async function openSharedStore(url: string, path?: string, withPresent = false): Promise<UnitStore> {
  const database = new PostgresDatabase(url);
  try {
    await makeTables(database);
    if (path !== undefined && (withPresent || existsSync(path))) await carryAll(path, database, withPresent);
    return new SharedUnits(database);
  } catch (error) {
    await database.close();
    throw error;
  }
}

async function carryAll(path: string, database: PostgresDatabase, withPresent: boolean): Promise<void> {
  const { parts, writer, release } = await openFile(path);
  try {
    const { catalogue, recorder } = parts;
    if (withPresent) await finished(new PresentHours({ database, catalogue, recorder, path }).takeAll());
    for (const held of [...recorder.hours.held()]) recorder.foldHour(held);
    const here = new LocalRows(parts, writer);
    const carrying = new Carrying({ database, months: new Months(database), here });
    while ((await finished(carrying.step())) > 0);
  } finally {
    release();
  }
}

class SharedUnits implements UnitStore {
  readonly source: PostgresSource;
  readonly #database: PostgresDatabase;
  #transaction: OpenTransaction | undefined;
  #months: Months;
  #version = 0;

  constructor(database: PostgresDatabase) {
    this.#database = database;
    this.#months = new Months(database);
    // Statements in a transaction must see its own rows.
    const statements: Statements = { rows: (text, values) => this.#statements.rows(text, values) };
    this.source = new PostgresSource(statements, () => this.#version);
  }

  *units(): Work<readonly string[]> {
    const rows = yield* waitFor(
      this.#database.rows<{ unit_id: string }>(
        'select distinct unit_id from history_series where ready order by unit_id',
      ),
    );
    return rows.map((row) => row.unit_id);
  }

  *begin(): Work<void> {
    this.#transaction = yield* waitFor(this.#database.begin());
  }

  *commit(): Work<void> {
    const transaction = this.#transaction;
    this.#transaction = undefined;
    if (transaction) yield* waitFor(transaction.commit());
  }

  *undo(): Work<void> {
    const transaction = this.#transaction;
    this.#transaction = undefined;
    this.#months = new Months(this.#database);
    this.#version += 1;
    if (transaction) yield* waitFor(transaction.undo());
  }

  *seriesFor(key: SeriesKey): Work<SeriesRecord> {
    const statements = this.#statements;
    return yield* waitFor(key.source === 'import' ? importSeries(key, true, statements) : seriesWith(key, statements));
  }

  *addHours({ id }: SeriesRecord, hours: readonly PackedHour[]): Work<void> {
    const statements = this.#statements;
    yield* waitFor(
      this.#months.make(
        hours.map(({ record }) => record.hour),
        statements,
      ),
    );
    for (let first = 0; first < hours.length; first += HOURS_A_STATEMENT) {
      const some = hours.slice(first, first + HOURS_A_STATEMENT).map((hour) => ({ series: id, ...hour }));
      yield* waitFor(writeHours(some, statements));
    }
    this.#version += 1;
  }

  *addIntervals({ id }: SeriesRecord, rows: readonly IntervalRecord[]): Work<readonly IntervalRecord[]> {
    const all = rows.map((row) => ({ series: id, row }));
    const added = yield* waitFor(writeIntervals(all, this.#statements));
    this.#version += 1;
    return rows.filter(({ at }) => !added.has(placeText(id, at)));
  }

  close(): Promise<void> {
    return this.#database.close();
  }

  get #statements(): Statements {
    return this.#transaction ?? this.#database;
  }
}
