/** One measurement from start to stop: what DOD shows of it. It is handed its steps; pauses are steps it is not handed. */
import type { ChannelName, DisplayValues, InstrumentSetup, PerChannel } from '../contract.ts';
import { type FilterBank, filterBank, perChannel, type Track } from './filter-bank.ts';
import { levelOf } from './levels.ts';
import { MovingMean, TaktMaximum } from './running-means.ts';
import { SAMPLE_MS, Tally } from './tally.ts';
import type { SoundWindow } from './window.ts';

interface Channel {
  readonly track: Track;
  readonly tally: Tally;
  readonly takt: TaktMaximum;
  readonly moving: MovingMean | null;
}

/** From start to stop; levels in dB. */
export class SoundMeasurement {
  /** Filters of its own: within a measurement they run without a break. */
  readonly bank: FilterBank;
  readonly setup: InstrumentSetup;
  readonly #stepMs: number;
  readonly #channels: readonly Channel[];
  #steps = 0;

  /** Begins with filters in the state of `bank`. */
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

  /** After a pause the filters go on in the state of `bank`; measured values stay. */
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

/** A channel that has a live level and no other value. */
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
