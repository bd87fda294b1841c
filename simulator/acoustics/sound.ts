/**
 * A sound as the microphone hears it: for each step the weighted mean squares and peaks, in windows of five seconds. A sound
 * is a pure function of the seed, the scenario and the step; it remembers nothing that changes its values.
 *
 *   background (noise.ts) + pass-bys -> peaks by crest factor -> + impulses with their own crest
 */
import { Background } from './background.ts';
import { addImpulses, addPassBys } from './events.ts';
import { meanSquareOf } from './levels.ts';
import { streamSeed, uniform } from './noise.ts';
import type { Scenario, Step, Tone } from './scenario.ts';
import { WEIGHTINGS, weightingAt } from './weighting.ts';
import { emptyWindow, type SoundWindow } from './window.ts';

/** A source of sound; the same seed gives the same sound. */
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
