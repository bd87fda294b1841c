/**
 * A sound as the microphone hears it: for each step the weighted mean squares and peaks, in windows of five seconds. A sound
 * is a pure function of the seed, the scenario and the step; it remembers nothing that changes its values.
 * The background is broadband noise whose level wanders slowly (a minute) and flickers (half a second).
 *
 *   background (noise.ts) + pass-bys -> peaks by crest factor -> + impulses with their own crest
 */
import { addImpulses, addPassBys } from './events.ts';
import { meanSquareOf } from './levels.ts';
import { bell, crossfade, smoothNoise, streamSeed, uniform } from './noise.ts';
import type { BackgroundNoise, Scenario, Step, Tone } from './scenario.ts';
import { perUnitA, WEIGHTINGS, weightingAt } from './weighting.ts';
import { emptyWindow, type SoundWindow, windowSteps } from './window.ts';

export interface Sound {
  /** Writes places `from` ... `to - 1` of the window, which begins with step `window.first`. */
  fill(window: SoundWindow, from: number, to: number): void;
}

/** Peak over mean square of a sine: 2, i.e. 3.01 dB. */
const SINE_CREST = 2;

function toneSound(tone: Tone): Sound {
  return {
    fill(window, from, to) {
      for (const weighting of WEIGHTINGS) {
        const energy = meanSquareOf(tone.levelDb + weightingAt(weighting, tone.frequencyHz));
        window.energy[weighting].fill(energy, from, to);
        window.peak[weighting].fill(SINE_CREST * energy, from, to);
      }
    },
  };
}

/** Levels one after the other from step `begin` of the sound model on; before it the first, after the end the last. */
function steppedSound(levels: readonly Step[], begin: number, stepMs: number): Sound {
  let end = begin;
  const parts = levels.map(({ levelDb, seconds }) => {
    end += Math.round((seconds * 1_000) / stepMs);
    return { end, sound: steadySound(levelDb) };
  });
  const soundAt = (step: number) => parts.find((part) => step < part.end) ?? parts.at(-1);
  return {
    fill(window, from, to) {
      for (let place = from; place < to; ) {
        const part = soundAt(window.first + place);
        const until = part === parts.at(-1) || !part ? to : Math.min(to, part.end - window.first);
        part?.sound.fill(window, place, until);
        place = until;
      }
    },
  };
}

/**
 * The sound of a scenario that begins at step `begin`. `name` keeps the noises of two scenarios apart under one seed.
 */
export function scenarioSound(name: string, scenario: Scenario, seed: number, stepMs: number, begin = 0): Sound {
  if (scenario.tone) return toneSound(scenario.tone);
  if (scenario.steps) return steppedSound(scenario.steps, begin, stepMs);
  const { background } = scenario;
  if (!background) throw new TypeError(`scenario ${name}: has no tone, steps or background`);
  const own = streamSeed(seed, name);
  const noise = new Background(background, streamSeed(own, 'background'), stepMs);
  const passBys = (scenario.passBys ?? []).map((kind, place) =>
    addPassBys(kind, streamSeed(own, `pass-by ${place}`), stepMs),
  );
  const impulses = (scenario.impulses ?? []).map((kind, place) =>
    addImpulses(kind, streamSeed(own, `impulse ${place}`), stepMs),
  );
  const peaks = noisePeaks(background.bandwidthHz, streamSeed(own, 'crest'), stepMs);
  return {
    fill(window, from, to) {
      noise.fill(window, from, to);
      for (const add of passBys) add(window, from, to);
      peaks(window, from, to);
      for (const add of impulses) add(window, from, to);
    },
  };
}

/**
 * Peaks of noise: the largest of n independent Gaussian values lies near 2 (ln n + E) over the mean square. E is exponential,
 * n = 2 B T. So a 100 ms interval has about +11 dB and an hour +16 dB. Field frames have 54.2 over 43.2, and 62.6 over 45.3
 * in 3 s. Never below the crest of a sine.
 */
function noisePeaks(bandwidthHz: number, seed: number, stepMs: number): Sound['fill'] {
  const base = Math.log(2 * bandwidthHz * (stepMs / 1000));
  return (window, from, to) => {
    const { energy, peak } = window;
    for (let i = from; i < to; i++) {
      const crest = Math.max(SINE_CREST, 2 * (base - Math.log(uniform(seed, window.first + i))));
      peak.A[i] = crest * (energy.A[i] as number);
      peak.C[i] = crest * (energy.C[i] as number);
      peak.Z[i] = crest * (energy.Z[i] as number);
    }
  };
}

/** A sound for `play({ steadyDb })`: a 1 kHz tone, the same level in every weighting. */
export function steadySound(steadyDb: number): Sound {
  if (!Number.isFinite(steadyDb)) throw new RangeError(`a steady level must be a number of dB, is ${steadyDb}`);
  return toneSound({ levelDb: steadyDb, frequencyHz: 1000 });
}

interface Change {
  readonly from: number;
  readonly sound: Sound;
}

/** The sounds at one meter, one after the other. The first has always been there, also before the meter was switched on. */
export class SoundField {
  readonly #window: SoundWindow;
  #changes: readonly Change[];

  constructor(sound: Sound, stepMs: number) {
    this.#changes = [{ from: Number.NEGATIVE_INFINITY, sound }];
    this.#window = emptyWindow(stepMs);
  }

  /** From this step on there is another sound. Nobody asks for sound before step `forget` again. */
  change(step: number, sound: Sound, forget: number): void {
    const before = this.#changes.filter((change) => change.from < step);
    const needed = before.filter((_, place) => (before[place + 1]?.from ?? step) > forget);
    this.#changes = [...needed, { from: step, sound }];
    this.#window.first = Number.NaN;
  }

  /** The window that holds a step. The next call for another window overwrites it. */
  windowAt(step: number): SoundWindow {
    const window = this.#window;
    const first = Math.floor(step / window.steps) * window.steps;
    if (window.first !== first) {
      window.first = first;
      this.#changes.forEach(({ from, sound }, place) => {
        const until = this.#changes[place + 1]?.from ?? Number.POSITIVE_INFINITY;
        const begin = Math.max(0, from - first);
        const end = Math.min(window.steps, until - first);
        if (begin < end) sound.fill(window, begin, end);
      });
    }
    return window;
  }
}

/** Lattices and their share of the standard deviation; the squares of the shares add up to 1. */
const SLOW = [
  { seconds: 60, share: 0.8 },
  { seconds: 20, share: 0.6 },
] as const;
const FAST = [
  { ms: 500, share: 0.8 },
  { ms: 100, share: 0.6 },
] as const;
/** Noise of a small bandwidth varies by chance from one 100 ms to the next. Made on a lattice, too. */
const GRAIN_MS = 100;
/** dB to the exponent of e. */
const NEPER = Math.LN10 / 10;

interface Flicker {
  readonly seed: number;
  /** Standard deviation, as an exponent of e. */
  readonly size: number;
  /** Steps between lattice points, and the weights of the left and right one at each step between. */
  readonly steps: number;
  readonly left: Float64Array;
  readonly right: Float64Array;
}

class Background {
  readonly #scale: { readonly A: number; readonly C: number; readonly Z: number };
  readonly #slowSize: number;
  readonly #slowSeeds: readonly number[];
  readonly #flickers: readonly Flicker[];
  readonly #stepMs: number;
  readonly #exponent: Float64Array;

  constructor(data: BackgroundNoise, seed: number, stepMs: number) {
    const level = meanSquareOf(data.levelDbA);
    const shape = perUnitA(data.spectrum);
    this.#scale = { A: level, C: level * shape.C, Z: level * shape.Z };
    this.#slowSize = data.slowDb * NEPER;
    this.#slowSeeds = SLOW.map(({ seconds }) => streamSeed(seed, `slow ${seconds}`));
    const fast = FAST.map(({ ms, share }) =>
      flicker(ms, share * data.fastDb * NEPER, streamSeed(seed, `fast ${ms}`), stepMs),
    );
    const { grainDb = 0 } = data;
    this.#flickers =
      grainDb === 0 ? fast : [...fast, flicker(GRAIN_MS, grainDb * NEPER, streamSeed(seed, 'grain'), stepMs)];
    this.#stepMs = stepMs;
    this.#exponent = new Float64Array(windowSteps(stepMs));
  }

  fill(window: SoundWindow, from: number, to: number): void {
    this.#wander(window);
    for (const one of this.#flickers) addFlicker(one, window, this.#exponent);
    const { A, C, Z } = this.#scale;
    const { energy } = window;
    for (let i = from; i < to; i++) {
      const swing = Math.exp(this.#exponent[i] as number);
      energy.A[i] = A * swing;
      energy.C[i] = C * swing;
      energy.Z[i] = Z * swing;
    }
  }

  /** The slow walk, straight between the ends of the window: five seconds of a minute bend little. */
  #wander(window: SoundWindow): void {
    const begin = this.#slowAt(window.first);
    const rise = (this.#slowAt(window.first + window.steps) - begin) / window.steps;
    for (let i = 0; i < window.steps; i++) this.#exponent[i] = begin + rise * i;
  }

  #slowAt(step: number): number {
    const seconds = (step * this.#stepMs) / 1000;
    let sum = 0;
    SLOW.forEach((octave, place) => {
      sum += octave.share * smoothNoise(this.#slowSeeds[place] as number, seconds / octave.seconds);
    });
    return this.#slowSize * sum;
  }
}

function flicker(latticeMs: number, size: number, seed: number, stepMs: number): Flicker {
  const steps = latticeMs / stepMs;
  const left = new Float64Array(steps);
  const right = new Float64Array(steps);
  for (let i = 0; i < steps; i++) [left[i], right[i]] = crossfade(i / steps);
  return { seed, size, steps, left, right };
}

/** Adds one flicker to the exponents; windows begin on a lattice point. */
function addFlicker(one: Flicker, window: SoundWindow, exponent: Float64Array): void {
  if (one.size === 0) return;
  let point = window.first / one.steps;
  let here = bell(one.seed, point);
  for (let begin = 0; begin < window.steps; begin += one.steps) {
    point += 1;
    const next = bell(one.seed, point);
    for (let i = 0; i < one.steps; i++) {
      const value = here * (one.left[i] as number) + next * (one.right[i] as number);
      exponent[begin + i] = (exponent[begin + i] as number) + one.size * value;
    }
    here = next;
  }
}
