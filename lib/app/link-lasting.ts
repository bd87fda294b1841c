/** Whether the link to another instance carries messages, and lasts. */

/** A link that ends sooner than this after its beginning does not count as a good one, ms. More than the 25 s after which an end gives it up that hears nothing: only the other end takes that one for a good one. */
const LASTING_MS = 30_000;
/**
 * Two instances that have had no good link for so long do not reach each other, ms: the gateway tells of the other one, and that one is given no meters. One that died is silent sooner, and is
 * told as that.
 */
export const UNREACHED_MS = 30_000;
/** One that has broken off less often counts while it carries. */
const MANY_BREAKS = 2;

/** Of one link that is opened again and again. Times are those of the monotonic clock, ms. */
export class LinkLasting {
  #since: number | undefined;
  /** How often it has begun and ended without lasting. */
  #breaks = 0;

  /** True from its beginning to its end. */
  get carries(): boolean {
    return this.#since !== undefined;
  }

  /** True while it carries, once it lasts where it has begun and ended again and again. */
  isGood(now: number): boolean {
    return this.#since !== undefined && (this.#breaks < MANY_BREAKS || now - this.#since >= LASTING_MS);
  }

  began(now: number): void {
    this.#since = now;
  }

  /** True where it has lasted. */
  ended(now: number): boolean {
    const hasLasted = this.#since !== undefined && now - this.#since >= LASTING_MS;
    if (this.#since !== undefined) this.#breaks = hasLasted ? 0 : this.#breaks + 1;
    this.#since = undefined;
    return hasLasted;
  }
}
