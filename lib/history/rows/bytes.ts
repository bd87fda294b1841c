/**
 * Rows as bytes: levels as whole hundredths of a dB, numbers of variable length, and columns of levels in a form that
 * compresses well. Outside of the history levels are dB, with `null` for a missing level.
 */

/** No level. Stored levels are within +-300 dB. */
export const NONE = -32_768;
/** dB; no level can be higher. */
export const HIGHEST_LEVEL = 300;

/** Error of binary fractions, hundredths of a dB: 54.325 is stored as a little less. */
const BINARY = 1e-6;

/** Hundredths of a dB, halves rounded away from zero; NONE for null. */
export function centiOf(level: number | null): number {
  if (level === null) return NONE;
  const size = Math.round(Math.abs(level) * 100 + BINARY);
  return level < 0 ? 0 - size : size;
}

export const energyOfCenti = (centi: number): number => Math.exp(centi * (Math.LN10 / 1_000));
/** The energy mean in hundredths of a dB; NONE without any weight. */
export const centiOfMean = (energy: number, weight: number): number =>
  weight > 0 ? Math.round(1_000 * Math.log10(energy / weight)) : NONE;

/** Hours of UTC have no leap seconds here. */
export const SECONDS_AN_HOUR = 3_600;
export const MINUTES_AN_HOUR = 60;
/** Steps of 100 ms. */
export const STEPS_A_SECOND = 10;

/** A buffer that grows; whole numbers from 0 take as few bytes as they need (LEB128). */
export class ByteWriter {
  #bytes = new Uint8Array(256);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  /** The bytes so far; valid until the next write. */
  get written(): Uint8Array {
    return this.#bytes.subarray(0, this.#length);
  }

  varint(value: number): void {
    this.#room(8);
    let rest = value;
    while (rest > 127) {
      this.#bytes[this.#length++] = (rest % 128) | 128;
      rest = Math.floor(rest / 128);
    }
    this.#bytes[this.#length++] = rest;
  }

  /** At most 127 characters of ASCII. */
  text(words: string): void {
    const bytes = Buffer.from(words, 'latin1');
    this.varint(bytes.length);
    this.raw(bytes);
  }

  raw(bytes: Uint8Array): void {
    this.#room(bytes.length);
    this.#bytes.set(bytes, this.#length);
    this.#length += bytes.length;
  }

  #room(count: number): void {
    if (this.#length + count <= this.#bytes.length) return;
    const larger = new Uint8Array(Math.max(this.#bytes.length * 2, this.#length + count));
    larger.set(this.written);
    this.#bytes = larger;
  }
}

/** Reads the bytes of `ByteWriter`. Throws RangeError at the end of the bytes. */
export class ByteReader {
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  get done(): boolean {
    return this.#at >= this.#bytes.length;
  }

  varint(): number {
    let value = 0;
    let factor = 1;
    for (;;) {
      const byte = this.#bytes[this.#at++];
      if (byte === undefined) throw new RangeError('the bytes of a row end too early');
      value += (byte & 127) * factor;
      if (byte < 128) return value;
      factor *= 128;
    }
  }

  text(): string {
    return Buffer.from(this.raw(this.varint())).toString('latin1');
  }

  rest(): Uint8Array {
    return this.raw(this.#bytes.length - this.#at);
  }

  raw(count: number): Uint8Array {
    const end = this.#at + count;
    if (end > this.#bytes.length) throw new RangeError('the bytes of a row end too early');
    const bytes = this.#bytes.subarray(this.#at, end);
    this.#at = end;
    return bytes;
  }
}

/** Forms of a column of levels: empty, tenths of a dB (as meters give them), or hundredths. */
const EMPTY = 0;
const TENTHS = 1;
const HUNDREDTHS = 2;

/** Differences from row to row, all low bytes and then all high bytes: most high bytes are equal and compress well. */
export function writeLevels(writer: ByteWriter, column: Int16Array): void {
  let kind = EMPTY;
  for (const level of column) {
    if (level === NONE) continue;
    kind = Math.max(kind, level % 10 === 0 ? TENTHS : HUNDREDTHS);
  }
  writer.varint(kind);
  if (kind === EMPTY) return;
  const count = column.length;
  const planes = new Uint8Array(count * 2);
  let before = 0;
  for (let row = 0; row < count; row++) {
    const level = column[row] ?? NONE;
    const value = kind === TENTHS && level !== NONE ? level / 10 : level;
    // Small differences of either sign become small numbers from 0.
    const signed = ((value - before) << 16) >> 16;
    const difference = (signed << 1) ^ (signed >> 15);
    planes[row] = difference & 255;
    planes[count + row] = (difference >> 8) & 255;
    before = value;
  }
  writer.raw(planes);
}

export function readLevels(reader: ByteReader, column: Int16Array): void {
  const kind = reader.varint();
  if (kind === EMPTY) {
    column.fill(NONE);
    return;
  }
  const count = column.length;
  const planes = reader.raw(count * 2);
  let before = 0;
  for (let row = 0; row < count; row++) {
    const difference = (planes[row] ?? 0) | ((planes[count + row] ?? 0) << 8);
    const value = ((before + ((difference >>> 1) ^ -(difference & 1))) << 16) >> 16;
    column[row] = kind === TENTHS && value !== NONE ? value * 10 : value;
    before = value;
  }
}
