/**
 * An hour of a series that still gets rows. Seconds go into their table with their samples. The values and the level
 * counts of a minute are computed from them when they are needed.
 */
import { LevelCounts } from '../../domain/indices/level-counts.ts';
import { NONE } from './bytes.ts';
import { addCountBytes, centiOfIndex, countBytes } from './counts.ts';
import { type HourSum, sumOf } from './hour.ts';
import { MinuteTable } from './minutes.ts';
import { type PackedSecond, SecondTable } from './seconds.ts';

export interface Stored {
  readonly seconds: Uint8Array | undefined;
  readonly minutes: Uint8Array | undefined;
}

/** Shared by all hours: filled and read without a pause in between. */
const counts = new LevelCounts();

/** Empty at first, or with the bytes of the disk. */
export class OpenHour {
  readonly seconds: SecondTable;
  readonly #minutes: MinuteTable;
  /** Their values are older than their seconds. */
  readonly #stale = new Set<number>();
  /** Minutes without their seconds take no more rows. */
  readonly #sealed = new Set<number>();
  /** Level counts of minutes that were recorded before samples were stored: late samples are added to these. */
  readonly #counted = new Map<number, Uint8Array>();
  #sum: HourSum | undefined;

  constructor(stored: Stored = { seconds: undefined, minutes: undefined }) {
    this.seconds = stored.seconds ? SecondTable.from(stored.seconds) : new SecondTable();
    this.#minutes = stored.minutes ? MinuteTable.from(stored.minutes) : new MinuteTable();
    if (!stored.minutes) return;
    for (let minute = 0; minute < 60; minute++) {
      const kept = this.#minutes.counts[minute];
      if (!stored.seconds && !this.#minutes.isEmpty(minute)) this.#sealed.add(minute);
      else if (kept && (this.#minutes.steps[minute] ?? 0) > 0 && !this.seconds.samples.has(minute))
        this.#counted.set(minute, kept);
    }
  }

  /** True with seconds, and also for an hour that never had seconds: it is complete. */
  get hasSeconds(): boolean {
    return this.#sealed.size === 0;
  }

  /** False for a second that exists already. `samples`: Lp of its steps, in hundredths of a dB. */
  add(row: Readonly<PackedSecond>, samples: readonly number[]): boolean {
    const minute = Math.floor(row.offset / 60);
    if (this.#sealed.has(minute) || !this.seconds.add(row, samples)) return false;
    this.#stale.add(minute);
    return true;
  }

  get minutes(): MinuteTable {
    for (const minute of this.#stale) {
      this.#minutes.fill(minute, this.seconds);
      this.#minutes.counts[minute] = this.#countsOf(minute);
    }
    if (this.#stale.size > 0) this.#sum = undefined;
    this.#stale.clear();
    return this.#minutes;
  }

  sum(): HourSum {
    const { minutes } = this;
    this.#sum ??= sumOf(minutes, this.hasSeconds ? this.seconds : undefined);
    return this.#sum;
  }

  /** Sets a flag, by its bit, in `[from, to)`, seconds of the hour. Returns how many rows have it now. */
  flag(from: number, to: number, bit: number): number {
    const { seconds } = this;
    const [first, end] = [seconds.indexOf(from), seconds.indexOf(to)];
    for (let row = first; row < end; row++) {
      seconds.flags[row] = (seconds.flags[row] ?? 0) | (1 << bit);
      this.#stale.add(Math.floor((seconds.offset[row] ?? 0) / 60));
    }
    return end - first;
  }

  /** Removes a flag from the same rows. Returns how many rows had it. */
  unflag(from: number, to: number, bit: number): number {
    const { seconds } = this;
    let had = 0;
    for (let row = seconds.indexOf(from); row < seconds.indexOf(to); row++) {
      const flags = seconds.flags[row] ?? 0;
      if (((flags >> bit) & 1) === 0) continue;
      seconds.flags[row] = flags & ~(1 << bit);
      this.#stale.add(Math.floor((seconds.offset[row] ?? 0) / 60));
      had += 1;
    }
    return had;
  }

  /** Whether each row is separate from the others of its minute. */
  get isInSeconds(): boolean {
    return this.hasSeconds && this.#counted.size === 0;
  }

  /**
   * Moves the rows in `[from, to)`, seconds of the hour; a second that exists here is dropped. Returns their number.
   */
  takeFrom(other: OpenHour, from: number, to: number): number {
    const { seconds } = other;
    const [first, end] = [seconds.indexOf(from), seconds.indexOf(to)];
    let came = 0;
    for (let row = first; row < end; row++) {
      const offset = seconds.offset[row] ?? 0;
      const levels = seconds.levels.map((column) => column[row] ?? NONE);
      const packed = { offset, steps: seconds.steps[row] ?? 0, flags: seconds.flags[row] ?? 0, levels };
      const samples = Array.from(seconds.samples.of(offset), centiOfIndex);
      if (this.add({ ...packed, lp: seconds.lp[row] ?? NONE }, samples)) came += 1;
      other.#stale.add(Math.floor(offset / 60));
    }
    seconds.remove(from, to);
    return came;
  }

  remove(fromMinute: number, toMinute: number): void {
    const { minutes } = this;
    this.#sum = undefined;
    this.seconds.remove(fromMinute * 60, toMinute * 60);
    for (let minute = fromMinute; minute < toMinute; minute++) {
      minutes.clear(minute);
      this.#sealed.delete(minute);
      this.#counted.delete(minute);
    }
  }

  isEmpty(): boolean {
    return this.seconds.count === 0 && this.minutes.steps.every((_, minute) => this.#minutes.isEmpty(minute));
  }

  #countsOf(minute: number): Uint8Array {
    counts.clear();
    const before = this.#counted.get(minute);
    if (before) addCountBytes(counts, before);
    const { seconds } = this;
    for (let row = seconds.indexOf(minute * 60); row < seconds.indexOf(minute * 60 + 60); row++)
      seconds.addCounts(counts, row);
    return countBytes(counts);
  }
}
