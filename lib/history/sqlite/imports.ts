/**
 * Imports: each is a series of its own. It is invisible until its last row is on the disk and no two rows overlap. Then one change
 * of one row makes all rows visible. What a crash leaves behind is removed at the next start.
 */
import type { InputError } from '../../errors.ts';
import type { Imported, SeriesKey } from '../contract.ts';
import { INTERVAL_COLUMNS, type IntervalRecord, intervalValues } from '../stored/columns.ts';
import type { SeriesRecord } from '../stored/source.ts';
import type { Catalogue } from './catalogue.ts';
import type { DatabaseConnection, TableReader } from './tables.ts';

const ROWS_AT_ONCE = 2_000;
/** Most lines that an error lists. */
const MOST_ERRORS = 20;

/** Rows that overlap, by line. */
export class Overlaps extends Error {
  readonly errors: readonly InputError[];

  constructor(errors: readonly InputError[]) {
    super('Rows of the import overlap.');
    this.errors = errors;
  }
}

/** Where a row stands, in time and in its file. */
type Place = Pick<IntervalRecord, 'at' | 'duration' | 'line'>;

interface Parts {
  readonly writer: DatabaseConnection;
  readonly reading: TableReader;
  readonly catalogue: Catalogue;
}

/** Begun, filled, and then finished or undone. */
export class Imports {
  readonly #parts: Parts;
  readonly #statements;
  /** Those under way, with the overlaps that are known already. */
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
      page: writer.prepare<[number, number, number], Place>(
        'select at, duration, line from history_interval where series = ? and at >= ? order by at limit ?',
      ),
    };
  }

  begin(key: SeriesKey): number {
    const record = this.#parts.catalogue.made(key, false);
    this.#parts.catalogue.write(record);
    this.#parts.catalogue.add(record);
    this.#underWay.set(record.id, { record, rows: 0, errors: [] });
    return record.id;
  }

  add(id: number, rows: readonly IntervalRecord[]): void {
    const { writer, catalogue } = this.#parts;
    const work = this.#of(id);
    writer.transaction(() => {
      for (const row of rows) {
        const { changes } = this.#statements.insert.run(id, ...intervalValues(row));
        if (changes === 0) note(work.errors, row, 'begins when another row of the file begins');
        else catalogue.widen(work.record, row);
      }
    })();
    work.rows += rows.length;
  }

  /** Throws Overlaps; then the rows are removed. */
  *finish(id: number): Generator<null, Imported> {
    const { record, rows, errors } = this.#of(id);
    yield* this.#check(record, errors);
    if (errors.length > 0) {
      yield* this.abandon(id);
      throw new Overlaps(errors.slice(0, MOST_ERRORS));
    }
    const { writer } = this.#parts;
    // What is acknowledged must be on the disk: this commit writes everything before it, too.
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

  *abandon(id: number): Generator<null> {
    const record = this.#parts.catalogue.get(id);
    this.#underWay.delete(id);
    if (!record || record.ready) return;
    while (this.#statements.someRows.run(id, id, ROWS_AT_ONCE).changes > 0) yield null;
    this.#statements.series.run(id);
    this.#parts.catalogue.drop(record);
  }

  /** Rows of imports that nobody will finish. */
  *clean(): Generator<null> {
    for (const { id, ready } of [...this.#parts.catalogue.all()]) {
      if (!ready && !this.#underWay.has(id)) yield* this.abandon(id);
    }
  }

  /** In order of time, against the row before and against earlier imports. */
  *#check(record: SeriesRecord, errors: InputError[]): Generator<null> {
    const { catalogue, reading } = this.#parts;
    const others = catalogue.of(record.unitId).filter(({ source, weighting: { frequency, time } }) => {
      const own = record.weighting;
      return source === record.source && frequency === own.frequency && time === own.time;
    });
    let end = 0;
    let next = 0;
    for (;;) {
      const page = this.#statements.page.all(record.id, next, ROWS_AT_ONCE);
      for (const row of page) {
        if (row.at < end) note(errors, row, 'overlaps another row of the file');
        const isThere = others.some(({ id }) => reading.intervals(id, row.at, row.at + row.duration).length > 0);
        if (isThere) note(errors, row, 'overlaps a row of an earlier import');
        end = Math.max(end, row.at + row.duration);
        next = row.at + 1;
      }
      if (page.length < ROWS_AT_ONCE || errors.length >= MOST_ERRORS) return;
      yield null;
    }
  }

  #of(id: number) {
    const work = this.#underWay.get(id);
    if (!work) throw new Error('there is no such import');
    return work;
  }
}

function note(errors: InputError[], { line, at }: Place, message: string): void {
  if (errors.length >= MOST_ERRORS) return;
  errors.push({ path: line === null ? `/at/${new Date(at * 1_000).toISOString()}` : `/line/${line}`, message });
}
