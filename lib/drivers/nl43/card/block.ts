/** The layout of NL-52: for each interval its address, start and length, a line of channels, and one line a quantity. */
import type { CardItem } from '../../card/contract.ts';
import type { Line } from './lines.ts';
import { emptyRow, type MutableRow, put } from './row.ts';
import { cardQuantityOf, cellLength, cellTime } from './values.ts';

/** Gets the lines behind the header, one after the other. */
export class BlockReader {
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
    if (Number.isNaN(row.start))
      return [{ problem: { line: row.line, message: 'begins a block without a Start Time' } }];
    if (block.quantities === 0) return [{ problem: { line: row.line, message: 'begins a block without levels' } }];
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
    return [{ problem: { line, message } }];
  }
}
