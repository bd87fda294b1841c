/** The columns that a caller can choose, and the cells of a row: shown numbers, and their quality. */
import type { HistoryRow, Weighting } from '../../history/contract.ts';
import { doubtfulSeconds } from '../flags.ts';
import { coverageOf, qualityOf } from '../indices/index.ts';
import {
  boundName,
  EXTREMES,
  type ExtremeQuantity,
  KEPT,
  type KeptQuantity,
  PERCENTILE_NAME,
  quantityOf,
  symbolOf,
} from '../quantities.ts';

type ColumnQuantity = KeptQuantity | 'lp' | `l${number}`;

const FREQUENCIES: readonly Weighting['frequency'][] = ['A', 'C', 'Z'];
const TIMES: readonly Weighting['time'][] = ['F', 'S', 'I'];
const PERCENTILE = /^l([acz])([fsi])(0[1-9]|[1-9][0-9]?)$/;

/** The weighting in a word; `time` null: the quantity has no time weighting. */
export interface WordWeighting {
  readonly frequency: Weighting['frequency'];
  readonly time: Weighting['time'] | null;
}

interface WeightedWord {
  readonly word: string;
  readonly quantity: ColumnQuantity;
  readonly weighting: WordWeighting;
}

const WORDS: ReadonlyMap<string, WeightedWord> = new Map(
  [...KEPT, 'lp' as const].flatMap((quantity: KeptQuantity | 'lp') => {
    const symbol = quantityOf(quantity)?.symbol ?? '';
    // The peak of a meter may have a weighting of its own: no word names it.
    if (!symbol.includes('{f}')) return [];
    const times = symbol.includes('{t}') ? TIMES : [null];
    return FREQUENCIES.flatMap((frequency) =>
      times.map((time): [string, WeightedWord] => {
        const word = symbolOf(quantity, { frequency, time }).toLowerCase();
        return [word, { word, quantity, weighting: { frequency, time } }];
      }),
    );
  }),
);

/** Symbols in small letters with their weighting: `laeq`, `lafmax`, `laf10`. Undefined for another word. */
export function weightedWord(word: string): WeightedWord | undefined {
  const known = WORDS.get(word);
  const [, f, t, n = ''] = PERCENTILE.exec(word) ?? [];
  const [frequency, time] = [
    FREQUENCIES.find((each) => each.toLowerCase() === f),
    TIMES.find((each) => each.toLowerCase() === t),
  ];
  if (known || !frequency || !time) return known;
  return { word, quantity: `l${n.padStart(2, '0')}` as ColumnQuantity, weighting: { frequency, time } };
}

/** Rows of the same time and several channels. Values other than levels come from the row with the least data. */
export interface RowsBeside extends HistoryRow {
  /** Rows of the other channels, in the order of `WeightedColumn.of`, from 1. */
  readonly beside?: readonly HistoryRow[];
}

interface WeightedColumn extends Omit<WeightedWord, 'weighting'> {
  /** Index of its row: 0 is the row itself, 1 the first beside it. */
  readonly of: number;
}

/** In the order of `WeightedColumn.of`. Coverage and flags come from the row with the least data. */
export function rowBeside(rows: readonly HistoryRow[]): RowsBeside | undefined {
  const [first, ...beside] = rows;
  if (!first) return undefined;
  const least = rows.reduce((worst, row) => (row.measured < worst.measured ? row : worst), first);
  const { measured, readings, flagged } = least;
  return {
    ...first,
    measured,
    readings,
    flagged,
    sources: [...new Set(rows.flatMap(({ sources }) => sources))],
    beside,
  };
}

export const DEFAULT_QUANTITIES = 'leq,lmax,lmin,lpeak,l10,l50,l90';
const LEVELS: readonly ColumnQuantity[] = [...KEPT, 'lp'];
export const QUANTITY_WORDS = `${[...LEVELS, ...EXTREMES.map(boundName)].join(', ')}, l01 to l99, or a symbol with its weighting such as laeq, lceq, laieq, lcfmax, laf10`;

export interface Columns {
  readonly quantities: readonly ColumnQuantity[];
  /** N of the percentiles among them, ascending, each once. */
  readonly percentiles: readonly number[];
  /** Maxima and minima with a column for their bounds, after all others. */
  readonly bounds: readonly ExtremeQuantity[];
  /** Only if a word names its weighting: all columns, each with the row it belongs to. */
  readonly weighted?: readonly WeightedColumn[];
  /** The weighting of each row; null: the otherwise requested weighting. */
  readonly weightings?: readonly (WordWeighting | null)[];
}

/** `leq,l10`: the columns, each once; or the first unknown word. */
export function columnsOf(list: string): Columns | { readonly unknown: string } {
  const words = [...new Set(list.split(',').map((word) => word.trim().toLowerCase()))];
  const bounds = EXTREMES.filter((name) => words.includes(boundName(name)));
  const levels = words.filter((word) => !bounds.some((name) => boundName(name) === word));
  const weighted = levels.map((word) => (isPlain(word) ? undefined : weightedWord(word)));
  const unknown = levels.find((word, place) => !isPlain(word) && !weighted[place]);
  if (unknown !== undefined) return { unknown };
  const quantities = levels.map((word, place) => weighted[place]?.quantity ?? (word as ColumnQuantity));
  const names = quantities.filter((name) => PERCENTILE_NAME.test(name));
  const percentiles = [...new Set(names.map((name) => Number(name.slice(1))))].toSorted((a, b) => a - b);
  if (weighted.every((word) => word === undefined)) return { quantities, percentiles, bounds };
  return { quantities, percentiles, bounds, ...sideBySide(levels, quantities, weighted) };
}

const isPlain = (word: string): boolean => LEVELS.some((name) => name === word) || PERCENTILE_NAME.test(word);

/** Words of one weighting belong to one row; words without a weighting belong to the otherwise requested row. */
function sideBySide(
  words: readonly string[],
  quantities: readonly ColumnQuantity[],
  weighted: readonly (WeightedWord | undefined)[],
): Required<Pick<Columns, 'weighted' | 'weightings'>> {
  const weightings: (WordWeighting | null)[] = [];
  const columns = words.map((word, place): WeightedColumn => {
    const own = weighted[place]?.weighting ?? null;
    const known = weightings.findIndex((each) => each?.frequency === own?.frequency && each?.time === own?.time);
    const of = known >= 0 ? known : weightings.push(own) - 1;
    return { word, quantity: quantities[place] ?? 'leq', of };
  });
  return { weighted: columns, weightings };
}

export const withBounds = (columns: Columns): Columns => ({
  ...columns,
  bounds: EXTREMES.filter((name) => columns.quantities.includes(name) || columns.bounds.includes(name)),
});

export const headerOf = ({ quantities, bounds, weighted }: Columns): readonly string[] => [
  'start',
  ...(weighted?.map(({ word }) => word) ?? quantities),
  'coverage',
  'quality',
  'source',
  ...(weighted ? boundedOf(weighted, bounds).map(({ word }) => `${word}_bound`) : bounds.map(boundName)),
];

/** The caller may have asked only for the bound of a name without a weighting. */
function boundedOf(weighted: readonly WeightedColumn[], bounds: readonly ExtremeQuantity[]): readonly WeightedColumn[] {
  const of = Math.max(
    0,
    weighted.findIndex(({ word, quantity }) => word === quantity),
  );
  const own = (name: ExtremeQuantity) => weighted.filter(({ quantity }) => quantity === name);
  return bounds.flatMap((name) => (own(name).length > 0 ? own(name) : [{ word: name, quantity: name, of }]));
}

/** Times are texts, levels are numbers in dB; null: missing. */
export type Cell = string | number | null;

export function cellsOf(row: RowsBeside, columns: Columns): Cell[] {
  const { quantities, percentiles, bounds, weighted } = columns;
  const rowOf = (of: number): HistoryRow | undefined => (of === 0 ? row : row.beside?.[of - 1]);
  const levels = weighted
    ? weighted.map(({ quantity, of }) => levelOf(rowOf(of), quantity, percentiles))
    : quantities.map((name) => levelOf(row, name, percentiles));
  const bounded = weighted
    ? boundedOf(weighted, bounds).map(({ quantity, of }) => rowOf(of)?.bounds[quantity as ExtremeQuantity]?.level)
    : bounds.map((name) => row.bounds[name]?.level);
  return [
    utc(row.from),
    ...levels.map(decibels),
    shownCoverage(coverageOf(row.measured, row.to - row.from)),
    qualityOfRow(row),
    row.sources.join('+') || null,
    ...bounded.map(decibels),
  ];
}

function levelOf(row: HistoryRow | undefined, name: ColumnQuantity, percentiles: readonly number[]) {
  const percentile = PERCENTILE_NAME.test(name) ? percentiles.indexOf(Number(name.slice(1))) : -1;
  return percentile >= 0 ? row?.ln[percentile] : row?.[name as KeptQuantity | 'lp'];
}

export const qualityOfRow = ({ from, to, measured, readings, flagged }: HistoryRow) =>
  qualityOf({ seconds: measured, readings, flaggedS: doubtfulSeconds(flagged) }, to - from);

/** Two decimals. */
export const decibels = (level: number | null | undefined): number | null =>
  level === null || level === undefined ? null : Math.round(level * 100) / 100;

/**
 * One decimal for people, made from the two decimals of the API, so that both show the same number. Half a step is
 * rounded away from zero: 64.85 becomes 64.9, and so does 64.846. Computed in whole numbers: the computer stores 64.85
 * as a little less.
 */
export function shownTenths(level: number): number {
  const tenths = Math.floor((Math.abs(Math.round(level * 100)) + 5) / 10) / 10;
  return level < 0 && tenths > 0 ? -tenths : tenths;
}

/** The same as text without a language: `64.9`. */
export const levelText = (level: number): string => shownTenths(level).toFixed(1);

/** Three decimals, rounded down: only a complete span is shown as 1. */
export const shownCoverage = (coverage: number): number => Math.floor(coverage * 1_000) / 1_000;

/** `2026-11-21T06:00:00Z`, from seconds since 1970. */
export const utc = (seconds: number): string => new Date(seconds * 1_000).toISOString().replace('.000Z', 'Z');
