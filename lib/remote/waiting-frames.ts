/** Frames wait for each other before they go over a link: a message costs more than the frames in it (`bench/shared.ts`). Those that somebody sees wait for a moment, others longer. */
import type { Clock } from '../clock.ts';
import type { FrameOnLink } from './messages.ts';

/** ms. */
const VIEWED_MS = 1;
const UNVIEWED_MS = 50;

/** Of one link. */
export class WaitingFrames {
  readonly #clock: Clock;
  readonly #onDue: () => void;
  readonly #viewed = new Set<string>();
  #frames: FrameOnLink[] = [];
  #isViewedOneWaiting = false;
  /** Of the time for which they wait; undefined: none does. */
  #cancel: (() => void) | undefined;

  /** `onDue`: it is time to take them. */
  constructor(clock: Clock, onDue: () => void) {
    this.#clock = clock;
    this.#onDue = onDue;
  }

  /** Whether somebody sees the frames of this unit. */
  view(unitId: string, isViewed: boolean): void {
    if (isViewed) this.#viewed.add(unitId);
    else this.#viewed.delete(unitId);
  }

  add(frame: FrameOnLink): void {
    this.#frames.push(frame);
    const isViewed = this.#viewed.has(frame[0]);
    if (this.#cancel && (this.#isViewedOneWaiting || !isViewed)) return;
    this.#cancel?.();
    this.#isViewedOneWaiting = isViewed;
    this.#cancel = this.#clock.after(isViewed ? VIEWED_MS : UNVIEWED_MS, this.#onDue);
  }

  /** All that wait, in the order of their arrival: what the gateway confirms is counted. None waits any longer. */
  take(): readonly FrameOnLink[] {
    this.#cancel?.();
    this.#cancel = undefined;
    const frames = this.#frames;
    this.#frames = [];
    return frames;
  }
}
