/**
 * Imports: each import is a series of its own. It is invisible until its last row is on the disk and no two rows
 * overlap. Then one change makes all rows visible. The next start removes the remains of a crash.
 */
import type { InputError } from '../../errors.ts';
import type { Imported, Range, SeriesKey } from '../contract.ts';
import type { IntervalRecord } from './columns.ts';
import type { SeriesRecord } from './source.ts';
import type { Work } from './work.ts';

/** Most lines that an error lists. */
const MOST_ERRORS = 20;

export class Overlaps extends Error {
  readonly errors: readonly InputError[];

  constructor(errors: readonly InputError[]) {
    super('Rows of the import overlap.');
    this.errors = errors.slice(0, MOST_ERRORS);
  }
}

/** Place of a row, in time and in its file. */
export type RowPlace = Pick<IntervalRecord, 'at' | 'duration' | 'line'>;

export interface ImportStore {
  /** A new invisible series. */
  make(key: SeriesKey): Work<SeriesRecord>;
  /** Returns the rows that are not stored, because another row of the import has the same beginning. */
  add(series: SeriesRecord, rows: readonly IntervalRecord[]): Work<readonly IntervalRecord[]>;
  /** Rows from a time on, in order, up to some thousand; the last page is not full. */
  page(series: SeriesRecord, from: number): Work<{ readonly rows: readonly RowPlace[]; readonly isLast: boolean }>;
  /** The given rows that overlap an earlier import of the same key. */
  overlapping(series: SeriesRecord, rows: readonly RowPlace[]): Work<ReadonlySet<RowPlace>>;
  /** Makes the rows visible. Returns their span. */
  show(series: SeriesRecord): Work<Range>;
  /** Removes an invisible series with its rows. Does nothing if the series is visible. */
  remove(id: number): Work<void>;
}

interface UnderWay {
  readonly series: SeriesRecord;
  rows: number;
  readonly errors: InputError[];
}

/** An import is begun, filled, and then finished or abandoned. See `History.import`. */
export class Imports {
  readonly #store: ImportStore;
  readonly #underWay = new Map<number, UnderWay>();
  #beginning = 0;
  /** Abandoned imports that are not removed yet. */
  readonly #left = new Set<number>();
  #isLookedFor = false;

  constructor(store: ImportStore) {
    this.#store = store;
  }

  *begin(key: SeriesKey): Work<number> {
    this.#beginning += 1;
    try {
      const series = yield* this.#store.make(key);
      this.#underWay.set(series.id, { series, rows: 0, errors: [] });
      return series.id;
    } finally {
      this.#beginning -= 1;
    }
  }

  *add(id: number, rows: readonly IntervalRecord[]): Work<void> {
    const { series, errors } = this.#of(id);
    for (const row of yield* this.#store.add(series, rows))
      note(errors, row, 'begins when another row of the file begins');
    this.#of(id).rows += rows.length;
  }

  /** Throws Overlaps; then the rows are removed. */
  *finish(id: number): Work<Imported> {
    const { series, rows, errors } = this.#of(id);
    yield* this.#findOverlaps(series, errors);
    if (errors.length > 0) {
      yield* this.abandon(id);
      throw new Overlaps(errors);
    }
    const span = yield* this.#store.show(series);
    this.#underWay.delete(id);
    return { rows, ...span };
  }

  *abandon(id: number): Work<void> {
    this.#underWay.delete(id);
    // If the database is away, the import is removed later.
    this.#left.add(id);
    yield* this.#store.remove(id);
    this.#left.delete(id);
  }

  /** Removes imports that earlier processes left. `find`: the numbers of all invisible imports. */
  *clean(find: () => Work<readonly number[]>): Work<void> {
    if (!this.#isLookedFor) {
      const found = yield* find();
      if (this.#beginning > 0) return;
      for (const id of found) if (!this.#underWay.has(id)) this.#left.add(id);
      this.#isLookedFor = true;
    }
    for (const id of [...this.#left]) yield* this.abandon(id);
  }

  /** Checks in order of time, against the row before and against earlier imports. */
  *#findOverlaps(series: SeriesRecord, errors: InputError[]): Work<void> {
    let [end, next] = [0, 0];
    for (;;) {
      const { rows, isLast } = yield* this.#store.page(series, next);
      const there = yield* this.#store.overlapping(series, rows);
      for (const row of rows) {
        if (row.at < end) note(errors, row, 'overlaps another row of the file');
        if (there.has(row)) note(errors, row, 'overlaps a row of an earlier import');
        end = Math.max(end, row.at + row.duration);
        next = row.at + 1;
      }
      if (isLast || errors.length >= MOST_ERRORS) return;
      yield null;
    }
  }

  #of(id: number): UnderWay {
    const work = this.#underWay.get(id);
    if (!work) throw new Error('there is no such import');
    return work;
  }
}

function note(errors: InputError[], { line, at }: RowPlace, message: string): void {
  if (errors.length >= MOST_ERRORS) return;
  errors.push({ path: line === null ? `/at/${new Date(at * 1_000).toISOString()}` : `/line/${line}`, message });
}
