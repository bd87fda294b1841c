/** What no levels can be, and what columns of a file cannot be beside each other. */

/** No sound level meter shows a level beyond these, dB. */
export const POSSIBLE_DB = Object.freeze({ lowest: -20, highest: 160 });

/** What a check reads of a row: levels by name (`leq`), percentiles by N; null: the row has none. Decibels. */
export interface CheckedRow {
  readonly line: number;
  readonly seconds: number;
  readonly levels: Readonly<Record<string, number | null | undefined>>;
  readonly ln: Readonly<Record<number, number | null>>;
}

/** What is wrong with a line: a part of a sentence, `has leq 243 dB, ...`. */
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
 * A time weighting follows the sound late. In a shorter row, right after a loud sound, the minimum may lie above the Leq; in one that ends with a
 * loud sound, the maximum may lie below.
 */
const SETTLED_S = 60;
const MOST_FAULTS = 20;

/**
 * Looks whether the columns of a file are crossed: lmin above leq, leq above lmax, or a percentile above that of a smaller N. A long row
 * is enough; shorter ones count if they are more than half of all short ones.
 */
export class CrossedColumns {
  readonly #short: LevelFault[] = [];
  #shortRows = 0;
  #shortCrossed = 0;

  /** Returns the fault of a row that is enough alone. Rows with impossible levels say nothing of columns. */
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

  /** After the last row: the first faults of short rows; none: they are not crossed. */
  get ofShortRows(): readonly LevelFault[] {
    return this.#shortCrossed * 2 > this.#shortRows ? this.#short : [];
  }
}

/** The first of two is not higher than the second. */
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

/** Those that the row has. */
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
