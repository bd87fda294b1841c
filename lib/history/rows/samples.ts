/**
 * The Lp of the steps of each second of an hour: the percentiles of seconds come from them. One minute is unpacked, the
 * others are packed: 6 to 7 bytes per second in memory, 3 to 4 on the disk.
 */
import { type LevelCounts, LOWEST } from '../../domain/indices/level-counts.ts';
import { ByteReader, ByteWriter } from './bytes.ts';
import { MINUTES_AN_HOUR } from './levels.ts';
import { NibbleReader, NibbleWriter } from './nibbles.ts';
import { SampleMinute } from './sample-minute.ts';

const SECONDS_A_MINUTE = 60;
const NOTHING = new Uint16Array(0);

/** The samples of one hour. */
export class Samples {
  readonly #packed: (Uint8Array | undefined)[] = [];
  /** In the form of the disk. */
  readonly #stored: (Uint8Array | undefined)[] = [];
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

  /** Adds the samples of a second to the counts. */
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
    const minutes = Array.from({ length: MINUTES_AN_HOUR }, (_, minute) => this.#forDisk(minute));
    if (minutes.every((bytes) => bytes === undefined)) return;
    for (const bytes of minutes) {
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
      if (own.length > 0) samples.#stored[minute] = own;
    }
    return samples;
  }

  /** Whether a minute of the hour may have samples. */
  has(minute: number): boolean {
    return minute === this.#present || this.#packed[minute] !== undefined || this.#stored[minute] !== undefined;
  }

  #open(minute: number): SampleMinute {
    this.#minute ??= new SampleMinute();
    if (minute === this.#present) return this.#minute;
    if (this.#isChanged) this.#pack(this.#minute);
    this.#minute.clear();
    const [packed, stored] = [this.#packed[minute], this.#stored[minute]];
    if (packed) {
      const reader = new NibbleReader(packed);
      this.#minute.read(() => reader.read());
    } else if (stored) {
      const reader = new ByteReader(stored);
      this.#minute.read(() => reader.varint());
    }
    this.#present = minute;
    return this.#minute;
  }

  #pack(minute: SampleMinute): void {
    const writer = new NibbleWriter();
    minute.write((value) => writer.write(value));
    this.#packed[this.#present] = minute.isEmpty ? undefined : writer.bytes();
    this.#stored[this.#present] = undefined;
    this.#isChanged = false;
  }

  /** In whole bytes, which compress better. */
  #forDisk(place: number): Uint8Array | undefined {
    if (!this.has(place)) return undefined;
    const minute = this.#open(place);
    if (minute.isEmpty) return undefined;
    const writer = new ByteWriter();
    minute.write((value) => writer.varint(value));
    return writer.written.slice();
  }
}
