/** Frames that went over the link and that the gateway has not confirmed: a computer that dies, or a cable that is cut, ends no link at once. */
import type { Clock } from '../clock.ts';
import type { FrameOnLink } from './messages.ts';

/** Of one link after the other. */
export class SentFrames {
  readonly #clock: Pick<Clock, 'elapsed'>;
  #frames: FrameOnLink[] = [];
  /** When one of them was confirmed, or the first one was sent. */
  #since = 0;
  #confirmed = 0;
  /** Of links that are over, by unit, oldest first. */
  readonly #left = new Map<string, FrameOnLink[]>();

  constructor(clock: Pick<Clock, 'elapsed'>) {
    this.#clock = clock;
  }

  add(...frames: readonly FrameOnLink[]): void {
    if (this.#frames.length === 0) this.#since = this.#clock.elapsed();
    this.#frames.push(...frames);
  }

  /** So many of this link have come. */
  had(frames: number): void {
    const more = Math.min(frames - this.#confirmed, this.#frames.length);
    if (more <= 0) return;
    this.#since = this.#clock.elapsed();
    this.#frames.splice(0, more);
    this.#confirmed += more;
  }

  /** For so long frames wait for the gateway to confirm any of them, ms; 0 where none does. */
  get waitingMs(): number {
    return this.#frames.length === 0 ? 0 : this.#clock.elapsed() - this.#since;
  }

  /** The link is over, and another one begins: what was not confirmed waits until it is taken, however many links end before. */
  next(): void {
    for (const [unitId, frames] of Map.groupBy(this.#frames, (frame) => frame[0])) {
      this.#left.set(unitId, [...(this.#left.get(unitId) ?? []), ...frames]);
    }
    this.#frames = [];
    this.#confirmed = 0;
  }

  /** Nobody takes any more what links that are over have left. */
  drop(): void {
    this.#left.clear();
  }

  /** Those of a unit over the links before, oldest first. They are not kept any longer. */
  take(unitId: string): readonly FrameOnLink[] {
    const frames = this.#left.get(unitId) ?? [];
    this.#left.delete(unitId);
    return frames;
  }
}
