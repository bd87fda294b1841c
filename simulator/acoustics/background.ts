/**
 * The background of a scenario: broadband noise whose level wanders slowly (a minute) and flickers (half a second). Values
 * depend only on time, not on how a window is asked for in parts.
 */

import { meanSquareOf } from './levels.ts';
import { bell, crossfade, smoothNoise, streamSeed } from './noise.ts';
import type { BackgroundNoise } from './scenario.ts';
import { perUnitA } from './weighting.ts';
import { type SoundWindow, windowSteps } from './window.ts';

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

/** Writes the background into a window of sound. */
export class Background {
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
