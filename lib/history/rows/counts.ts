/**
 * Level counts (`LevelCounts`) as bytes: pairs of class and count in ascending order. A class is relative to the class
 * before it.
 */
import { HIGHEST, LevelCounts, LOWEST } from '../../domain/indices/level-counts.ts';
import { ByteWriter } from './bytes.ts';

/** The class of a level in hundredths of a dB, counted from the lowest class: so it is never negative. */
export const classIndex = (centi: number): number =>
  Math.min(HIGHEST - LOWEST, Math.max(0, Math.round(centi / 10) - LOWEST));

/** The middle of such a class, hundredths of a dB. */
export const centiOfIndex = (index: number): number => (index + LOWEST) * 10;

/** Adds the output of `countBytes`. Throws RangeError for an impossible class. */
export function addCountBytes(counts: LevelCounts, bytes: Uint8Array): void {
  // Read here and not by a ByteReader: a month of minutes has millions of these numbers.
  let tenths = LOWEST;
  let at = 0;
  while (at < bytes.length) {
    let byte = bytes[at++] ?? 0;
    let value = byte & 127;
    for (let shift = 7; byte > 127; shift += 7) {
      byte = bytes[at++] ?? 0;
      value |= (byte & 127) << shift;
    }
    tenths += value;
    byte = bytes[at++] ?? 0;
    value = byte & 127;
    for (let shift = 7; byte > 127; shift += 7) {
      byte = bytes[at++] ?? 0;
      value |= (byte & 127) << shift;
    }
    counts.addClass(tenths, value);
  }
}

/** The bytes of these counts; empty without samples. */
export function countBytes(counts: LevelCounts): Uint8Array {
  const writer = new ByteWriter();
  let before = LOWEST;
  for (const [tenths, count] of counts) {
    writer.varint(tenths - before);
    writer.varint(count);
    before = tenths;
  }
  return writer.written.slice();
}

const table = new LevelCounts();

export function totalOf(bytes: Uint8Array): number {
  table.clear();
  addCountBytes(table, bytes);
  return table.total;
}
