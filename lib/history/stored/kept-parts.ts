/**
 * Cached sums of the parts of stored hours between exclusions. Making a sum unpacks the seconds of the hour, and the
 * same exclusions apply to every answer. So the most recently used sums stay in memory.
 */
import type { Range } from '../contract.ts';
import type { HourRecord } from './columns.ts';
import type { RowPart } from './row-sum.ts';

/** An hour of a series that gets no more rows, with its present sum. */
export interface StoredSum {
  readonly series: number;
  readonly record: HourRecord;
}

/** Up to 4 kB each; a month with a hundred exclusions has 250. */
const MOST = 2_000;

/** Shared by all queries of a store. */
export class KeptParts {
  readonly #parts = new Map<string, { readonly record: HourRecord; readonly part: RowPart }>();

  /** The sum of a part, if the hour has not changed since. */
  find(hour: StoredSum, span: Range): RowPart | undefined {
    const key = keyOf(hour, span);
    const kept = this.#parts.get(key);
    if (!kept) return undefined;
    this.#parts.delete(key);
    if (!isSame(kept.record, hour.record)) return undefined;
    // The most recently used sums are last.
    this.#parts.set(key, kept);
    return kept.part;
  }

  keep(hour: StoredSum, span: Range, part: RowPart): void {
    const { record } = hour;
    // A driver may cut many rows out of one piece of memory, which would all stay.
    const own = { ...record, counts: new Uint8Array(record.counts), spans: new Uint8Array(record.spans) };
    this.#parts.set(keyOf(hour, span), { record: own, part });
    const [oldest] = this.#parts.keys();
    if (oldest !== undefined && this.#parts.size > MOST) this.#parts.delete(oldest);
  }
}

const keyOf = ({ series }: StoredSum, { from, to }: Range): string => `${series} ${from} ${to}`;

const NUMBERS = ['hour', 'steps', 'readings', 'lp', 'lmaxAt', 'secondBytes', 'minuteBytes'] as const;

/** Any changed row of an hour changes its sum, level counts, spans, or the length of its packed rows. */
const isSame = (one: HourRecord, other: HourRecord): boolean =>
  NUMBERS.every((name) => one[name] === other[name]) &&
  isEqual(one.levels, other.levels) &&
  isEqual(one.flagged, other.flagged) &&
  isEqual(one.counts, other.counts) &&
  isEqual(one.spans, other.spans);

function isEqual(some: ArrayLike<number>, others: ArrayLike<number>): boolean {
  if (some.length !== others.length) return false;
  for (let index = 0; index < some.length; index++) if (some[index] !== others[index]) return false;
  return true;
}
