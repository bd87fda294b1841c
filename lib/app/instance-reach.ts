/** Whether the gateway reaches this instance at its `instance_address`: then its link comes in there. Others give it no units before. */
import type { Clock } from '../clock.ts';
import { LinkLasting, UNREACHED_MS } from './link-lasting.ts';

/** Of one instance. Not reached at first. */
export class GatewayReach {
  readonly #clock: Pick<Clock, 'elapsed'>;
  readonly #link = new LinkLasting();
  #isReached = false;
  #gateway: string | undefined;
  /** Since when the same gateway is heard of and has no good link. */
  #since = 0;

  constructor(clock: Pick<Clock, 'elapsed'>) {
    this.#clock = clock;
  }

  /** The link of the gateway carries messages, or does not any more. */
  carries(on: boolean): void {
    const now = this.#clock.elapsed();
    if (on) this.#link.began(now);
    else this.#link.ended(now);
  }

  /** `gateway`: the one that there is, under its epoch; undefined while none is heard of. To be asked with each sign of life. */
  isReached(gateway: string | undefined): boolean {
    const now = this.#clock.elapsed();
    const isGood = this.#link.isGood(now);
    if (isGood || gateway === undefined || gateway !== this.#gateway) this.#since = now;
    this.#gateway = gateway;
    if (isGood) this.#isReached = true;
    else if (now - this.#since >= UNREACHED_MS) this.#isReached = false;
    return this.#isReached;
  }
}
