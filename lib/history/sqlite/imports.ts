/**
 * Imports: each import is a series of its own. It is invisible until its last row is on the disk and no two rows
 * overlap. Then one change of one row makes all rows visible. The next start removes the remains of a crash.
 */
import type { InputError } from '../../errors.ts';
import type { Imported, SeriesKey } from '../contract.ts';
import { INTERVAL_COLUMNS, type IntervalRecord, intervalValues } from '../stored/columns.ts';
import { findOverlaps, noteDouble, Overlaps, type RowPlace, type StoredImport } from '../stored/import-check.ts';
import type { SeriesRecord, SharedImports } from '../stored/source.ts';
import { atOnce, type Work } from '../stored/work.ts';
import type { Catalogue } from './catalogue.ts';
import type { DatabaseConnection, TableReader } from './tables.ts';

const ROWS_AT_ONCE = 2_000;

interface Parts {
  readonly writer: DatabaseConnection;
  readonly reading: TableReader;
  readonly catalogue: Catalogue;
}

/** An import is begun, filled, and then finished or undone. */
export class Imports implements SharedImports {
  readonly #parts: Parts;
  readonly #statements;
  /** Imports under way, with the overlaps that are known so far. */
  readonly #underWay = new Map<
    number,
    { readonly record: SeriesRecord; rows: number; readonly errors: InputError[] }
  >();

  constructor(parts: Parts) {
    const { writer } = parts;
    this.#parts = parts;
    this.#statements = {
      insert: writer.prepare(
        `insert into history_interval (series, ${INTERVAL_COLUMNS.join(', ')})
         values (?, ${INTERVAL_COLUMNS.map(() => '?').join(', ')}) on conflict do nothing`,
      ),
      ready: writer.prepare('update history_series set ready = 1 where id = ?'),
      someRows: writer.prepare(
        'delete from history_interval where series = ? and at in (select at from history_interval where series = ? limit ?)',
      ),
      series: writer.prepare('delete from history_series where id = ?'),
      page: writer.prepare<[number, number, number], RowPlace>(
        'select at, duration, line from history_interval where series = ? and at >= ? order by at limit ?',
      ),
    };
  }

  begin(key: SeriesKey): Work<number> {
    const record = this.#parts.catalogue.made(key, false);
    this.#parts.catalogue.write(record);
    this.#parts.catalogue.add(record);
    this.#underWay.set(record.id, { record, rows: 0, errors: [] });
    return atOnce(record.id);
  }

  add(id: number, rows: readonly IntervalRecord[]): Work<void> {
    const { writer, catalogue } = this.#parts;
    const work = this.#of(id);
    writer.transaction(() => {
      for (const row of rows) {
        const { changes } = this.#statements.insert.run(id, ...intervalValues(row));
        if (changes === 0) noteDouble(work.errors, row);
        else catalogue.widen(work.record, row);
      }
    })();
    work.rows += rows.length;
    return atOnce(undefined);
  }

  /** Throws Overlaps; then the rows are removed. */
  *finish(id: number): Work<Imported> {
    const { record, rows, errors } = this.#of(id);
    yield* findOverlaps(this.#stored(record), errors);
    if (errors.length > 0) {
      yield* this.abandon(id);
      throw new Overlaps(errors);
    }
    const { writer } = this.#parts;
    // Acknowledged rows must be on the disk: this commit also writes everything before it.
    writer.pragma('synchronous = full');
    try {
      this.#statements.ready.run(id);
    } finally {
      writer.pragma('synchronous = normal');
    }
    record.ready = true;
    this.#underWay.delete(id);
    return { rows, from: record.intervalsFrom ?? 0, to: record.intervalsTo ?? 0 };
  }

  *abandon(id: number): Work<void> {
    const record = this.#parts.catalogue.get(id);
    this.#underWay.delete(id);
    if (!record || record.ready) return;
    while (this.#statements.someRows.run(id, id, ROWS_AT_ONCE).changes > 0) yield null;
    this.#statements.series.run(id);
    this.#parts.catalogue.drop(record);
  }

  /** Removes rows of unfinished imports. */
  *clean(): Work<void> {
    for (const { id, ready } of [...this.#parts.catalogue.all()]) {
      if (!ready && !this.#underWay.has(id)) yield* this.abandon(id);
    }
  }

  #stored(record: SeriesRecord): StoredImport {
    const { catalogue, reading } = this.#parts;
    const others = catalogue.of(record.unitId).filter(({ source, channel, weighting: { frequency, time } }) => {
      const own = record.weighting;
      const isOfChannel = source === record.source && channel === record.channel;
      return isOfChannel && frequency === own.frequency && time === own.time;
    });
    const isThere = ({ at, duration }: RowPlace) =>
      others.some(({ id }) => reading.intervals(id, at, at + duration).length > 0);
    return {
      page: (from) => {
        const rows = this.#statements.page.all(record.id, from, ROWS_AT_ONCE);
        return atOnce({ rows, isLast: rows.length < ROWS_AT_ONCE });
      },
      overlapping: (rows) => atOnce(new Set(rows.filter(isThere))),
    };
  }

  #of(id: number) {
    const work = this.#underWay.get(id);
    if (!work) throw new Error('there is no such import');
    return work;
  }
}
