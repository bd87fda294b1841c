/**
 * Reads a `.rnd` file while it arrives, by the names of its columns:
 *
 *   CSV                                              CSV
 *   Address,Start Time,Measurement Time,Leq(Main),   Address,   868
 *        1,2025/12/24 02:00:00,00d 00:15:00.0, 43.7, Start Time,2015/12/08 13:40:00
 *                                                    Measurement Time,00d 00:10:00.0
 *   one row an interval (NL-43)                      ,Sub,Main,Partial Over All,12.5 Hz
 *                                                    Leq, 43.1, 43.7, ...          one block an interval (NL-52)
 */
import { countOf } from '../../../domain/figures.ts';
import { KEPT, levelsBy } from '../../../domain/quantities.ts';
import type { CardItem, CardLevel, CardRow, ReadOptions } from '../../card/contract.ts';
import { cardLines, type Line } from './header.ts';

const splitCells = (text: string): string[] => text.split(',').map((cell) => cell.trim());

// Cells of files of the card: levels, times, lengths of time. Undefined: the cell cannot be read.

/** `43.7`; null for the marks of a missing value: `-.-`, `--.-`, `---.-`, `-`, or an empty cell. */
function cellLevel(cell: string): number | null | undefined {
  if (/^-*(\.-)?$/.test(cell)) return null;
  if (!/^[+-]?\d{1,3}(\.\d{1,3})?$/.test(cell)) return undefined;
  return Math.abs(Number(cell)) <= 300 ? Number(cell) : undefined;
}

const TIME = /^(\d{4})[/-](\d\d)[/-](\d\d) (\d\d):(\d\d):(\d\d)(\.\d{1,3})?$/;

/** `2025/12/24 02:00:00`, with or without a fraction. Ms as if it were UTC. */
function cellTime(cell: string): number | undefined {
  const [, year, month, day, hours, minutes, seconds, fraction = ''] = TIME.exec(cell) ?? [];
  if (year === undefined || Number(hours) > 23 || Number(minutes) > 59 || Number(seconds) > 59) return undefined;
  const time = Date.UTC(
    Number(year),
    Number(month) - 1,
    Number(day),
    Number(hours),
    Number(minutes),
    Number(seconds),
    Math.round(Number(`0${fraction}`) * 1_000),
  );
  const date = new Date(time);
  const exists = Number(year) >= 1970 && date.getUTCMonth() === Number(month) - 1 && date.getUTCDate() === Number(day);
  return exists ? time : undefined;
}

/** `00d 00:15:00.0`, with up to three decimals. Ms. */
function cellLength(cell: string): number | undefined {
  const [, days = 0, hours, minutes, seconds] = /^(?:(\d{1,3})d )?(\d\d):(\d\d):(\d\d(?:\.\d{1,3})?)$/.exec(cell) ?? [];
  if (hours === undefined || Number(minutes) > 59 || Number(seconds) >= 60) return undefined;
  const whole = (Number(days) * 24 + Number(hours)) * 60 + Number(minutes);
  return whole * 60_000 + Math.round(Number(seconds) * 1_000);
}

type CardQuantity =
  | { readonly level: CardLevel; readonly frequency: 'A' | 'C' | 'Z' | null }
  | { readonly percentile: number }
  | { readonly flag: 'over' | 'under' };

const LEVEL_WORDS: Readonly<Record<string, CardLevel>> = {
  p: 'lp',
  eq: 'leq',
  e: 'le',
  max: 'lmax',
  min: 'lmin',
  peak: 'lpeak',
  ieq: 'lieq',
};

/** Of `Leq(Main)`, `LAeq`, `LN1` or `Over(Main)`. Undefined for other channels and unknown names. */
function cardQuantityOf(name: string): CardQuantity | undefined {
  const [, bare = ''] = /^([^()]+?)\s*(?:\(Main\))?$/i.exec(name) ?? [];
  const [, percentile] = /^LN([1-5])$/i.exec(bare) ?? [];
  if (percentile) return { percentile: Number(percentile) - 1 };
  if (/^(over|under)$/i.test(bare)) return { flag: bare.toLowerCase() === 'over' ? 'over' : 'under' };
  const [, frequency, word = ''] = /^L([ACZ])?(p|eq|E|max|min|peak|Ieq)$/.exec(bare) ?? [];
  const level = LEVEL_WORDS[word.toLowerCase()];
  return level && { level, frequency: frequency === 'A' || frequency === 'C' || frequency === 'Z' ? frequency : null };
}

/** The layout of NL-43 and NL-53: a line of names, then one row an interval. A text is the fault of the names. */
function rowReader(names: readonly string[]): LayoutReader | string {
  const startAt = names.indexOf('Start Time');
  const lengthAt = names.indexOf('Measurement Time');
  if (startAt < 0) return 'has no column Start Time';
  const columns = names.flatMap((name, at) => {
    const quantity = cardQuantityOf(name);
    return quantity ? [{ at, name, quantity }] : [];
  });
  const keys = columns.map(({ quantity }) => keyOf(quantity));
  const twice = columns.find((_, at) => keys.indexOf(keys[at] ?? '') !== at);
  if (twice) return `has more than one column for ${twice.name}`;
  if (!keys.includes('leq') && !keys.includes('lp')) return 'has neither Leq nor Lp of the main channel';
  return {
    line({ number }, cells) {
      const wrong = (message: string) => [problem(number, message)];
      // Without the comma at the end: otherwise a row with this comma but without a cell would look complete, with an
      // empty last cell.
      const count = cells.length - (cells.at(-1) === '' ? 1 : 0);
      if (count !== names.length) return wrong(`has ${countOf(count, 'cell')} and the names ${names.length}`);
      const start = cellTime(cells[startAt] ?? '');
      if (start === undefined) return wrong('has a Start Time that is no time');
      const duration = lengthAt < 0 ? null : cellLength(cells[lengthAt] ?? '');
      if (duration === undefined) return wrong('has a Measurement Time that is no length of time');
      const row = emptyRow(number, start, duration);
      for (const { at, name, quantity } of columns) {
        const cell = cells[at] ?? '';
        if (!put(row, quantity, cell))
          return wrong(`has a ${name} that is no level: ${JSON.stringify(cell.slice(0, 20))}`);
      }
      return [{ row }];
    },
    end: () => [],
  };
}

const keyOf = (quantity: CardQuantity): string =>
  'level' in quantity ? quantity.level : 'flag' in quantity ? quantity.flag : `ln${quantity.percentile}`;

type MutableRow = { -readonly [K in keyof Omit<CardRow, 'ln'>]: CardRow[K] } & { ln: (number | null)[] };

const LEVELS: readonly CardLevel[] = ['lp', 'le', ...KEPT];

const emptyRow = (line: number, start: number, duration: number | null): MutableRow => ({
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
function put(row: MutableRow, quantity: CardQuantity, cell: string): boolean {
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

/**
 * The layout of NL-52: for each interval its address, start and length, a line of channels, and one line a quantity.
 */
class BlockReader {
  #block: { row: MutableRow; main: number; broken: boolean; quantities: number } | undefined;

  line({ number }: Line, cells: readonly string[]): readonly CardItem[] {
    const [key = '', value = ''] = cells;
    if (key === 'Address') {
      const whole = this.end();
      this.#begin(number);
      return whole;
    }
    const block = this.#block;
    if (!block || block.broken) return [];
    if (key === 'Start Time') return this.#time(number, cellTime(value), 'start', 'Start Time');
    if (key === 'Measurement Time') return this.#time(number, cellLength(value), 'duration', 'Measurement Time');
    if (key === '') {
      block.main = cells.indexOf('Main');
      return block.main < 0 ? this.#give(number, 'names no channel Main') : [];
    }
    const quantity = cardQuantityOf(key);
    if (!quantity) return [];
    if (block.main < 0) return this.#give(number, 'has a level before the names of the channels');
    if (cells.length <= block.main || !put(block.row, quantity, cells[block.main] ?? ''))
      return this.#give(number, `has no level of Main for ${key}`);
    block.quantities += 1;
    return [];
  }

  end(): readonly CardItem[] {
    const block = this.#block;
    this.#block = undefined;
    if (!block || block.broken) return [];
    const { row } = block;
    if (Number.isNaN(row.start)) return [problem(row.line, 'begins a block without a Start Time')];
    if (block.quantities === 0) return [problem(row.line, 'begins a block without levels')];
    return [{ row }];
  }

  #begin(line: number): void {
    this.#block = { row: emptyRow(line, Number.NaN, null), main: -1, broken: false, quantities: 0 };
  }

  #time(line: number, value: number | undefined, key: 'start' | 'duration', name: string): readonly CardItem[] {
    if (!this.#block || value === undefined) return this.#give(line, `has a ${name} that cannot be read`);
    this.#block.row[key] = value;
    return [];
  }

  /** The rest of the block is skipped. */
  #give(line: number, message: string): readonly CardItem[] {
    if (this.#block) this.#block.broken = true;
    return [problem(line, message)];
  }
}

/** A file of random bytes must not fill a log: further problems are not reported. */
const MOST_PROBLEMS = 100;

interface LayoutReader {
  line(line: Line, cells: readonly string[]): readonly CardItem[];
  end(): readonly CardItem[];
}

/** Rows and problems in the order of the file. Ends after too many problems: it is then another kind of file. */
export async function* readRnd(chunks: AsyncIterable<Uint8Array>, options: ReadOptions = {}): AsyncGenerator<CardItem> {
  let layout: LayoutReader | undefined;
  let problems = 0;
  const limited = function* (items: readonly CardItem[]): Generator<CardItem> {
    for (const item of items) {
      if ('problem' in item) problems += 1;
      if ('row' in item || problems <= MOST_PROBLEMS) yield item;
    }
  };
  let number = 0;
  for await (const line of cardLines(chunks)) {
    number = line.number;
    if (line.number === 1) {
      if (line.text.trim() === 'CSV') continue;
      yield* limited([problem(1, 'is not CSV: this is not a file of levels')]);
      return;
    }
    const cells = splitCells(line.text);
    if (!line.whole && options.growing) continue;
    if (line.cut || (!line.whole && line.text !== '')) {
      yield* limited([problem(line.number, line.cut ? 'is too long' : 'is cut: the file is not complete')]);
      continue;
    }
    if (cells.every((cell) => cell === '')) continue;
    if (!layout) {
      const first = layoutOf(cells, line.number);
      if ('problem' in first) {
        yield* limited([first]);
        return;
      }
      layout = first;
      if (!(layout instanceof BlockReader)) continue;
    }
    yield* limited(layout.line(line, cells));
  }
  if (layout) yield* limited(layout.end());
  else if (!options.growing) yield* limited([problem(number + 1, 'is missing: the file has no names of columns')]);
}

function layoutOf(
  cells: readonly string[],
  line: number,
): LayoutReader | { readonly problem: { line: number; message: string } } {
  const [key, address = '', ...more] = cells;
  if (key === 'Address' && /^\d+$/.test(address) && more.every((cell) => cell === '')) return new BlockReader();
  const reader = rowReader(cells.at(-1) === '' ? cells.slice(0, -1) : cells);
  return typeof reader === 'string' ? problem(line, reader) : reader;
}

const problem = (line: number, message: string) => ({ problem: { line, message } });
