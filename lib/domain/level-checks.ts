/** Checks for impossible levels, and for columns of a file that contradict each other. */
import type { Weighting } from '../history/contract.ts';

type TimeWeighting = Weighting['time'];

/** No sound level meter shows a level beyond these, dB. */
export const POSSIBLE_DB = Object.freeze({ lowest: -20, highest: 160 });

interface CheckedRow {
  readonly line: number;
  readonly seconds: number;
  readonly levels: Readonly<Record<string, number | null | undefined>>;
  readonly ln: Readonly<Record<number, number | null>>;
}

/** A fault of a line: a part of a sentence, `has leq 243 dB, ...`. */
export interface LevelFault {
  readonly line: number;
  readonly message: string;
}

/** The fault of a row that has a level beyond `POSSIBLE_DB`: the row cannot count. */
export function impossibleLevel(row: CheckedRow): LevelFault | undefined {
  const { lowest, highest } = POSSIBLE_DB;
  const found = namedLevels(row).find(([, level]) => level < lowest || level > highest);
  if (!found) return undefined;
  const [name, level] = found;
  return { line: row.line, message: `has ${name} ${level} dB, which is not from ${lowest} to ${highest} dB` };
}

/** Levels are written in tenths: they may differ by this much, dB. */
const ROUNDED_DB = 0.1;
/** In rows of this length the lag of a time weighting does not count. */
const SETTLED_S = 60;
/** Some meters make Lmax and Lmin of samples: one each 100 ms. */
const SAMPLE_S = 0.1;
/** The slowest fall of a time-weighted level after a sound, dB/s, as IEC 61672-1 permits it for F and S. */
const FALL_DB_S: Readonly<Record<TimeWeighting, number>> = { F: 25, S: 3.4, I: 2.4 };
const MOST_FAULTS = 20;
/** Of the rows of a file with crossed columns. */
const CROSSED_SHARE = 0.9;

/**
 * Checks whether the columns of a file are mixed up: lmin above leq or lmax, leq above lmax, or a percentile above that
 * of a smaller N. One row is enough if its time weighting cannot explain it. Other crossed rows count if they are more
 * than nine tenths of all rows: in a right file of 1 s rows with time weighting S more than half may cross.
 */
export class CrossedColumns {
  readonly #time: TimeWeighting;
  readonly #lagging: LevelFault[] = [];
  #rows = 0;
  #crossed = 0;

  /** `time`: if it is not known, S: its lag is the longest. */
  constructor(time: TimeWeighting) {
    this.#time = time;
  }

  /** Returns the fault if this row alone is enough. Rows with impossible levels are ignored here. */
  add(row: CheckedRow): LevelFault | undefined {
    if (impossibleLevel(row)) return undefined;
    const pairs = lagPairs(row, this.#time);
    const certain = crossing(row, [...percentilePairs(row), ...pairs, ['lmin', 'lmax', ROUNDED_DB]]);
    if (certain) return certain;
    this.#rows += 1;
    const withoutLag = pairs.map(([lower, higher]): Pair => [lower, higher]);
    const fault = crossing(row, withoutLag);
    if (!fault) return undefined;
    this.#crossed += 1;
    if (this.#lagging.length < MOST_FAULTS) this.#lagging.push(fault);
    return undefined;
  }

  /** After the last row: the first faults that a time weighting explains in single rows; empty: the columns are right. */
  get ofMostRows(): readonly LevelFault[] {
    return this.#crossed > CROSSED_SHARE * this.#rows ? this.#lagging : [];
  }
}

/** The first of two must not be higher than the second, or by no more than this, dB. */
type Pair = readonly [lower: string, higher: string, most?: number];

/**
 * A time weighting follows the sound late. While its level falls from Lmax to Lmin, the row may be silent: so its Leq may
 * be below Lmin. I holds each impulse: such a row may be silent most of the time. A bang at the end of a row raises
 * Leq more than the level. The energy of the row limits both.
 */
function lagPairs({ seconds, levels }: CheckedRow, time: TimeWeighting): readonly Pair[] {
  const isSettled = seconds >= SETTLED_S;
  const range = (levels.lmax ?? POSSIBLE_DB.highest) - (levels.lmin ?? POSSIBLE_DB.lowest) + ROUNDED_DB;
  const silent = Math.min(1, (SAMPLE_S + range / FALL_DB_S[time]) / seconds);
  const lag = 10 / Math.LN10 / FALL_DB_S[time];
  const ofLeast: Pair = ['lmin', 'leq', isSettled ? 0 : -10 * Math.log10(1 - silent)];
  const ofMost: Pair = ['leq', 'lmax', isSettled ? 0 : 10 * Math.log10(1 + (lag + SAMPLE_S) / seconds)];
  return time === 'I' ? [ofMost] : [ofLeast, ofMost];
}

const percentileName = (n: number) => `l${String(n).padStart(2, '0')}`;

function percentilePairs({ ln }: CheckedRow): readonly Pair[] {
  const names = Object.keys(ln)
    .map(Number)
    .filter((n) => ln[n] !== null)
    .sort((a, b) => a - b)
    .map(percentileName);
  return names.slice(1).map((name, index) => [name, names[index] ?? name]);
}

const namedLevels = ({ levels, ln }: CheckedRow): (readonly [string, number])[] =>
  [
    ...Object.entries(levels),
    ...Object.entries(ln).map(([n, level]) => [percentileName(Number(n)), level] as const),
  ].flatMap(([name, level]) => (level === null || level === undefined ? [] : [[name, level] as const]));

function crossing(row: CheckedRow, pairs: readonly Pair[]): LevelFault | undefined {
  const levels = new Map(namedLevels(row));
  for (const [lower, higher, most = 0] of pairs) {
    const [low, high] = [levels.get(lower), levels.get(higher)];
    if (low === undefined || high === undefined || low - high <= most + ROUNDED_DB + 1e-9) continue;
    return {
      line: row.line,
      message: `has ${lower} ${low} dB above ${higher} ${high} dB: columns may be crossed`,
    };
  }
  return undefined;
}
