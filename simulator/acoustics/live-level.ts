/**
 * The live level at any step, without a computation of all steps before it. Time is cut into cells of a minute. In a cell the
 * filters run from 45 s before its beginning: until then even the I weighting (2.9 dB/s) has forgotten 130 dB. So the value
 * at a step depends only on the sound, the setup and the step, never on earlier questions.
 */
import type { InstrumentSetup } from '../contract.ts';
import type { SoundField } from './field.ts';
import { type FilterBank, filterBank } from './filter-bank.ts';
import type { SoundWindow } from './window.ts';

const CELL_MS = 60_000;
const SETTLING_MS = 45_000;
/** How far back a caller may ask. Has a second to spare for a frame that ended before it. */
export const MEMORY_MS = CELL_MS + SETTLING_MS + 1000;

/** Answers for any step that is not too far back. */
export class LevelListener {
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

  /** Brings the filters to their state at a step. */
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
