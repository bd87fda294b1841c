/**
 * Words for quantities with their weighting: `laeq`, `lceq`, `lafmax`, `laf10`, `laieq`. They are the symbols of the
 * table of quantities in small letters, and always mean levels of that weighting.
 */
import type { HistoryRow, Weighting } from '../../history/contract.ts';
import { KEPT, type KeptQuantity, quantityOf, symbolOf } from '../quantities.ts';

/** A level of a row, or `l01` ... `l99`. */
export type ColumnQuantity = KeptQuantity | 'lp' | `l${number}`;

const FREQUENCIES: readonly Weighting['frequency'][] = ['A', 'C', 'Z'];
const TIMES: readonly Weighting['time'][] = ['F', 'S', 'I'];
const PERCENTILE = /^l([acz])([fsi])(0[1-9]|[1-9][0-9]?)$/;

/** The weighting in a word; `time` null: the quantity has no time weighting. */
export interface WordWeighting {
  readonly frequency: Weighting['frequency'];
  readonly time: Weighting['time'] | null;
}

/** Meaning of such a word. */
export interface WeightedWord {
  /** As the caller wrote it. */
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

/** Undefined for another word. */
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

/** A column of a table of several channels. */
export interface WeightedColumn extends Omit<WeightedWord, 'weighting'> {
  /** Index of its row: 0 is the row itself, 1 the first beside it. */
  readonly of: number;
}

/**
 * One row from those of several channels, in the order of `WeightedColumn.of`. Coverage and flags come from the row
 * with the least data.
 */
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
