/** Whether the wall clocks of this computer and of the store agree. It is told to people; nothing is decided by it. */

/** Two clocks that are further apart are a fault: one of them is wrong. Computers that ask for the time agree within some milliseconds. */
const APART_MS = 5_000;

/** What the last answer with a time says. Milliseconds since 1970 UTC. */
export class StoreClock {
  #ahead = 0;

  /** How far this computer is ahead of the store, ms; negative: behind. 0: less than 5 s, or not known. */
  get ahead(): number {
    return this.#ahead;
  }

  /** `time`: what the store read between `sent` and `came` of this computer. Undefined: it said none, and what is known stays. */
  answered(time: number | undefined, sent: number, came: number): void {
    if (time === undefined) return;
    const ahead = sent > time ? sent - time : Math.min(0, came - time);
    this.#ahead = Math.abs(ahead) < APART_MS ? 0 : ahead;
  }
}
