/**
 * Records one channel of a unit: frames and readings become rows, and each row has its weighting. Does not decide when to
 * record.
 *
 *   frames    of 100 ms: rows of full seconds of UTC. A row has the frames that arrived, and their number: a missing
 *             frame is missing time and is not filled in
 *   readings  of the display: one instant, whose Lp has no duration. But LE of a running measurement only grows, so two
 *             readings of one measurement give the Leq of the time between
 */
import {
  type Batch,
  type Frame,
  type FrameTiming,
  type IntervalRow,
  indices,
  quantities,
  type SecondRow,
  type Weighting,
} from '../../lib/built-in.ts';
import { type ArrivedFrame, FrameClock, type PlacedFrame } from './frame-clock.ts';

/** One reading of the main channel. Levels in dB; null: the meter gave no level. */
export interface Reading {
  /** When the levels were read: wall clock, ms since 1970 UTC, and monotonic, ms. */
  readonly time: number;
  readonly elapsed: number;
  readonly lp: number | null;
  readonly leq: number | null;
  readonly le: number | null;
  /** Whether a measurement runs, and is not paused. */
  readonly measuring: boolean;
  readonly flags: {
    readonly over: boolean;
    readonly under: boolean;
    readonly frozen: boolean;
    readonly implausible: boolean;
  };
}

/** Frames have the levels of the channel in `main`. */
export class Recorder {
  readonly #series: Pick<Batch, 'unitId' | 'channel'>;
  readonly #append: (batch: Batch) => void;
  readonly #frames: FrameClock | undefined;
  readonly #rows = new SecondRows();
  #weighting: Weighting | null = null;
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

  /** The stream or the process ends. A second that was written is not continued. */
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

const { isKept, levelsBy, QUANTITIES, quantitiesIn } = quantities;

const STEPS = 10;
const STEP_S = 1 / STEPS;
/** A minute of frames without a change: no real sound keeps five levels the same to a tenth of a decibel. */
const FROZEN_FRAMES = 600;

type Levels = Frame['main'];
/** If they all stay the same, the meter is frozen. */
const COMPARED = quantitiesIn('frame');
/** Levels of a frame that a row keeps besides Leq. */
const FURTHER = COMPARED.filter(isKept).filter((name) => name !== 'leq');

interface OpenSecond {
  readonly at: number;
  readonly frames: { readonly step: number; readonly main: Levels; readonly frozen: boolean }[];
}

class SecondRows {
  #open: OpenSecond | undefined;
  #last: Levels | undefined;
  #unchanged = 0;

  /** The second before, after the first frame of another second. */
  take({ step, frame: { main } }: PlacedFrame): SecondRow | undefined {
    const at = Math.floor(step / STEPS);
    const finished = this.#open && this.#open.at !== at ? this.flush() : undefined;
    this.#open ??= { at, frames: [] };
    this.#open.frames.push({ step, main, frozen: this.#isFrozen(main) });
    return finished;
  }

  flush(): SecondRow | undefined {
    const open = this.#open;
    this.#open = undefined;
    return open && rowOf(open);
  }

  #isFrozen(main: Levels): boolean {
    const last = this.#last;
    this.#last = main;
    const isSame = last !== undefined && COMPARED.every((name) => last[name] === main[name]);
    this.#unchanged = isSame ? this.#unchanged + 1 : 0;
    return this.#unchanged >= FROZEN_FRAMES;
  }
}

/** Undefined where no frame has a Leq: a second without data is no row. */
function rowOf({ at, frames }: OpenSecond): SecondRow | undefined {
  const measured = frames.filter(({ main }) => main.leq !== null);
  const steps = new Set(measured.map(({ step }) => step)).size;
  const leq = indices.energyMean(measured.map(({ main }) => ({ level: Number(main.leq), seconds: STEP_S })));
  if (leq === null) return undefined;
  const over = frames.some(({ main }) => main.over === true);
  const under = frames.some(({ main }) => main.under === true);
  const frozen = frames.some((each) => each.frozen);
  const implausible = frames.some(({ main }) => 'implausible' in main);
  return {
    at,
    steps,
    leq,
    ...levelsBy(FURTHER, (name) => levelOver(name, frames, measured)),
    // If the meter's clock is faster than ours, more than ten frames come; one of them is left out of this second.
    lp: frames.flatMap(({ main }) => levelIn('lp', main) ?? []).slice(0, STEPS),
    flags: { over, under, frozen, implausible },
  };
}

type Placed = OpenSecond['frames'][number];

/** A family of meters may not have it. */
const levelIn = (name: quantities.FrameQuantity, main: Partial<Levels>): number | null => {
  const level = main[name] ?? null;
  return level === null ? null : Number(level);
};

/** A maximum or minimum is over all frames, a mean over frames with a Leq. */
const levelOver = (
  name: quantities.KeptQuantity & quantities.FrameQuantity,
  frames: readonly Placed[],
  measured: readonly Placed[],
): number | null =>
  indices.wholeLevel(
    name,
    (QUANTITIES[name].sum === 'energy' ? measured : frames).map(({ main }) => ({
      level: levelIn(name, main),
      seconds: STEP_S,
    })),
  );

interface ReadingRows {
  readonly seconds: readonly SecondRow[];
  readonly intervals: readonly IntervalRow[];
}

/** The meter refreshes the values of its display about once a second (captured): a reading may be that old. */
const REFRESH_S = 1;

const LONGEST_S = 86_400;

/** A Leq of more than a quarter of an hour says little about its parts. */
const LONGEST_WAIT_MS = 900_000;

/** LE and Leq are shown in tenths: their difference may be wrong by this much, dB. */
const DIFFERENCE_DB = 0.1;

/** `before`: must be of the same series. */
function readingRows(reading: Reading, before: Reading | undefined): ReadingRows {
  const { time, lp, flags } = reading;
  const at = Math.floor(time / 1_000);
  const row: SecondRow | undefined = lp === null ? undefined : { at, steps: 0, leq: null, lp: [lp], flags };
  const interval = before && intervalOf(before, reading);
  return { seconds: row ? [row] : [], intervals: interval ? [interval] : [] };
}

/** LE may be too coarse for the time between two readings; then it is exact enough for a longer time. */
const isBeginning = (before: Reading, now: Reading): boolean =>
  before.le !== null && isOneMeasurement(before, now) && now.elapsed - before.elapsed < LONGEST_WAIT_MS;

/** Undefined if both may belong to different measurements, or if LE is not exact enough for the time between. */
function intervalOf(before: Reading, now: Reading): IntervalRow | undefined {
  if (before.le === null || now.le === null || !isOneMeasurement(before, now)) return undefined;
  const between = indices.leqBetween(
    { le: before.le, at: before.elapsed / 1_000 },
    { le: now.le, at: now.elapsed / 1_000 },
    REFRESH_S,
  );
  if (!between) return undefined;
  // By the monotonic clock, so that neighbouring intervals meet: the wall clock may have been set between them.
  const end = Math.round(now.time / 1_000);
  const at = Math.round((now.time - (now.elapsed - before.elapsed)) / 1_000);
  const duration = end - at;
  return duration > LONGEST_S ? undefined : { at, duration, leq: between.leq };
}

/**
 * LE - Leq is ten times the logarithm of the measured seconds (IEC 61672-1). The seconds must have grown by the time
 * between the two readings: less means a pause or a new start in between.
 */
function isOneMeasurement(before: Reading, now: Reading): boolean {
  if (!before.measuring || !now.measuring) return false;
  const [least] = measuredSeconds(before);
  const [, most] = measuredSeconds(now);
  return most - least >= (now.elapsed - before.elapsed) / 1_000 - REFRESH_S;
}

/** The fewest and the most measured seconds that the rounded levels allow. */
function measuredSeconds({ le, leq }: Reading): readonly [least: number, most: number] {
  const difference = (le ?? Number.NaN) - (leq ?? Number.NaN);
  return [10 ** ((difference - DIFFERENCE_DB) / 10), 10 ** ((difference + DIFFERENCE_DB) / 10)];
}
