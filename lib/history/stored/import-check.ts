/** Faults in the rows of an import, by their lines. */
import type { InputError } from '../../errors.ts';
import type { IntervalRecord } from './columns.ts';
import type { Work } from './work.ts';

/** Most lines that an error lists. */
const MOST_ERRORS = 20;

/** Rows that overlap, by line. */
export class Overlaps extends Error {
  readonly errors: readonly InputError[];

  constructor(errors: readonly InputError[]) {
    super('Rows of the import overlap.');
    this.errors = errors.slice(0, MOST_ERRORS);
  }
}

/** Place of a row, in time and in its file. */
export type RowPlace = Pick<IntervalRecord, 'at' | 'duration' | 'line'>;

/** Of two rows with the same beginning in a file, one is not stored. */
export const noteDouble = (errors: InputError[], row: RowPlace): void =>
  note(errors, row, 'begins when another row of the file begins');

/** Reads an import back in order of time. */
export interface StoredImport {
  /** Rows from a time on, in order, up to some thousand; the last page is not full. */
  page(from: number): Work<{ readonly rows: readonly RowPlace[]; readonly isLast: boolean }>;
  /** The given rows that overlap an earlier import of the same series. */
  overlapping(rows: readonly RowPlace[]): Work<ReadonlySet<RowPlace>>;
}

/** Checks in order of time, against the row before and against earlier imports. */
export function* findOverlaps(stored: StoredImport, errors: InputError[]): Work<void> {
  let [end, next] = [0, 0];
  for (;;) {
    const { rows, isLast } = yield* stored.page(next);
    const there = yield* stored.overlapping(rows);
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

function note(errors: InputError[], { line, at }: RowPlace, message: string): void {
  if (errors.length >= MOST_ERRORS) return;
  errors.push({ path: line === null ? `/at/${new Date(at * 1_000).toISOString()}` : `/line/${line}`, message });
}
