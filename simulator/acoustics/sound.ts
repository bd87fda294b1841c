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
import type { Scenario, Tone } from './scenario.ts';
import { WEIGHTINGS, weightingAt } from './weighting.ts';
import type { SoundWindow } from './window.ts';

export interface Sound {
  /** Writes places `from` ... `to - 1` of the window, which begins with step `window.first`. */
  fill(window: SoundWindow, from: number, to: number): void;
}

/** Peak over mean square of a sine: 2, i.e. 3.01 dB. */
const SINE_CREST = 2;

export function toneSound(tone: Tone): Sound {
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

/** The sound of a scenario. `name` keeps the noises of two scenarios apart under one seed. */
export function scenarioSound(name: string, scenario: Scenario, seed: number, stepMs: number): Sound {
  if (scenario.tone) return toneSound(scenario.tone);
  const { background } = scenario;
  if (!background) throw new TypeError(`scenario ${name}: has neither a tone nor a background`);
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
 * Peaks of noise: the largest of n independent Gaussian values lies near 2 (ln n + E) over the mean square, E being
 * exponential, n = 2 B T. So a 100 ms interval shows about +11 dB and an hour +16 dB, as field frames do (54.2 over 43.2;
 * 62.6 over 45.3 in 3 s). Never below a sine's crest.
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

/** A sound for `hear({ steadyDb })`: a 1 kHz tone, the same level in every weighting. */
export function steadySound(steadyDb: number): Sound {
  if (!Number.isFinite(steadyDb)) throw new RangeError(`a steady level must be a number of dB, is ${steadyDb}`);
  return toneSound({ levelDb: steadyDb, frequencyHz: 1000 });
}
