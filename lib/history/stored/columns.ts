/**
 * Rows of `history_hour` and `history_interval`, both ways. Levels and flags of the first release have a column of
 * their own. All others are in the column `more`, as JSON by name, so that a new quantity needs no new column.
 */
import { FLAGS, type Flag } from '../../domain/flags.ts';
import { KEPT } from '../../domain/quantities.ts';
import type { IntervalRow } from '../contract.ts';
import { NONE } from '../rows/bytes.ts';
import { type Levels, NAMED, noLevels, placeOf, storedLevels, UNNAMED, UNNAMED_FLAGS } from '../rows/columns.ts';
import type { HourSum } from '../rows/hour.ts';

export interface IntervalRecord {
  readonly at: number;
  readonly duration: number;
  readonly levels: Levels;
  /** Percentiles of the source, as JSON. */
  readonly ln: string | null;
  readonly line: number | null;
}

/** The sum of an hour with the sizes of its packed rows, bytes. */
export interface HourRecord extends HourSum {
  readonly hour: number;
  readonly secondBytes: number;
  readonly minuteBytes: number;
}

/** `more` is missing in a file of an earlier release that is only read. */
type LevelColumns = { readonly [Name in (typeof UNNAMED)[number]]: number } & { readonly more?: string | null };

export type IntervalColumns = Omit<IntervalRecord, 'levels'> & LevelColumns;

export type HourColumns = Omit<HourRecord, 'levels' | 'lmaxAt' | 'flagged' | 'secondBytes' | 'minuteBytes'> &
  LevelColumns & { readonly [Name in Flag]?: number } & {
    readonly lmax_at: number;
    readonly second_bytes: number;
    readonly minute_bytes: number;
  };

const FLAG_COLUMNS = FLAGS.slice(0, UNNAMED_FLAGS);

export const INTERVAL_COLUMNS: readonly string[] = ['at', 'duration', ...UNNAMED, 'ln', 'line', 'more'];

export const HOUR_COLUMNS: readonly string[] = [
  ...[...UNNAMED, 'lmax_at', 'lp', 'steps', 'readings', ...FLAG_COLUMNS],
  ...['second_bytes', 'minute_bytes', 'counts', 'spans', 'more'],
];

type SqlValue = number | string | null | Uint8Array;

export const intervalValues = ({ at, duration, levels, ln, line }: IntervalRecord): SqlValue[] => [
  ...[at, duration, ...unnamed(levels)],
  ...[ln, line, moreOf(levels, [])],
];

export function hourValues(sum: HourSum, secondBytes: number, minuteBytes: number): SqlValue[] {
  const { levels, lmaxAt, lp, steps, readings, flagged, counts, spans } = sum;
  const numbers = [...unnamed(levels), lmaxAt, lp, steps, readings, ...flagged.slice(0, UNNAMED_FLAGS)];
  return [...numbers, secondBytes, minuteBytes, counts, spans, moreOf(levels, flagged)];
}

export const intervalRecord = (row: IntervalColumns): IntervalRecord => ({
  at: row.at,
  duration: row.duration,
  levels: levelsOf(row, namedIn(row.more)),
  ln: row.ln,
  line: row.line,
});

export function hourRecord(row: HourColumns): HourRecord {
  const named = namedIn(row.more);
  return {
    hour: row.hour,
    levels: levelsOf(row, named),
    lmaxAt: row.lmax_at,
    lp: row.lp,
    steps: row.steps,
    readings: row.readings,
    flagged: FLAGS.map((name) => row[name] ?? named[name] ?? 0),
    secondBytes: row.second_bytes,
    minuteBytes: row.minute_bytes,
    counts: row.counts,
    spans: row.spans,
  };
}

export const storedInterval = (row: IntervalRow): IntervalRecord => ({
  at: row.at,
  duration: row.duration,
  levels: storedLevels(row),
  ln: row.ln ? JSON.stringify(row.ln) : null,
  line: row.line ?? null,
});

const UNNAMED_PLACES = UNNAMED.map(placeOf);
const unnamed = (levels: Levels): number[] => UNNAMED_PLACES.map((place) => levels[place] ?? NONE);

/** Null without named values: most rows. */
function moreOf(levels: Levels, flagged: readonly number[]): string | null {
  const named = NAMED.flatMap((name) => {
    const level = levels[placeOf(name)] ?? NONE;
    return level === NONE ? [] : [[name, level] as const];
  });
  const raised = FLAGS.flatMap((name, bit) => {
    const seconds = flagged[bit] ?? 0;
    return bit < UNNAMED_FLAGS || seconds === 0 ? [] : [[name, seconds] as const];
  });
  const all = [...named, ...raised];
  return all.length > 0 ? JSON.stringify(Object.fromEntries(all)) : null;
}

type Named = Readonly<Record<string, number>>;
const NOTHING: Named = Object.freeze({});
const namedIn = (more: string | null = null): Named => (more === null ? NOTHING : (JSON.parse(more) as Named));

function levelsOf(row: LevelColumns, named: Named): Levels {
  const levels = noLevels();
  for (const [index, name] of UNNAMED.entries()) levels[UNNAMED_PLACES[index] ?? 0] = row[name];
  if (named !== NOTHING)
    for (const [place, name] of KEPT.entries()) levels[place] = named[name] ?? levels[place] ?? NONE;
  return levels;
}
