/**
 * The sounds one after the other as `play` put them, and the window that was asked for last. The first sound has always been
 * there, also before the meter was switched on.
 */
import type { Sound } from './sound.ts';
import { emptyWindow, type SoundWindow } from './window.ts';

interface Change {
  readonly from: number;
  readonly sound: Sound;
}

/** The sound at one meter. */
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
