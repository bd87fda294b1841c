/**
 * The sound level meter proper: puts sound, filters and tallies together behind the `Instrument` contract. Knows nothing of
 * commands, number formats or files.
 *
 *   SoundField --+-- Measurement (filters run on from start to stop) --> display, result, blocks
 *                +-- Listener (any step, from scratch) --> live Lp
 *                +-- Frames (a Listener of their own) --> DRD
 *
 * Time is counted in whole steps of the sound model: `start` at 1004 ms begins with the step that began at 1000 ms.
 */
import type { Block, BlockValues, DisplayValues, Instrument, InstrumentSetup, PerChannel } from '../contract.ts';
import { BlockFeed } from './block-feed.ts';
import { type FilterBank, filterBank, perChannel } from './filter-bank.ts';
import { levelOf, rangeFlags } from './levels.ts';
import { emptyDisplay, SoundMeasurement } from './measurement.ts';
import { loadScenario, type Scenario } from './scenario.ts';
import { type Sound, SoundField, scenarioSound, steadySound } from './sound.ts';
import { Tally } from './tally.ts';
import type { SoundWindow } from './window.ts';

/** As the meter leaves the factory: main channel A and F, LN 5 10 50 90 95, no Leq,mov. */
export const FACTORY_SETUP: InstrumentSetup = {
  channels: {
    main: { on: true, frequency: 'A', time: 'F' },
    sub1: { on: false, frequency: 'C', time: 'F' },
    sub2: { on: false, frequency: 'Z', time: 'F' },
    sub3: { on: false, frequency: 'A', time: 'S' },
  },
  percentiles: [5, 10, 50, 90, 95],
  movingLeqMs: null,
};

interface InstrumentOptions {
  /** Any integer; all noise comes from it. */
  readonly seed: number;
  readonly scenario: string;
  /** Step of the sound model, ms: a whole divisor of 100. Default 10. */
  readonly stepMs?: number;
  readonly scenarios?: Readonly<Record<string, Scenario>>;
}

/** Steps are computed when this much time has gathered. So no single call has to compute hours. */
const LAG_MS = 60_000;

/** A time slightly below the end of a step, because of rounding, counts as having reached it. */
const ROUNDING = 1e-6;

export function createInstrument(options: InstrumentOptions): Instrument {
  return new SimulatedInstrument(options);
}

class SimulatedInstrument implements Instrument {
  readonly #options: InstrumentOptions;
  readonly #stepMs: number;
  readonly #field: SoundField;
  #setup: InstrumentSetup = FACTORY_SETUP;
  #live: LevelListener;
  #frames: Frames;
  #frameOrigin = 0;
  #feeds: readonly BlockFeed[] = [];
  #measurement: SoundMeasurement | null = null;
  #state: 'stopped' | 'measuring' | 'paused' = 'stopped';
  #result: PerChannel<DisplayValues> | null = null;
  /** The step that time has reached, and the one up to which the measurement is computed. */
  #now = 0;
  #worked = 0;
  #working = false;

  constructor(options: InstrumentOptions) {
    const stepMs = options.stepMs ?? 10;
    if (!(Number.isInteger(stepMs) && stepMs > 0 && 100 % stepMs === 0)) {
      throw new RangeError(`a step of ${stepMs} ms does not divide 100 ms`);
    }
    this.#options = options;
    this.#stepMs = stepMs;
    this.#field = new SoundField(this.#scenario(options.scenario), stepMs);
    this.#live = new LevelListener(this.#field, this.#setup, stepMs);
    this.#frames = new Frames(this.#field, this.#setup, stepMs);
  }

  get measuredMs(): number {
    const pending = this.#state === 'measuring' ? (this.#present - this.#worked) * this.#stepMs : 0;
    return (this.#measurement?.measuredMs ?? 0) + pending;
  }

  /** A time before the present is ignored: time never goes back. */
  advance(to: number): void {
    this.#now = Math.max(this.#now, Math.floor(to / this.#stepMs + ROUNDING));
    const due = this.#feeds.length > 0 || (this.#now - this.#worked) * this.#stepMs >= LAG_MS;
    if (due) this.#work();
  }

  /** A measurement that is running keeps the setup it began with. */
  configure(setup: InstrumentSetup): void {
    this.#setup = setup;
    this.#live = new LevelListener(this.#field, setup, this.#stepMs);
    this.#frames = new Frames(this.#field, setup, this.#stepMs);
  }

  start(): void {
    this.stop();
    this.#measurement = new SoundMeasurement(this.#live.seek(this.#present), this.#setup, this.#stepMs);
    this.#worked = this.#present;
    this.#state = 'measuring';
    for (const feed of this.#feeds) feed.begin(this.#measurement);
  }

  pause(): void {
    if (this.#state !== 'measuring') return;
    this.#work();
    this.#state = 'paused';
  }

  resume(): void {
    const measurement = this.#measurement;
    if (this.#state !== 'paused' || !measurement) return;
    const listener = new LevelListener(this.#field, measurement.setup, this.#stepMs);
    measurement.continueWith(listener.seek(this.#present));
    for (const feed of this.#feeds) feed.goOn();
    this.#worked = this.#present;
    this.#state = 'measuring';
  }

  stop(): void {
    const measurement = this.#measurement;
    if (this.#state === 'stopped' || !measurement) return;
    this.#work();
    const values = measurement.values();
    this.#result = perChannel((name) => withLp(values[name], null));
    this.#state = 'stopped';
    for (const feed of this.#feeds) feed.end();
  }

  display(): PerChannel<DisplayValues> {
    this.#work();
    const measured = this.#measurement?.values();
    if (measured && this.#state === 'measuring') return measured;
    const { tracks } = this.#live.seek(this.#present);
    return perChannel((name) => {
      const track = tracks.find((one) => one.name === name);
      if (!track) return null;
      const lp = levelOf(track.filter.value);
      const flags = rangeFlags(track.frequency, lp, lp);
      const shown = withLp(measured?.[name] ?? emptyDisplay(lp), lp);
      return shown && { ...shown, over: shown.over || flags.over, under: shown.under || flags.under };
    });
  }

  result(): PerChannel<DisplayValues> | null {
    return this.#result;
  }

  frame(): PerChannel<BlockValues> {
    return this.#frames.lastBefore(this.#present, this.#frameOrigin);
  }

  beginFrames(): void {
    this.#frameOrigin = this.#present;
  }

  /** A feed taken during a measurement begins its grid at the present time. `take` may stop, start and play; time waits for it. */
  onBlock(periodMs: number, take: (block: Block) => void): () => void {
    const feed = new BlockFeed(periodMs, this.#stepMs, take);
    this.#work();
    if (this.#measurement && this.#state !== 'stopped') feed.begin(this.#measurement);
    this.#feeds = [...this.#feeds, feed];
    return () => {
      feed.end();
      this.#feeds = this.#feeds.filter((one) => one !== feed);
    };
  }

  play(sound: { readonly scenario: string } | { readonly steadyDb: number }): void {
    const next = 'scenario' in sound ? this.#scenario(sound.scenario) : steadySound(sound.steadyDb);
    this.#work();
    this.#field.change(this.#present, next, this.#present - MEMORY_MS / this.#stepMs);
  }

  #scenario(name: string): Sound {
    const own = this.#options.scenarios;
    const scenario = own && Object.hasOwn(own, name) ? own[name] : undefined;
    return scenarioSound(name, scenario ?? loadScenario(name), this.#options.seed, this.#stepMs, this.#present);
  }

  /** While a block is handed out, the present is the end of that block. */
  get #present(): number {
    return this.#working ? this.#worked : this.#now;
  }

  /** Computes the measurement up to the present, in parts that end where a window or a block ends. */
  #work(): void {
    if (this.#working) return;
    this.#working = true;
    try {
      while (this.#state === 'measuring' && this.#worked < this.#now) this.#workPart();
    } finally {
      this.#working = false;
    }
  }

  #workPart(): void {
    const window = this.#field.windowAt(this.#worked);
    const from = this.#worked - window.first;
    let to = Math.min(window.steps, this.#now - window.first);
    for (const feed of this.#feeds) to = Math.min(to, from + feed.wanted);
    this.#measurement?.add(window, from, to);
    for (const feed of this.#feeds) feed.add(window, from, to);
    this.#worked = window.first + to;
    for (const feed of this.#feeds) feed.deliver(this.#worked);
  }
}

function withLp(values: DisplayValues | null, lp: number | null): DisplayValues | null {
  return values && { ...values, lp };
}

// DRD frames: intervals of 100 ms on their own grid, whether the meter measures or not. Lmax and Lmin of a frame are the
// extremes of the time-weighted level within it, with both ends. Lp is the level at its end, Leq its energy. The captured
// frames show this (protocol facts, section 3.3). Frames are computed when asked for.

const FRAME_MS = 100;

class Frames {
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

// The live level at any step, without a computation of all steps before it. Time is cut into cells of a minute. In a cell the
// filters run from 45 s before its beginning: until then even the I weighting (2.9 dB/s) has forgotten 130 dB. So the value
// at a step depends only on the sound, the setup and the step, never on earlier questions.

const CELL_MS = 60_000;
const SETTLING_MS = 45_000;
/** How far back a caller may ask. Has a second to spare for a frame that ended before it. */
const MEMORY_MS = CELL_MS + SETTLING_MS + 1000;

class LevelListener {
  readonly bank: FilterBank;
  readonly #field: SoundField;
  readonly #cellSteps: number;
  readonly #settlingSteps: number;
  #cell = Number.NaN;
  #at = Number.NaN;

  constructor(field: SoundField, setup: InstrumentSetup, stepMs: number) {
    this.bank = filterBank(setup, stepMs);
    this.#field = field;
    this.#cellSteps = CELL_MS / stepMs;
    this.#settlingSteps = SETTLING_MS / stepMs;
  }

  seek(step: number): FilterBank {
    const cell = Math.floor(step / this.#cellSteps);
    if (cell !== this.#cell || step < this.#at) {
      this.#cell = cell;
      this.#at = cell * this.#cellSteps - this.#settlingSteps;
      const window = this.#field.windowAt(this.#at);
      this.bank.settle(window, this.#at - window.first);
    }
    this.run(step);
    return this.bank;
  }

  /** Runs on from where it is to a step, and hands over each part of the way. */
  run(step: number, part?: (window: SoundWindow, from: number, to: number) => void): void {
    while (this.#at < step) {
      const window = this.#field.windowAt(this.#at);
      const from = this.#at - window.first;
      const to = Math.min(window.steps, step - window.first);
      this.bank.run(window, from, to);
      part?.(window, from, to);
      this.#at = window.first + to;
    }
  }
}
