/**
 * The Lp of the steps of each second of an hour: the percentiles of seconds come from them. One minute is unpacked, the
 * others are packed: 11 to 12 bytes per second in memory, 3 to 4 on the disk.
 */
import { type LevelCounts, LOWEST } from '../../domain/indices/level-counts.ts';
import { ByteReader, ByteWriter, MINUTES_AN_HOUR, STEPS_A_SECOND } from './bytes.ts';
import { classIndex } from './counts.ts';

/** Of one minute: ascending classes of 0.1 dB, at most ten per second. Used again for another minute after `clear`. */
class SampleMinute {
  readonly #classes = new Uint16Array(SECONDS_A_MINUTE * STEPS_A_SECOND);
  readonly #counts = new Uint8Array(SECONDS_A_MINUTE);

  put(second: number, levels: readonly number[]): void {
    const begin = second * STEPS_A_SECOND;
    let end = begin;
    for (const level of levels) {
      const index = classIndex(level);
      let place = end++;
      for (; place > begin && (this.#classes[place - 1] ?? 0) > index; place--)
        this.#classes[place] = this.#classes[place - 1] ?? 0;
      this.#classes[place] = index;
    }
    this.#counts[second] = levels.length;
  }

  of(second: number): Uint16Array {
    const begin = second * STEPS_A_SECOND;
    return this.#classes.subarray(begin, begin + (this.#counts[second] ?? 0));
  }

  clear(from = 0, to = SECONDS_A_MINUTE): void {
    this.#counts.fill(0, from, to);
  }

  get isEmpty(): boolean {
    return this.#counts.every((count) => count === 0);
  }

  /** The first sample of a second is relative to the second before; each other sample to the sample before. */
  write(writer: ByteWriter): void {
    let first = 0;
    for (let second = 0; second < SECONDS_A_MINUTE; second++) {
      const count = this.#counts[second] ?? 0;
      writer.varint(count);
      let before = first;
      for (let place = 0; place < count; place++) {
        const index = this.#classes[second * STEPS_A_SECOND + place] ?? 0;
        const difference = index - before;
        writer.varint(place === 0 ? (difference << 1) ^ (difference >> 31) : difference);
        before = index;
        if (place === 0) first = index;
      }
    }
  }

  read(reader: ByteReader): void {
    let first = 0;
    for (let second = 0; second < SECONDS_A_MINUTE; second++) {
      const count = reader.varint();
      if (count > STEPS_A_SECOND) throw new RangeError('a second has more samples than steps');
      this.#counts[second] = count;
      let before = first;
      for (let place = 0; place < count; place++) {
        const value = reader.varint();
        before += place === 0 ? (value >>> 1) ^ -(value & 1) : value;
        if (place === 0) first = before;
        this.#classes[second * STEPS_A_SECOND + place] = before;
      }
    }
  }
}

const SECONDS_A_MINUTE = 60;
const NOTHING = new Uint16Array(0);

export class Samples {
  /** In whole bytes, which compress better than parts of bytes. */
  readonly #packed: (Uint8Array | undefined)[] = [];
  /** Polled meters never need this. */
  #minute: SampleMinute | undefined;
  #present = -1;
  #isChanged = false;

  /** `offset`: seconds since the beginning of the hour. `levels`: hundredths of a dB, 10 at most, in any order. */
  add(offset: number, levels: readonly number[]): void {
    if (levels.length === 0) return;
    this.#open(Math.floor(offset / SECONDS_A_MINUTE)).put(offset % SECONDS_A_MINUTE, levels);
    this.#isChanged = true;
  }

  remove(from: number, to: number): void {
    for (let offset = from; offset < to; ) {
      const minute = Math.floor(offset / SECONDS_A_MINUTE);
      const end = Math.min(to, (minute + 1) * SECONDS_A_MINUTE);
      if (this.has(minute)) {
        this.#open(minute).clear(offset % SECONDS_A_MINUTE, end - minute * SECONDS_A_MINUTE);
        this.#isChanged = true;
      }
      offset = end;
    }
  }

  addTo(counts: LevelCounts, offset: number): void {
    for (const index of this.of(offset)) counts.addClass(index + LOWEST, 1);
  }

  /** Classes from the lowest class, as in `classIndex`; valid until the next call. */
  of(offset: number): Uint16Array {
    const minute = Math.floor(offset / SECONDS_A_MINUTE);
    return this.has(minute) ? this.#open(minute).of(offset % SECONDS_A_MINUTE) : NOTHING;
  }

  /** Writes nothing if no second has a sample. */
  write(writer: ByteWriter): void {
    this.#pack();
    if (this.#packed.every((bytes) => bytes === undefined)) return;
    for (let minute = 0; minute < MINUTES_AN_HOUR; minute++) {
      const bytes = this.#packed[minute];
      writer.varint(bytes?.length ?? 0);
      if (bytes) writer.raw(bytes);
    }
  }

  /** From the output of `write`, or from no bytes. Throws RangeError for other bytes. */
  static from(bytes: Uint8Array): Samples {
    const samples = new Samples();
    const reader = new ByteReader(bytes);
    for (let minute = 0; minute < MINUTES_AN_HOUR && !reader.done; minute++) {
      const own = reader.raw(reader.varint());
      if (own.length > 0) samples.#packed[minute] = own;
    }
    return samples;
  }

  /** Whether a minute of the hour may have samples. */
  has(minute: number): boolean {
    return minute === this.#present || this.#packed[minute] !== undefined;
  }

  #open(minute: number): SampleMinute {
    this.#minute ??= new SampleMinute();
    if (minute === this.#present) return this.#minute;
    this.#pack();
    this.#minute.clear();
    const packed = this.#packed[minute];
    if (packed) this.#minute.read(new ByteReader(packed));
    this.#present = minute;
    return this.#minute;
  }

  #pack(): void {
    if (!this.#isChanged || !this.#minute) return;
    const writer = new ByteWriter();
    this.#minute.write(writer);
    this.#packed[this.#present] = this.#minute.isEmpty ? undefined : writer.written.slice();
    this.#isChanged = false;
  }
}
