/** Checks for impossible levels, and for columns of a file that contradict each other. */

/** No sound level meter shows a level beyond these, dB. */
export const POSSIBLE_DB = Object.freeze({ lowest: -20, highest: 160 });

/** Input of a check: levels by name (`leq`), percentiles by N; null: missing. Decibels. */
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
/**
 * A time weighting follows the sound late. In a shorter row, right after a loud sound, the minimum may be above the
 * Leq. If the row ends with a loud sound, the maximum may be below the Leq.
 */
const SETTLED_S = 60;
const MOST_FAULTS = 20;
/** Of the short rows of a file with crossed columns. */
const CROSSED_SHARE = 0.9;

/**
 * Checks whether the columns of a file are mixed up: lmin above leq, leq above lmax, or a percentile above that of a
 * smaller N. One long row is enough; short rows count if they are more than nine tenths of all short rows: in a right file
 * of 1 s rows with time weighting S more than half may cross.
 */
export class CrossedColumns {
  readonly #short: LevelFault[] = [];
  #shortRows = 0;
  #shortCrossed = 0;

  /** Returns the fault if this row alone is enough. Rows with impossible levels are ignored here. */
  add(row: CheckedRow): LevelFault | undefined {
    if (impossibleLevel(row)) return undefined;
    const certain =
      crossing(row, percentilePairs(row)) ?? (row.seconds >= SETTLED_S ? crossing(row, PAIRS) : undefined);
    if (certain || row.seconds >= SETTLED_S) return certain;
    this.#shortRows += 1;
    const fault = crossing(row, PAIRS);
    if (!fault) return undefined;
    this.#shortCrossed += 1;
    if (this.#short.length < MOST_FAULTS) this.#short.push(fault);
    return undefined;
  }

  /** After the last row: the first faults of short rows; empty: the columns are right. */
  get ofShortRows(): readonly LevelFault[] {
    return this.#shortCrossed > CROSSED_SHARE * this.#shortRows ? this.#short : [];
  }
}

/** The first of two must not be higher than the second. */
type Pair = readonly [lower: string, higher: string];
const PAIRS: readonly Pair[] = [
  ['lmin', 'leq'],
  ['leq', 'lmax'],
];

const percentileName = (n: number) => `l${String(n).padStart(2, '0')}`;

function percentilePairs({ ln }: CheckedRow): readonly Pair[] {
  const names = Object.keys(ln)
    .map(Number)
    .filter((n) => ln[n] !== null)
    .sort((a, b) => a - b)
    .map(percentileName);
  return names.slice(1).map((name, index) => [name, names[index] ?? name]);
}

/** Levels of the row with their names. */
const namedLevels = ({ levels, ln }: CheckedRow): (readonly [string, number])[] =>
  [
    ...Object.entries(levels),
    ...Object.entries(ln).map(([n, level]) => [percentileName(Number(n)), level] as const),
  ].flatMap(([name, level]) => (level === null || level === undefined ? [] : [[name, level] as const]));

function crossing(row: CheckedRow, pairs: readonly Pair[]): LevelFault | undefined {
  const levels = new Map(namedLevels(row));
  for (const [lower, higher] of pairs) {
    const [low, high] = [levels.get(lower), levels.get(higher)];
    if (low === undefined || high === undefined || low - high <= ROUNDED_DB + 1e-9) continue;
    return {
      line: row.line,
      message: `has ${lower} ${low} dB above ${higher} ${high} dB: columns may be crossed`,
    };
  }
  return undefined;
}
