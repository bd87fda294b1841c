/** The columns that a caller can choose, and the cells of a row: numbers as they are shown, and how far they can be trusted. */
import type { HistoryRow } from '../../history/contract.ts';
import { doubtfulSeconds } from '../flags.ts';
import { coverageOf, qualityOf } from '../indices/index.ts';
import { boundName, EXTREMES, type ExtremeQuantity, KEPT, type KeptQuantity, PERCENTILE_NAME } from '../quantities.ts';

/** A level of a row, or `l01` ... `l99`. */
export type ColumnQuantity = KeptQuantity | 'lp' | `l${number}`;

/** The columns where the caller names none. */
export const DEFAULT_QUANTITIES = 'leq,lmax,lmin,lpeak,l10,l50,l90';
const LEVELS: readonly ColumnQuantity[] = [...KEPT, 'lp'];
/** The words of `columnsOf`, for people. */
export const QUANTITY_WORDS = `${[...LEVELS, ...EXTREMES.map(boundName)].join(', ')}, l01 to l99`;

/** The columns of one table. */
export interface Columns {
  readonly quantities: readonly ColumnQuantity[];
  /** N of the percentiles among them, ascending, each once. */
  readonly percentiles: readonly number[];
  /** Maxima and minima whose bounds have a column of their own, behind all others. */
  readonly bounds: readonly ExtremeQuantity[];
}

/** `leq,l10`: the columns, each once; or the first word that is none. */
export function columnsOf(list: string): Columns | { readonly unknown: string } {
  const words = [...new Set(list.split(',').map((word) => word.trim().toLowerCase()))];
  const bounds = EXTREMES.filter((name) => words.includes(boundName(name)));
  const levels = words.filter((word) => !bounds.some((name) => boundName(name) === word));
  const unknown = levels.find((word) => !LEVELS.some((name) => name === word) && !PERCENTILE_NAME.test(word));
  if (unknown !== undefined) return { unknown };
  const percentiles = words.filter((word) => PERCENTILE_NAME.test(word)).map((word) => Number(word.slice(1)));
  return { quantities: levels as ColumnQuantity[], percentiles: percentiles.toSorted((a, b) => a - b), bounds };
}

/** With the bounds of all maxima and minima among them: for rows of which some cannot be placed. */
export const withBounds = (columns: Columns): Columns => ({
  ...columns,
  bounds: EXTREMES.filter((name) => columns.quantities.includes(name) || columns.bounds.includes(name)),
});

/** Names of the cells, in their order. */
export const headerOf = ({ quantities, bounds }: Columns): readonly string[] => [
  'start',
  ...quantities,
  'coverage',
  'quality',
  'source',
  ...bounds.map(boundName),
];

/** Times are texts, levels are numbers in dB; null: there is none. */
export type Cell = string | number | null;

/** The cells of one row, in the order of `headerOf`. */
export function cellsOf(row: HistoryRow, { quantities, percentiles, bounds }: Columns): Cell[] {
  const levels = quantities.map((name) => {
    const percentile = percentiles.indexOf(Number(name.slice(1)));
    return percentile >= 0 ? row.ln[percentile] : row[name as KeptQuantity | 'lp'];
  });
  const coverage = coverageOf(row.measured, row.to - row.from);
  return [
    utc(row.from),
    ...levels.map(decibels),
    shownCoverage(coverage),
    qualityOfRow(row),
    row.sources.join('+') || null,
    ...bounds.map((name) => decibels(row.bounds[name]?.level)),
  ];
}

/** The quality of a row of the history. */
export const qualityOfRow = ({ from, to, measured, readings, flagged }: HistoryRow) =>
  qualityOf({ seconds: measured, readings, flaggedS: doubtfulSeconds(flagged) }, to - from);

/** Two decimals. */
export const decibels = (level: number | null | undefined): number | null =>
  level === null || level === undefined ? null : Math.round(level * 100) / 100;

/** Three decimals, rounded down: only what is whole is shown as 1. */
export const shownCoverage = (coverage: number): number => Math.floor(coverage * 1_000) / 1_000;

/** `2026-11-21T06:00:00Z` of seconds since 1970. */
export const utc = (seconds: number): string => new Date(seconds * 1_000).toISOString().replace('.000Z', 'Z');
