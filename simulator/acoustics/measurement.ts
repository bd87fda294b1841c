/** One measurement from start to stop: what DOD shows of it. It is handed its steps; pauses are steps it is not handed. */
import type { ChannelName, DisplayValues, InstrumentSetup, PerChannel } from '../contract.ts';
import { type FilterBank, filterBank, perChannel, type Track } from './filter-bank.ts';
import { levelOf } from './levels.ts';
import { SAMPLE_MS, Tally } from './tally.ts';
import type { SoundWindow } from './window.ts';

interface Channel {
  readonly track: Track;
  readonly tally: Tally;
  readonly takt: TaktMaximum;
  readonly moving: MovingMean | null;
}

export class SoundMeasurement {
  /** Filters of its own: within a measurement they run without a break. */
  readonly bank: FilterBank;
  readonly setup: InstrumentSetup;
  readonly #stepMs: number;
  readonly #channels: readonly Channel[];
  #steps = 0;

  constructor(bank: FilterBank, setup: InstrumentSetup, stepMs: number) {
    this.bank = filterBank(setup, stepMs);
    this.bank.restore(bank);
    this.setup = setup;
    this.#stepMs = stepMs;
    this.#channels = this.bank.tracks.map((track) => ({
      track,
      tally: new Tally(track, stepMs, setup.percentileClass),
      takt: new TaktMaximum(stepMs),
      moving: setup.movingLeqMs === null ? null : new MovingMean(setup.movingLeqMs, stepMs),
    }));
  }

  get measuredMs(): number {
    return this.#steps * this.#stepMs;
  }

  continueWith(bank: FilterBank): void {
    this.bank.restore(bank);
    for (const { tally } of this.#channels) tally.goOn();
  }

  add(window: SoundWindow, from: number, to: number): void {
    this.bank.run(window, from, to);
    for (const { track, tally, takt, moving } of this.#channels) {
      tally.add(window, from, to);
      takt.add(track.weighted, from, to);
      moving?.add(window.energy[track.frequency], from, to);
    }
    this.#steps += to - from;
  }

  /** All values, `lp` that of the last measured step; null throughout before the first step. */
  values(): PerChannel<DisplayValues> {
    return perChannel((name) => this.#valuesOf(name));
  }

  #valuesOf(name: ChannelName): DisplayValues | null {
    const channel = this.#channels.find(({ track }) => track.name === name);
    if (!channel) return null;
    if (this.#steps === 0) return emptyDisplay(channel.tally.lp);
    const { takt, moving } = channel;
    const values = channel.tally.values(this.setup.percentiles);
    return {
      ...values,
      ln: this.measuredMs < SAMPLE_MS ? NO_LN : values.ln,
      leqMov: optionalLevel(moving?.mean),
      ltm5: optionalLevel(takt.mean),
    };
  }
}

const NO_LN: DisplayValues['ln'] = [null, null, null, null, null];

export function emptyDisplay(lp: number | null): DisplayValues {
  return {
    lp,
    leq: null,
    le: null,
    lmax: null,
    lmin: null,
    ln: NO_LN,
    lpeak: null,
    lieq: null,
    leqMov: null,
    ltm5: null,
    over: false,
    under: false,
  };
}

function optionalLevel(meanSquare: number | null | undefined): number | null {
  return meanSquare === null || meanSquare === undefined ? null : levelOf(meanSquare);
}

// The two means of a measurement that look at parts of it: Leq,mov over a sliding window and Ltm5 over blocks of five seconds.

/** So a window of a day takes no more memory than a window of an hour. */
const MOST_PARTS = 3600;

/**
 * Leq,mov: the mean of the last window, in parts of one second (longer parts when the window is above an hour). Before the
 * window is full it is the mean of the parts there are.
 */
export class MovingMean {
  readonly #partSteps: number;
  readonly #parts: Float64Array;
  #complete = 0;
  #sum = 0;
  #steps = 0;

  constructor(windowMs: number, stepMs: number) {
    const partMs = 1000 * Math.ceil(windowMs / 1000 / MOST_PARTS);
    this.#partSteps = partMs / stepMs;
    this.#parts = new Float64Array(Math.max(1, Math.round(windowMs / partMs)));
  }

  add(energy: Float64Array, from: number, to: number): void {
    for (let i = from; i < to; i++) {
      this.#sum += energy[i] as number;
      this.#steps += 1;
      if (this.#steps === this.#partSteps) this.#close();
    }
  }

  #close(): void {
    this.#parts[this.#complete % this.#parts.length] = this.#sum / this.#steps;
    this.#complete += 1;
    this.#sum = 0;
    this.#steps = 0;
  }

  get mean(): number | null {
    const count = Math.min(this.#complete, this.#parts.length);
    if (count === 0) return null;
    let sum = 0;
    for (let i = 0; i < count; i++) sum += this.#parts[i] as number;
    return sum / count;
  }
}

const TAKT_MS = 5000;

/** Ltm5: the energy mean of the Lmax of successive blocks of five seconds; only complete blocks count. */
export class TaktMaximum {
  readonly #taktSteps: number;
  #highest = 0;
  #steps = 0;
  #sum = 0;
  #count = 0;

  constructor(stepMs: number) {
    this.#taktSteps = TAKT_MS / stepMs;
  }

  add(weighted: Float64Array, from: number, to: number): void {
    for (let i = from; i < to; i++) {
      if ((weighted[i] as number) > this.#highest) this.#highest = weighted[i] as number;
      this.#steps += 1;
      if (this.#steps === this.#taktSteps) this.#close();
    }
  }

  #close(): void {
    this.#sum += this.#highest;
    this.#count += 1;
    this.#highest = 0;
    this.#steps = 0;
  }

  get mean(): number | null {
    return this.#count === 0 ? null : this.#sum / this.#count;
  }
}
