/**
 * DRD frames: intervals of 100 ms on their own grid, whether the meter measures or not. Lmax and Lmin of a frame are the
 * extremes of the time-weighted level within it, with both ends. Lp is the level at its end, Leq its energy. The captured
 * frames show this (protocol facts, section 3.3). Frames are computed when asked for.
 */
import type { BlockValues, InstrumentSetup, PerChannel } from '../contract.ts';
import type { SoundField } from './field.ts';
import { perChannel } from './filter-bank.ts';
import { LevelListener } from './live-level.ts';
import { Tally } from './tally.ts';

const FRAME_MS = 100;

/** The frames of one stream, 100 ms each. */
export class Frames {
  readonly #listener: LevelListener;
  readonly #setup: InstrumentSetup;
  readonly #frameSteps: number;
  readonly #tallies: readonly Tally[];
  #lastEnd = Number.NaN;
  #last: PerChannel<BlockValues> | null = null;

  constructor(field: SoundField, setup: InstrumentSetup, stepMs: number) {
    this.#listener = new LevelListener(field, setup, stepMs);
    this.#setup = setup;
    this.#frameSteps = FRAME_MS / stepMs;
    this.#tallies = this.#listener.bank.tracks.map((track) => new Tally(track, stepMs));
  }

  /**
   * The last frame that is complete at step `now`; `origin` is a step of the grid. Before `origin`, the frame that ends at
   * `origin`.
   */
  lastBefore(now: number, origin: number): PerChannel<BlockValues> {
    const end = now - ((now - origin) % this.#frameSteps);
    if (this.#last && end === this.#lastEnd) return this.#last;
    this.#lastEnd = end;
    this.#last = this.#compute(end);
    return this.#last;
  }

  #compute(end: number): PerChannel<BlockValues> {
    const { tracks } = this.#listener.seek(end - this.#frameSteps);
    for (const tally of this.#tallies) tally.begin();
    this.#listener.run(end, (window, from, to) => {
      for (const tally of this.#tallies) tally.add(window, from, to);
    });
    const values = this.#tallies.map((tally) => tally.values(this.#setup.percentiles));
    return perChannel((name) => values[tracks.findIndex((track) => track.name === name)] ?? null);
  }
}
