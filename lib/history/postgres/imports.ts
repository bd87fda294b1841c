/** Imports go directly to the database. The next gateway that records removes the remains of a crash. */
import type { Range, SeriesKey } from '../contract.ts';
import type { IntervalRecord } from '../stored/columns.ts';
import type { ImportStore, RowPlace } from '../stored/imports.ts';
import type { SeriesColumns, SeriesRecord } from '../stored/source.ts';
import { type Work, waitFor } from '../stored/work.ts';
import type { PostgresDatabase, Statements } from './database.ts';
import { importSeries, KEY_COLUMNS, keyValues, placeText, writeIntervals } from './statements.ts';

const ROWS_AT_ONCE = 2_000;
const ROWS_A_STATEMENT = 500;

export class PostgresImports implements ImportStore {
  readonly #database: PostgresDatabase;

  constructor(database: PostgresDatabase) {
    this.#database = database;
  }

  *make(key: SeriesKey): Work<SeriesRecord> {
    return yield* waitFor(importSeries(key, false, this.#database));
  }

  *add({ id }: SeriesRecord, rows: readonly IntervalRecord[]): Work<readonly IntervalRecord[]> {
    const refused: IntervalRecord[] = [];
    for (let first = 0; first < rows.length; first += ROWS_A_STATEMENT) {
      const some = rows.slice(first, first + ROWS_A_STATEMENT);
      const added = yield* waitFor(
        this.#database.transaction(async (statements) => {
          // After a takeover the other gateway has removed the import: rows without a series would stay for ever.
          const [there] = await statements.rows('select 1 from history_series where id = $1 for update', [id]);
          if (!there) throw new Error('there is no such import');
          const own = some.map((row) => ({ series: id, row }));
          return writeIntervals(own, statements, 'overlapping');
        }),
      );
      // Of several rows with one beginning, one is stored.
      refused.push(...some.filter(({ at }) => !added.delete(placeText(id, at))));
    }
    return refused;
  }

  *page({ id }: SeriesRecord, from: number): ReturnType<ImportStore['page']> {
    const rows = yield* waitFor(
      this.#database.rows<RowPlace>(
        'select at, duration, line from history_interval where series = $1 and at >= $2 order by at limit $3',
        [id, from, ROWS_AT_ONCE],
      ),
    );
    return { rows, isLast: rows.length < ROWS_AT_ONCE };
  }

  *overlapping({ id, ...key }: SeriesRecord, rows: readonly RowPlace[]): Work<ReadonlySet<RowPlace>> {
    const [first, last] = [rows[0], rows.at(-1)];
    if (!first || !last) return new Set();
    const same = KEY_COLUMNS.map((name, index) => `${name} = $${index + 2}`).join(' and ');
    const others = yield* waitFor(
      this.#database.rows<{ at: number }>(
        `select distinct own.at from history_interval own join history_interval other
           on other.at > own.at - 86400 and other.at < own.at + own.duration and other.at + other.duration > own.at
         where own.series = $1 and own.at >= $${KEY_COLUMNS.length + 2} and own.at <= $${KEY_COLUMNS.length + 3}
           and other.series in (select id from history_series where id <> $1 and ready and ${same})`,
        [id, ...keyValues(key), first.at, last.at],
      ),
    );
    const at = new Set(others.map((row) => row.at));
    return new Set(rows.filter((row) => at.has(row.at)));
  }

  *show({ id }: SeriesRecord): Work<Range> {
    const [ready] = yield* waitFor(
      this.#database.rows<SeriesColumns>('update history_series set ready = true where id = $1 returning *', [id]),
    );
    if (!ready) throw new Error('there is no such import');
    return { from: ready.intervals_from ?? 0, to: ready.intervals_to ?? 0 };
  }

  *remove(id: number): Work<void> {
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

  /** `fence` throws unless all unfinished imports belong to this process. */
  *unfinished(fence: (statements: Statements) => Promise<void>): Work<readonly number[]> {
    const found = yield* waitFor(
      this.#database.transaction(async (statements) => {
        await fence(statements);
        return statements.rows<{ id: number }>(`select id from history_series where source = 'import' and not ready`);
      }),
    );
    return found.map(({ id }) => id);
  }
}
