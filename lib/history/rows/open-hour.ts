/**
 * An hour of a series that still gets rows. Seconds go into their table, the samples of each second into the counts of its
 * minute; the other values of a minute are made of its seconds when somebody wants them.
 */
import { CountTable, classIndex } from './counts.ts';
import { type HourSum, sumOf } from './hour.ts';
import { MinuteTable } from './minutes.ts';
import { type PackedSecond, SecondTable } from './seconds.ts';

export interface Stored {
  readonly seconds: Uint8Array | undefined;
  readonly minutes: Uint8Array | undefined;
}

/** Of polled meters, which have one or a few a minute. */
const FIRST_SAMPLES = 16;
const SAMPLES_A_MINUTE = 600;

const table = new CountTable();

export class OpenHour {
  readonly seconds: SecondTable;
  readonly #minutes: MinuteTable;
  /** Minutes whose values are older than their seconds. */
  readonly #stale = new Set<number>();
  /** Minutes that are kept without their seconds: these are over, and take nothing more. */
  readonly #sealed = new Set<number>();
  /** Samples that are not yet in the counts of their minute, in hundredths of a dB. */
  #samples = new Int16Array(FIRST_SAMPLES);
  #sampleCount = 0;
  #sampledMinute = -1;

  constructor(stored: Stored = { seconds: undefined, minutes: undefined }) {
    this.seconds = stored.seconds ? SecondTable.from(stored.seconds) : new SecondTable();
    this.#minutes = stored.minutes ? MinuteTable.from(stored.minutes) : new MinuteTable();
    if (stored.seconds || !stored.minutes) return;
    for (let minute = 0; minute < 60; minute++) if (!this.#minutes.isEmpty(minute)) this.#sealed.add(minute);
  }

  /** Whether there are seconds, or never were any: what a whole hour looks like. */
  get hasSeconds(): boolean {
    return this.#sealed.size === 0;
  }

  /** False for a second that is there already. `samples`: Lp of its steps, in hundredths of a dB. */
  add(row: Readonly<PackedSecond>, samples: readonly number[]): boolean {
    const minute = Math.floor(row.offset / 60);
    if (this.#sealed.has(minute) || !this.seconds.add(row)) return false;
    this.#stale.add(minute);
    if (samples.length > 0 && minute !== this.#sampledMinute) {
      this.#count();
      this.#sampledMinute = minute;
    }
    if (this.#sampleCount + samples.length > this.#samples.length) this.#moreSamples();
    for (const sample of samples) this.#samples[this.#sampleCount++] = sample;
    return true;
  }

  /** Up to date with every second that was added. */
  get minutes(): MinuteTable {
    this.#count();
    for (const minute of this.#stale) this.#minutes.fill(minute, this.seconds);
    this.#stale.clear();
    return this.#minutes;
  }

  sum(): HourSum {
    return sumOf(this.minutes, this.hasSeconds ? this.seconds : undefined);
  }

  /** Whole minutes. */
  remove(fromMinute: number, toMinute: number): void {
    const { minutes } = this;
    this.seconds.remove(fromMinute * 60, toMinute * 60);
    for (let minute = fromMinute; minute < toMinute; minute++) {
      minutes.clear(minute);
      this.#sealed.delete(minute);
    }
  }

  isEmpty(): boolean {
    return this.seconds.count === 0 && this.minutes.steps.every((_, minute) => this.#minutes.isEmpty(minute));
  }

  #count(): void {
    if (this.#sampleCount === 0) return;
    const before = this.#minutes.counts[this.#sampledMinute];
    table.clear();
    if (before) table.addBytes(before);
    for (const sample of this.#samples.subarray(0, this.#sampleCount)) table.add(classIndex(sample), 1);
    this.#minutes.counts[this.#sampledMinute] = table.bytes();
    this.#sampleCount = 0;
  }

  #moreSamples(): void {
    const more = new Int16Array(Math.max(SAMPLES_A_MINUTE, this.#samples.length * 2));
    more.set(this.#samples);
    this.#samples = more;
  }
}
