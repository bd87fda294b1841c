/** Frames that went over the link and that the gateway has not confirmed: a computer that dies, or a cable that is cut, ends no link at once. */
import type { FrameOnLink } from './messages.ts';

/** Of one link after the other. */
export class SentFrames {
  #frames: FrameOnLink[] = [];
  #confirmed = 0;
  #left = new Map<string, FrameOnLink[]>();

  add(...frames: readonly FrameOnLink[]): void {
    this.#frames.push(...frames);
  }

  /** So many of this link have come. */
  had(frames: number): void {
    const more = Math.min(frames - this.#confirmed, this.#frames.length);
    if (more <= 0) return;
    this.#frames.splice(0, more);
    this.#confirmed += more;
  }

  /** The link is over, and another one begins: what was not confirmed waits until it is taken. */
  next(): void {
    this.#left = Map.groupBy(this.#frames, ([unitId]) => unitId);
    this.#frames = [];
    this.#confirmed = 0;
  }

  /** Those of a unit over the link before, oldest first. They are not kept any longer. */
  take(unitId: string): readonly FrameOnLink[] {
    const frames = this.#left.get(unitId) ?? [];
    this.#left.delete(unitId);
    return frames;
  }

  /** The gateway has all of them. */
  clear(): void {
    this.had(this.#confirmed + this.#frames.length);
  }
}
