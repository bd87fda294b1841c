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

import type { CardItem, ReadOptions } from '../../card/contract.ts';
import { BlockReader } from './block.ts';
import { cardLines, type Line } from './lines.ts';
import { RowReader } from './row.ts';
import { splitCells } from './values.ts';

/** A file of random bytes must not fill a log: further problems are not reported. */
const MOST_PROBLEMS = 100;

/** Reads the lines of one layout. */
export interface LayoutReader {
  /** Items that this line completes. */
  line(line: Line, cells: readonly string[]): readonly CardItem[];
  /** Incomplete items at the end. */
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
  const reader = RowReader.from(cells.at(-1) === '' ? cells.slice(0, -1) : cells);
  return typeof reader === 'string' ? problem(line, reader) : reader;
}

const problem = (line: number, message: string) => ({ problem: { line, message } });
