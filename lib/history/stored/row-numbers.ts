/**
 * Rows of an answer as numbers, which cross to the main thread as they are.
 * Layout: `AT`, then one number for each flag, one for each level, three for each bound, one for each percentile. NaN is null.
 */
import { FLAGS, type Flag, type FlaggedSeconds } from '../../domain/flags.ts';
import { KEPT } from '../../domain/quantities.ts';
import { SOURCES } from '../check.ts';
import type { HistoryRow, Source } from '../contract.ts';
import { BOUND_NUMBERS, boundsAt, NO_BOUNDS } from '../rows/level-sums.ts';

export const AT = {
  from: 0,
  to: 1,
  lmaxAt: 2,
  lp: 3,
  measured: 4,
  readings: 5,
  sources: 6,
  resolution: 7,
  bounded: 8,
} as const;
export const FLAGS_AT = 9;
export const LEVELS_AT = FLAGS_AT + FLAGS.length;
/** Valid only if `bounded` is 1; otherwise they belong to an earlier row. */
export const BOUNDS_AT = LEVELS_AT + KEPT.length;
export const PERCENTILES_AT = BOUNDS_AT + BOUND_NUMBERS;
export const widthOf = (percentiles: number): number => PERCENTILES_AT + percentiles;

const orNull = (value: number | undefined) => (value === undefined || Number.isNaN(value) ? null : value);

/** Shared: nearly all rows have this list. */
const NO_PERCENTILES: readonly null[] = Object.freeze([]);
const NO_FLAGS = Object.freeze(record(FLAGS, 0));
type Row = { -readonly [Field in keyof HistoryRow]: HistoryRow[Field] };
/** Copied and then filled: faster than an object that grows level by level. */
const EMPTY: Readonly<Row> = Object.freeze({
  from: 0,
  to: 0,
  lmaxAt: null,
  lp: null,
  ln: NO_PERCENTILES,
  measured: 0,
  readings: 0,
  flagged: NO_FLAGS,
  sources: [],
  resolution: 0,
  bounds: NO_BOUNDS,
  ...record(KEPT, null),
});

function record<Name extends string, Value>(names: readonly Name[], value: Value): Record<Name, Value> {
  return Object.fromEntries(names.map((name) => [name, value])) as Record<Name, Value>;
}

/** Marks the row at `index` as missing, among rows without percentiles. */
export function writeNone(numbers: Float64Array, index: number): void {
  numbers[index * widthOf(0) + AT.from] = Number.NaN;
}

export const isNone = (numbers: Float64Array, index: number): boolean =>
  Number.isNaN(numbers[index * widthOf(0) + AT.from]);

export function rowAt(
  numbers: Float64Array,
  index: number,
  percentiles: number,
  counts: readonly (readonly [number, number])[] | undefined,
): HistoryRow {
  const width = widthOf(percentiles);
  const at = index * width;
  const number = (field: number) => numbers[at + field] ?? 0;
  const level = (field: number) => orNull(numbers[at + field]);
  const row: Row = { ...EMPTY };
  row.from = number(AT.from);
  row.to = number(AT.to);
  row.lmaxAt = level(AT.lmaxAt);
  row.lp = level(AT.lp);
  if (percentiles > 0) row.ln = Array.from(numbers.subarray(at + PERCENTILES_AT, at + width), orNull);
  row.measured = number(AT.measured);
  row.readings = number(AT.readings);
  row.flagged = flaggedAt(numbers, at + FLAGS_AT);
  row.sources = sourcesOf(number(AT.sources));
  row.resolution = number(AT.resolution);
  let place = LEVELS_AT;
  for (const name of KEPT) row[name] = level(place++);
  if (number(AT.bounded) > 0) row.bounds = boundsAt(numbers, at + BOUNDS_AT);
  if (counts) row.counts = counts;
  return row;
}

function flaggedAt(numbers: Float64Array, at: number): FlaggedSeconds {
  let seconds = 0;
  for (let bit = 0; bit < FLAGS.length; bit++) seconds += numbers[at + bit] ?? 0;
  if (seconds === 0) return NO_FLAGS;
  const flagged: Record<Flag, number> = { ...NO_FLAGS };
  for (const [bit, name] of FLAGS.entries()) flagged[name] = numbers[at + bit] ?? 0;
  return flagged;
}

/** One list for each set of sources, shared by all rows. */
const LISTS: readonly (readonly Source[])[] = Array.from({ length: 1 << SOURCES.length }, (_, bits) =>
  Object.freeze(SOURCES.filter((_, bit) => (bits >> bit) & 1)),
);
const sourcesOf = (bits: number): readonly Source[] => LISTS[bits] ?? [];
