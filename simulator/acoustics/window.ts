/** Five seconds of sound, step by step: what passes from the sound to the filters. */
import type { FrequencyWeighting } from '../contract.ts';

const WINDOW_MS = 5000;

/** `first` is the step the window begins with. Peaks are the largest p^2 / p0^2 within a step. */
export interface SoundWindow {
  first: number;
  readonly steps: number;
  readonly energy: Readonly<Record<FrequencyWeighting, Float64Array>>;
  readonly peak: Readonly<Record<FrequencyWeighting, Float64Array>>;
}

export function windowSteps(stepMs: number): number {
  return WINDOW_MS / stepMs;
}

export function emptyWindow(stepMs: number): SoundWindow {
  const steps = windowSteps(stepMs);
  const arrays = () => ({ A: new Float64Array(steps), C: new Float64Array(steps), Z: new Float64Array(steps) });
  return { first: Number.NaN, steps, energy: arrays(), peak: arrays() };
}
