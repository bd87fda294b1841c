/** Records one channel of a unit: frames and readings become rows, and each row has its weighting. Does not decide when to record. */
import type { Batch, FrameTiming, Weighting } from '../../../lib/index.ts';
import { type ArrivedFrame, FrameClock, type PlacedFrame } from './frame-clock.ts';
import { isBeginning, type Reading, readingRows } from './reading-rows.ts';
import { SecondRows } from './second-rows.ts';

/** Frames and readings of one channel go in, frames with its levels in `main`, batches go to `append`. */
export class Recorder {
  readonly #series: Pick<Batch, 'unitId' | 'channel'>;
  readonly #append: (batch: Batch) => void;
  readonly #frames: FrameClock | undefined;
  readonly #rows = new SecondRows();
  #weighting: Weighting | null = null;
  /** From this one on the next Leq between readings counts. */
  #reading: Reading | undefined;
  #unweighted = 0;

  /** `timing`: of the stream; undefined: the meter has no stream, and only readings. */
  constructor(
    series: Pick<Batch, 'unitId' | 'channel'>,
    timing: FrameTiming | undefined,
    append: (batch: Batch) => void,
  ) {
    this.#series = series;
    this.#frames = timing && new FrameClock(timing);
    this.#append = append;
  }

  get weighting(): Weighting | null {
    return this.#weighting;
  }

  /** Frames and readings that were left out because their weighting was not known. */
  get unweighted(): number {
    return this.#unweighted;
  }

  /** The weighting of all following levels; null: unknown, nothing is recorded. A change begins new rows. */
  weigh(weighting: Weighting | null): void {
    const now = this.#weighting;
    if (now?.frequency === weighting?.frequency && now?.time === weighting?.time) return;
    this.flush();
    this.#weighting = weighting;
    this.#reading = undefined;
  }

  frame(arrived: ArrivedFrame): void {
    // The stream has measured the time since then: no Leq between two readings goes over it.
    this.#reading = undefined;
    if (this.#weighting === null) this.#unweighted += 1;
    else this.#place(this.#frames?.take(arrived) ?? []);
  }

  reading(reading: Reading): void {
    if (this.#weighting === null) {
      this.#unweighted += 1;
      return;
    }
    const rows = readingRows(reading, this.#reading);
    if (rows.intervals.length > 0 || !this.#reading || !isBeginning(this.#reading, reading)) this.#reading = reading;
    if (rows.seconds.length + rows.intervals.length > 0) this.#write('poll', rows);
  }

  /**
   * Writes the unfinished rows: the stream has ended, or the process ends. A second that was written is not continued.
   */
  flush(): void {
    this.#place(this.#frames?.flush() ?? []);
    const row = this.#rows.flush();
    if (row) this.#write('stream', { seconds: [row] });
  }

  #place(frames: readonly PlacedFrame[]): void {
    const seconds = frames.flatMap((placed) => this.#rows.take(placed) ?? []);
    if (seconds.length > 0) this.#write('stream', { seconds });
  }

  #write(source: 'stream' | 'poll', rows: Pick<Batch, 'seconds' | 'intervals'>): void {
    if (this.#weighting) this.#append({ ...this.#series, source, weighting: this.#weighting, ...rows });
  }
}
