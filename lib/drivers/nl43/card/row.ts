/** The layout of NL-43 and NL-53: a line of names, then one row an interval. */
import { countOf } from '../../../domain/figures.ts';
import { KEPT, levelsBy } from '../../../domain/quantities.ts';
import type { CardItem, CardLevel, CardRow } from '../../card/contract.ts';
import type { Line } from './lines.ts';
import { type CardQuantity, cardQuantityOf, cellLength, cellLevel, cellTime } from './values.ts';

interface Column {
  readonly at: number;
  readonly name: string;
  readonly quantity: CardQuantity;
}

/** Gets the lines behind the header, one after the other. */
export class RowReader {
  readonly #columns: readonly Column[];
  readonly #start: number;
  readonly #length: number;
  readonly #count: number;

  private constructor(columns: readonly Column[], start: number, length: number, count: number) {
    this.#columns = columns;
    this.#start = start;
    this.#length = length;
    this.#count = count;
  }

  /** A text is the fault of these names. */
  static from(names: readonly string[]): RowReader | string {
    const start = names.indexOf('Start Time');
    if (start < 0) return 'has no column Start Time';
    const columns = names.flatMap((name, at) => {
      const quantity = cardQuantityOf(name);
      return quantity ? [{ at, name, quantity }] : [];
    });
    const keys = columns.map(({ quantity }) => keyOf(quantity));
    const twice = columns.find((_, at) => keys.indexOf(keys[at] ?? '') !== at);
    if (twice) return `has more than one column for ${twice.name}`;
    if (!keys.includes('leq') && !keys.includes('lp')) return 'has neither Leq nor Lp of the main channel';
    return new RowReader(columns, start, names.indexOf('Measurement Time'), names.length);
  }

  line({ number }: Line, cells: readonly string[]): readonly CardItem[] {
    const wrong = (message: string) => [{ problem: { line: number, message } }];
    // Without the comma at the end: otherwise a row with this comma but without a cell would look complete, with an
    // empty last cell.
    const count = cells.length - (cells.at(-1) === '' ? 1 : 0);
    if (count !== this.#count) return wrong(`has ${countOf(count, 'cell')} and the names ${this.#count}`);
    const start = cellTime(cells[this.#start] ?? '');
    if (start === undefined) return wrong('has a Start Time that is no time');
    const duration = this.#length < 0 ? null : cellLength(cells[this.#length] ?? '');
    if (duration === undefined) return wrong('has a Measurement Time that is no length of time');
    const row = emptyRow(number, start, duration);
    for (const { at, name, quantity } of this.#columns) {
      const cell = cells[at] ?? '';
      if (!put(row, quantity, cell))
        return wrong(`has a ${name} that is no level: ${JSON.stringify(cell.slice(0, 20))}`);
    }
    return [{ row }];
  }

  end(): readonly CardItem[] {
    return [];
  }
}

const keyOf = (quantity: CardQuantity): string =>
  'level' in quantity ? quantity.level : 'flag' in quantity ? quantity.flag : `ln${quantity.percentile}`;

/** A row while it is filled. */
export type MutableRow = { -readonly [K in keyof Omit<CardRow, 'ln'>]: CardRow[K] } & { ln: (number | null)[] };

const LEVELS: readonly CardLevel[] = ['lp', 'le', ...KEPT];

/** Without any level. */
export const emptyRow = (line: number, start: number, duration: number | null): MutableRow => ({
  line,
  start,
  duration,
  frequency: null,
  over: false,
  under: false,
  ...levelsBy(LEVELS, () => null),
  ln: [null, null, null, null, null],
});

/** False where the cell cannot be read. */
export function put(row: MutableRow, quantity: CardQuantity, cell: string): boolean {
  if ('flag' in quantity) {
    row[quantity.flag] = cell !== '-' && cell !== '' && cell !== '0';
    return true;
  }
  const level = cellLevel(cell);
  if (level === undefined) return false;
  if ('level' in quantity) {
    row[quantity.level] = level;
    if (quantity.level === 'leq') row.frequency = quantity.frequency;
  }
  if ('percentile' in quantity) row.ln[quantity.percentile] = level;
  return true;
}
