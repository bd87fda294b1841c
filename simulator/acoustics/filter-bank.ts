/** The filters of all channels that are on: for each the time-weighted mean square, and also the I-weighted one for LIeq. */
import { CHANNELS } from '../../lib/drivers/nl43/spec/layouts.ts';
import type { ChannelName, FrequencyWeighting, InstrumentSetup, PerChannel, TimeWeighting } from '../contract.ts';
import { type SoundWindow, windowSteps } from './window.ts';

/** One channel; `weighted` and `impulse` hold the values at the ends of the steps run last, at their places in the window. */
export interface Track {
  readonly name: ChannelName;
  readonly frequency: FrequencyWeighting;
  readonly filter: TimeFilter;
  readonly detector: TimeFilter;
  readonly weighted: Float64Array;
  readonly impulse: Float64Array;
}

export class FilterBank {
  readonly tracks: readonly Track[];

  constructor(tracks: readonly Track[]) {
    this.tracks = tracks;
  }

  /** Sets every filter as after an endless time of the sound at one place of a window. */
  settle(window: SoundWindow, place: number): void {
    for (const { filter, detector, frequency } of this.tracks) {
      const energy = window.energy[frequency][place] as number;
      filter.settle(energy);
      detector.settle(energy);
    }
  }

  run(window: SoundWindow, from: number, to: number): void {
    for (const track of this.tracks) {
      const energy = window.energy[track.frequency];
      track.filter.run(energy, from, to, track.weighted);
      track.detector.run(energy, from, to, track.impulse);
    }
  }

  restore(other: FilterBank): void {
    this.tracks.forEach((track, place) => {
      const twin = other.tracks[place];
      if (!twin) throw new RangeError('the banks have different channels');
      track.filter.restore(twin.filter.state);
      track.detector.restore(twin.detector.state);
    });
  }
}

export function filterBank(setup: InstrumentSetup, stepMs: number): FilterBank {
  const steps = windowSteps(stepMs);
  const names = CHANNELS.filter((name) => setup.channels[name].on);
  return new FilterBank(
    names.map((name) => ({
      name,
      frequency: setup.channels[name].frequency,
      filter: timeFilter(setup.channels[name].time, stepMs),
      detector: timeFilter('I', stepMs),
      weighted: new Float64Array(steps),
      impulse: new Float64Array(steps),
    })),
  );
}

export function perChannel<T>(pick: (name: ChannelName) => T | null): PerChannel<T> {
  return { main: pick('main'), sub1: pick('sub1'), sub2: pick('sub2'), sub3: pick('sub3') };
}

// Time weightings F, S and I: running exponential means of a mean square (F and S of IEC 61672-1, I of its predecessor IEC
// 60651). Exact for an input that is constant within a step. So every step length gives the same values at its ends. With F
// and S the output only rises or only falls within a step: its extremes lie at the ends. With I it may fall and then rise
// again: the largest value lies at an end, the smallest may lie between.

const TIME_CONSTANT_MS = { F: 125, S: 1000, impulseRise: 35, impulseFall: 1500 } as const;

export interface TimeFilter {
  readonly value: number;
  settle(meanSquare: number): void;
  /** Runs over `input[from]` ... `input[to - 1]` and writes the value at the end of each step to the same place of `output`. */
  run(input: Float64Array, from: number, to: number, output: Float64Array): void;
  /** As mean squares. `restore` on a filter of the same kind goes on from there. */
  readonly state: FilterState;
  restore(state: FilterState): void;
}

/** The running mean, and the value shown: the same for F and S. */
type FilterState = readonly [mean: number, value: number];

/** y += (x^2 - y)(1 - e^(-dt/tau)). */
export class ExponentialMean implements TimeFilter {
  readonly #share: number;
  #value = 0;

  constructor(tauMs: number, stepMs: number) {
    this.#share = -Math.expm1(-stepMs / tauMs);
  }

  get value(): number {
    return this.#value;
  }

  settle(meanSquare: number): void {
    this.#value = meanSquare;
  }

  run(input: Float64Array, from: number, to: number, output: Float64Array): void {
    const share = this.#share;
    let value = this.#value;
    for (let i = from; i < to; i++) {
      value += ((input[i] as number) - value) * share;
      output[i] = value;
    }
    this.#value = value;
  }

  get state(): FilterState {
    return [this.#value, this.#value];
  }

  restore(state: FilterState): void {
    this.#value = state[1];
  }
}

/** A 35 ms mean whose peaks are held and fall with 1.5 s. */
class ImpulseDetector implements TimeFilter {
  readonly #share: number;
  readonly #keep: number;
  #mean = 0;
  #value = 0;

  constructor(stepMs: number) {
    this.#share = -Math.expm1(-stepMs / TIME_CONSTANT_MS.impulseRise);
    this.#keep = Math.exp(-stepMs / TIME_CONSTANT_MS.impulseFall);
  }

  get value(): number {
    return this.#value;
  }

  settle(meanSquare: number): void {
    this.#mean = meanSquare;
    this.#value = meanSquare;
  }

  run(input: Float64Array, from: number, to: number, output: Float64Array): void {
    const share = this.#share;
    const keep = this.#keep;
    let mean = this.#mean;
    let value = this.#value;
    for (let i = from; i < to; i++) {
      mean += ((input[i] as number) - mean) * share;
      value *= keep;
      if (mean > value) value = mean;
      output[i] = value;
    }
    this.#mean = mean;
    this.#value = value;
  }

  get state(): FilterState {
    return [this.#mean, this.#value];
  }

  restore(state: FilterState): void {
    [this.#mean, this.#value] = state;
  }
}

export function timeFilter(weighting: TimeWeighting, stepMs: number): TimeFilter {
  return weighting === 'I' ? new ImpulseDetector(stepMs) : new ExponentialMean(TIME_CONSTANT_MS[weighting], stepMs);
}
