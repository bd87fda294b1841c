/**
 * Turns frames of 100 ms into rows of full seconds of UTC. A row has the frames that arrived, and their number: a
 * missing frame is missing time and is not filled in.
 */
import { type Frame, indices, quantities, type SecondRow } from '../../../lib/index.ts';
import type { PlacedFrame } from './frame-clock.ts';

const { isKept, levelsBy, QUANTITIES, quantitiesIn } = quantities;

/** Steps of 100 ms in a second. */
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

/** Holds the second that is not complete yet. */
export class SecondRows {
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

  /** The unfinished second, with the frames so far. */
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
