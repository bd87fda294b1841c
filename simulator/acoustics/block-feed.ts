/**
 * Cuts measured time into intervals and hands each out when it is complete. An interval that does not end with a step ends
 * with the next one (25 ms on steps of 10 ms); intervals shorter than a step repeat the values of the step in which they are.
 */
import type { Block, BlockValues, PerChannel } from '../contract.ts';
import { perChannel } from './filter-bank.ts';
import type { SoundMeasurement } from './measurement.ts';
import { Tally } from './tally.ts';
import type { SoundWindow } from './window.ts';

export class BlockFeed {
  readonly periodMs: number;
  readonly #stepMs: number;
  readonly #take: (block: Block) => void;
  #measurement: SoundMeasurement | null = null;
  #tallies: readonly Tally[] = [];
  #steps = 0;
  #count = 0;
  #from: number | null = null;

  constructor(periodMs: number, stepMs: number, take: (block: Block) => void) {
    if (!(periodMs > 0 && Number.isFinite(periodMs)))
      throw new RangeError(`an interval of ${periodMs} ms is not possible`);
    this.periodMs = periodMs;
    this.#stepMs = stepMs;
    this.#take = take;
  }

  begin(measurement: SoundMeasurement): void {
    this.#measurement = measurement;
    const { bank, setup } = measurement;
    this.#tallies = bank.tracks.map((track) => new Tally(track, this.#stepMs, setup.percentileClass));
    this.#steps = 0;
    this.#count = 0;
    this.#from = null;
  }

  end(): void {
    this.#measurement = null;
  }

  /** After a pause, like the measurement's own tallies. */
  goOn(): void {
    for (const tally of this.#tallies) tally.goOn();
  }

  /** Steps still wanted until the next interval ends; the caller hands over no more than that at once. */
  get wanted(): number {
    return Math.max(1, Math.ceil(((this.#count + 1) * this.periodMs) / this.#stepMs) - this.#steps);
  }

  add(window: SoundWindow, from: number, to: number): void {
    this.#from ??= this.#uptime(window.first + from, this.#count);
    for (const tally of this.#tallies) tally.add(window, from, to);
    this.#steps += to - from;
  }

  deliver(now: number): void {
    const measurement = this.#measurement;
    if (!measurement || (this.#count + 1) * this.periodMs > this.#steps * this.#stepMs) return;
    const channels = this.#close(measurement);
    while (this.#measurement === measurement && (this.#count + 1) * this.periodMs <= this.#steps * this.#stepMs) {
      const from = this.#from ?? this.#uptime(now, this.#count);
      this.#count += 1;
      this.#from = null;
      this.#take({ from, to: this.#uptime(now, this.#count), channels });
    }
  }

  #close({ bank, setup }: SoundMeasurement): PerChannel<BlockValues> {
    const values = this.#tallies.map((tally) => tally.values(setup.percentiles, this.periodMs / 1000));
    for (const tally of this.#tallies) tally.begin();
    return perChannel((name) => values[bank.tracks.findIndex((track) => track.name === name)] ?? null);
  }

  /** Uptime in ms of the grid's interval `count`, when measured time has reached the step `now`. */
  #uptime(now: number, count: number): number {
    return (now - this.#steps) * this.#stepMs + count * this.periodMs;
  }
}
