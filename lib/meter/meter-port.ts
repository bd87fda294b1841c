/**
 * One control port of a meter, whatever it is called. The command gap and the one connection that a meter takes belong to
 * its address and port; which address a name has is found out at the time of connecting, and may be another one next time.
 */
import { unlessAborted } from '../clock.ts';

/** What has the connection. */
export interface PortOwner {
  /** Another unit wants the meter: the connection is closed after the present command, and a stream interrupted. */
  yieldPort(): void;
}

export class MeterPort {
  /** When something last went to or came from the meter, on the monotonic clock. */
  lastAt = Number.NEGATIVE_INFINITY;
  /** When its last connection ended. */
  endedAt = Number.NEGATIVE_INFINITY;
  /** Units that have connected here and still have a session. */
  readonly units = new Set<string>();
  #owner: PortOwner | undefined;
  #released = Promise.withResolvers<void>();

  /** Waits until nobody else has the connection. What has it is asked to end it. */
  async claim(owner: PortOwner, signal: AbortSignal): Promise<void> {
    while (this.#owner && this.#owner !== owner) {
      this.#owner.yieldPort();
      await unlessAborted(this.#released.promise, signal);
    }
    this.#owner = owner;
  }

  /** Does nothing for one that has it not. */
  release(owner: PortOwner): void {
    if (this.#owner !== owner) return;
    this.#owner = undefined;
    this.#released.resolve();
    this.#released = Promise.withResolvers();
  }

  get isFree(): boolean {
    return this.#owner === undefined && this.units.size === 0;
  }
}

/** More than any fleet; beyond it those that nobody uses are forgotten. */
const MOST = 10_000;

export class MeterPorts {
  readonly #ports = new Map<string, MeterPort>();

  /** `addresses`: all that the name has now. One that is known already decides: a meter may have several. */
  of(addresses: readonly string[], port: number): MeterPort {
    const names = addresses.map((address) => `${address} ${port}`);
    const known = names.find((name) => this.#ports.has(name));
    const found = (known && this.#ports.get(known)) || new MeterPort();
    for (const name of names) if (!this.#ports.has(name)) this.#ports.set(name, found);
    if (this.#ports.size > MOST) {
      for (const [name, one] of this.#ports) if (one.isFree && one !== found) this.#ports.delete(name);
    }
    return found;
  }
}
