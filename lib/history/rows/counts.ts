/**
 * Level counts: how often each level was seen, in classes of 0.1 dB. Kept as bytes, class and count in turn from the lowest
 * up; added up in a fixed table. The percentile is that of `lib/domain/indices` (`LevelCounts.exceeded`); a test compares them. This
 * one is made for tens of thousands of rows in a query.
 */
import { HIGHEST, LOWEST } from '../../domain/indices/level-counts.ts';
import { ByteWriter } from './bytes.ts';

const CLASSES = HIGHEST - LOWEST + 1;

/** The class of a level in hundredths of a dB, counted from the lowest one. */
export const classIndex = (centi: number): number =>
  Math.min(CLASSES - 1, Math.max(0, Math.round(centi / 10) - LOWEST));

export class CountTable {
  readonly #counts = new Float64Array(CLASSES);
  #total = 0;
  #first = CLASSES;
  #last = -1;

  get total(): number {
    return this.#total;
  }

  clear(): void {
    if (this.#last >= 0) this.#counts.fill(0, this.#first, this.#last + 1);
    this.#total = 0;
    this.#first = CLASSES;
    this.#last = -1;
  }

  add(index: number, count: number): void {
    this.#counts[index] = (this.#counts[index] ?? 0) + count;
    this.#total += count;
    if (index < this.#first) this.#first = index;
    if (index > this.#last) this.#last = index;
  }

  addBytes(bytes: Uint8Array): void {
    // Read here and not by a ByteReader: a month of minutes has millions of these numbers.
    let index = 0;
    let at = 0;
    while (at < bytes.length) {
      let byte = bytes[at++] ?? 0;
      let value = byte & 127;
      for (let shift = 7; byte > 127; shift += 7) {
        byte = bytes[at++] ?? 0;
        value |= (byte & 127) << shift;
      }
      index += value;
      byte = bytes[at++] ?? 0;
      value = byte & 127;
      for (let shift = 7; byte > 127; shift += 7) {
        byte = bytes[at++] ?? 0;
        value |= (byte & 127) << shift;
      }
      this.add(index, value);
    }
  }

  bytes(): Uint8Array {
    const writer = new ByteWriter();
    let before = 0;
    for (let index = this.#first; index <= this.#last; index++) {
      const count = this.#counts[index] ?? 0;
      if (count === 0) continue;
      writer.varint(index - before);
      writer.varint(count);
      before = index;
    }
    return writer.written.slice();
  }

  /** Class in tenths of a dB and count, from the lowest up. */
  pairs(): (readonly [number, number])[] {
    const pairs: (readonly [number, number])[] = [];
    for (let index = this.#first; index <= this.#last; index++) {
      const count = this.#counts[index] ?? 0;
      if (count > 0) pairs.push([index + LOWEST, count]);
    }
    return pairs;
  }

  /** The level exceeded `percent` % of the time, dB; NaN without samples. */
  exceeded(percent: number): number {
    if (this.#total === 0) return Number.NaN;
    const position = (this.#total - 1) * (1 - percent / 100);
    const wanted = Math.floor(position);
    let before = 0;
    for (let index = this.#first; index <= this.#last; index++) {
      const count = this.#counts[index] ?? 0;
      if (wanted >= before + count) {
        before += count;
        continue;
      }
      const lower = this.#within(index, wanted - before);
      const upper = wanted + 1 < before + count ? this.#within(index, wanted + 1 - before) : this.#next(index);
      return lower + (upper - lower) * (position - wanted);
    }
    return (this.#last + LOWEST) / 10;
  }

  /** The samples of a class lie evenly over its 0.1 dB; none outside the lowest and the highest level seen. */
  #within(index: number, sample: number): number {
    const level = (index + LOWEST + (sample + 0.5) / (this.#counts[index] ?? 1) - 0.5) / 10;
    return Math.min((this.#last + LOWEST) / 10, Math.max((this.#first + LOWEST) / 10, level));
  }

  /** The lowest sample above a class. */
  #next(index: number): number {
    for (let above = index + 1; above <= this.#last; above++) {
      if ((this.#counts[above] ?? 0) > 0) return this.#within(above, 0);
    }
    return (this.#last + LOWEST) / 10;
  }
}
