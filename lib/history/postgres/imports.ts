/**
 * Imports go directly to the database. Each import is a series of its own. It is invisible until its last row is stored
 * and no two rows overlap. The next gateway that records removes the remains of a crash.
 */
import type { InputError } from '../../errors.ts';
import type { Imported, SeriesKey } from '../contract.ts';
import type { IntervalRecord } from '../stored/columns.ts';
import { findOverlaps, noteDouble, Overlaps, type RowPlace, type StoredImport } from '../stored/import-check.ts';
import type { SeriesRecord, SharedImports } from '../stored/source.ts';
import { type Work, waitFor } from '../stored/work.ts';
import type { PostgresDatabase, Statements } from './database.ts';
import { importSeries, KEY_COLUMNS, keyValues, placeText, type SeriesColumns, writeIntervals } from './statements.ts';

const ROWS_AT_ONCE = 2_000;
const ROWS_A_STATEMENT = 500;

interface UnderWay {
  readonly record: SeriesRecord;
  rows: number;
  readonly errors: InputError[];
}

/** An import is begun, filled, and then finished or undone. */
export class PostgresImports implements SharedImports {
  readonly #database: PostgresDatabase;
  readonly #underWay = new Map<number, UnderWay>();
  /** Number of series that are being created. */
  #beginning = 0;
  /** Abandoned imports. */
  readonly #left = new Set<number>();
  #isLookedFor = false;

  constructor(database: PostgresDatabase) {
    this.#database = database;
  }

  *begin(key: SeriesKey): Work<number> {
    this.#beginning += 1;
    try {
      const record = yield* waitFor(importSeries(key, false, this.#database));
      this.#underWay.set(record.id, { record, rows: 0, errors: [] });
      return record.id;
    } finally {
      this.#beginning -= 1;
    }
  }

  *add(id: number, rows: readonly IntervalRecord[]): Work<void> {
    const work = this.#of(id);
    for (let first = 0; first < rows.length; first += ROWS_A_STATEMENT) {
      const some = rows.slice(first, first + ROWS_A_STATEMENT).map((row) => ({ series: id, row }));
      const added = yield* waitFor(
        this.#database.transaction(async (statements) => {
          // After a takeover the other gateway has removed the import: rows without a series would stay for ever.
          const [there] = await statements.rows('select 1 from history_series where id = $1 for update', [id]);
          if (!there) throw new Error('there is no such import');
          return writeIntervals(some, statements, 'overlapping');
        }),
      );
      const seen = new Set<number>();
      for (const { row } of some) {
        if (!added.has(placeText(id, row.at)) || seen.has(row.at)) noteDouble(work.errors, row);
        seen.add(row.at);
      }
    }
    work.rows += rows.length;
  }

  *finish(id: number): Work<Imported> {
    const { record, rows, errors } = this.#of(id);
    yield* findOverlaps(this.#stored(record), errors);
    if (errors.length > 0) {
      yield* this.abandon(id);
      throw new Overlaps(errors);
    }
    const [ready] = yield* waitFor(
      this.#database.rows<SeriesColumns>('update history_series set ready = true where id = $1 returning *', [id]),
    );
    this.#underWay.delete(id);
    if (!ready) throw new Error('there is no such import');
    return { rows, from: ready.intervals_from ?? 0, to: ready.intervals_to ?? 0 };
  }

  *abandon(id: number): Work<void> {
    this.#underWay.delete(id);
    // If the database is away, the import is removed later.
    this.#left.add(id);
    yield* this.#remove(id);
    this.#left.delete(id);
  }

  /**
   * Removes imports that earlier processes left. `fence` throws unless all unfinished imports belong to this process.
   */
  *clean(fence: (statements: Statements) => Promise<void>): Work<void> {
    if (!this.#isLookedFor) {
      const found = yield* waitFor(
        this.#database.transaction(async (statements) => {
          await fence(statements);
          return statements.rows<{ id: number }>(`select id from history_series where source = 'import' and not ready`);
        }),
      );
      if (this.#beginning > 0) return;
      for (const { id } of found) if (!this.#underWay.has(id)) this.#left.add(id);
      this.#isLookedFor = true;
    }
    for (const id of [...this.#left]) {
      yield* this.#remove(id);
      this.#left.delete(id);
    }
  }

  /** Does nothing if the import is finished. */
  *#remove(id: number): Work<void> {
    const ofImport = 'select id from history_series where id = $1 and not ready';
    for (let gone = ROWS_AT_ONCE; gone === ROWS_AT_ONCE; ) {
      const rows = yield* waitFor(
        this.#database.rows(
          `delete from history_interval where series in (${ofImport}) and at in
             (select at from history_interval where series = $1 limit $2) returning series`,
          [id, ROWS_AT_ONCE],
        ),
      );
      gone = rows.length;
    }
    yield* waitFor(
      this.#database.transaction(async (statements) => {
        await statements.rows(`${ofImport} for update`, [id]);
        await statements.rows(`delete from history_interval where series in (${ofImport})`, [id]);
        await statements.rows('delete from history_series where id = $1 and not ready', [id]);
      }),
    );
  }

  #stored({ id, ...key }: SeriesRecord): StoredImport {
    const database = this.#database;
    const same = KEY_COLUMNS.map((name, index) => `${name} = $${index + 2}`).join(' and ');
    return {
      *page(from) {
        const rows = yield* waitFor(
          database.rows<RowPlace>(
            'select at, duration, line from history_interval where series = $1 and at >= $2 order by at limit $3',
            [id, from, ROWS_AT_ONCE],
          ),
        );
        return { rows, isLast: rows.length < ROWS_AT_ONCE };
      },
      *overlapping(rows) {
        const [first, last] = [rows[0], rows.at(-1)];
        if (!first || !last) return new Set();
        const others = yield* waitFor(
          database.rows<{ at: number }>(
            `select distinct own.at from history_interval own join history_interval other
               on other.at > own.at - 86400 and other.at < own.at + own.duration and other.at + other.duration > own.at
             where own.series = $1 and own.at >= $${KEY_COLUMNS.length + 2} and own.at <= $${KEY_COLUMNS.length + 3}
               and other.series in (select id from history_series where id <> $1 and ready and ${same})`,
            [id, ...keyValues(key), first.at, last.at],
          ),
        );
        const at = new Set(others.map((row) => row.at));
        return new Set(rows.filter((row) => at.has(row.at)));
      },
    };
  }

  #of(id: number): UnderWay {
    const work = this.#underWay.get(id);
    if (!work) throw new Error('there is no such import');
    return work;
  }
}
