/**
 * One control port of a meter, under any name. A meter takes one connection and needs a rest between commands. Both
 * belong to its address and port, so they are kept here. The address of a name is looked up at each connection and may
 * change.
 */
import { type Clock, sleep, unlessAborted } from '../clock.ts';
import type { Address } from '../transport/contract.ts';
import type { Caller } from './contract.ts';

/** When the next command may be sent to a meter. */
export type CommandGap = Pick<MeterPort, 'commands' | 'restart' | 'wait'>;

export class MeterPort {
  /** When its last connection ended, on the monotonic clock. */
  endedAt = Number.NEGATIVE_INFINITY;
  /** Number of commands sent to it, without commands that begin a stream. */
  commands = 0;
  /** Units that have connected here and still have a session. */
  readonly units = new Set<string>();
  /** Length of the rest between commands, ms: that of the family of the meter. */
  restMs: number;
  readonly #clock: Clock;
  /** When bytes last went to or came from the meter, on the monotonic clock. */
  #lastAt = Number.NEGATIVE_INFINITY;
  #owner: (() => void) | undefined;
  #released = Promise.withResolvers<void>();

  constructor(clock: Clock, restMs: number) {
    this.#clock = clock;
    this.restMs = restMs;
  }

  /** Bytes went to or came from the meter, or a failure occurred: the rest begins now. */
  restart(): void {
    this.#lastAt = this.#clock.elapsed();
  }

  left(): void {
    this.restart();
    this.endedAt = this.#lastAt;
  }

  get restLeftMs(): number {
    return Math.max(0, Math.ceil(this.#lastAt + this.restMs - this.#clock.elapsed()));
  }

  /** Waits until the rest is over. Checks again after each wait: a byte that arrived meanwhile starts the rest again. */
  async wait({ signal }: Pick<Caller, 'signal' | 'deadlineMs' | 'who' | 'job'>): Promise<void> {
    signal.throwIfAborted();
    for (let ms = this.restLeftMs; ms > 0; ms = this.restLeftMs) await sleep(this.#clock, ms, signal);
  }

  join(other: MeterPort): void {
    this.#lastAt = Math.max(this.#lastAt, other.#lastAt);
    this.endedAt = Math.max(this.endedAt, other.endedAt);
  }

  /**
   * Waits until nobody else has the connection. `giveUp` identifies the new owner, and is called when another unit
   * wants the meter: the owner then closes the connection after the present command.
   */
  async claim(giveUp: () => void, signal: AbortSignal): Promise<void> {
    while (this.#owner && this.#owner !== giveUp) {
      this.#owner();
      await unlessAborted(this.#released.promise, signal);
    }
    this.#owner = giveUp;
  }

  release(giveUp: () => void): void {
    if (this.#owner !== giveUp) return;
    this.#owner = undefined;
    this.#released.resolve();
    this.#released = Promise.withResolvers();
  }

  get isUnused(): boolean {
    return this.#owner === undefined && this.units.size === 0 && this.restLeftMs === 0;
  }
}

/** More than any fleet; above this number unused ports are forgotten. */
const MOST = 10_000;

export class MeterPorts {
  readonly #create: () => MeterPort;
  readonly #ports = new Map<string, MeterPort>();

  constructor(create: () => MeterPort) {
    this.#create = create;
  }

  /** The port of this name, as far as it is known: units come and go, are switched off, or share a meter by mistake. */
  named({ host, port }: Address): MeterPort {
    return this.#of([`${host.toLowerCase()} ${port}`]);
  }

  /**
   * `addresses`: all present addresses of the name. A known one decides, because a meter may have several. From now on
   * the name means this port.
   */
  resolved(address: Address, addresses: readonly string[]): MeterPort {
    const before = this.named(address);
    const found = this.#of(addresses.map((each) => `${each} ${address.port}`));
    found.join(before);
    this.#ports.set(`${address.host.toLowerCase()} ${address.port}`, found);
    return found;
  }

  #of(names: readonly string[]): MeterPort {
    const known = names.map((name) => this.#ports.get(name)).find((port) => port !== undefined);
    const port = known ?? this.#create();
    for (const name of names) if (!this.#ports.has(name)) this.#ports.set(name, port);
    if (this.#ports.size > MOST) {
      for (const [name, each] of this.#ports) if (each.isUnused && each !== port) this.#ports.delete(name);
    }
    return port;
  }
}
