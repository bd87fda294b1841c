/**
 * What is kept of one unit over all its sessions: what it has cost, how it was last reached, and the end of the session
 * before, which the next one waits for.
 */
import type { Clock } from '../clock.ts';
import type { DeviceConfig } from '../store/contract.ts';
import type { MeterReport, Reachability } from './contract.ts';
import { createCounters, type Tally } from './counters.ts';
import type { Session } from './session.ts';
import type { Closing } from './session-parts.ts';

export class Unit {
  readonly tally: Tally;
  #session: Session | undefined;
  #address = '';
  #ended: Promise<void> = Promise.resolve();
  #lastReachability: Reachability | undefined;

  constructor(clock: Clock) {
    this.tally = { counters: createCounters(), since: clock.now() };
  }

  /** The end of the last session; settled when there was none. */
  get ended(): Promise<void> {
    return this.#ended;
  }

  get isIdle(): boolean {
    return this.#session === undefined;
  }

  /** Of the present session once it has tried, else of the one before. */
  get reachability(): Reachability | undefined {
    const present = this.#session?.reachability;
    return present?.reachable === null ? (this.#lastReachability ?? present) : (present ?? this.#lastReachability);
  }

  /** Of the present session, if there is one. */
  get report(): MeterReport | undefined {
    return this.#session?.report();
  }

  /** The session for this config, made when there is none. */
  session(config: DeviceConfig, create: () => Session): Session {
    this.#session ??= create();
    this.#address = addressOf(config);
    return this.#session;
  }

  /** Ends the session, if there is one. May be called twice. */
  end(closing: Closing): Promise<void> {
    if (!this.#session) return this.#ended;
    this.#lastReachability = this.reachability;
    this.#ended = this.#session.close(closing);
    this.#session = undefined;
    return this.#ended;
  }

  /** Whether the config names another address than before. Then it is another meter: how that one was reached says nothing. */
  moveTo(config: DeviceConfig, closing: Closing): boolean {
    const address = addressOf(config);
    if (address === this.#address) return false;
    this.end(closing);
    this.#address = address;
    this.#lastReachability = undefined;
    return true;
  }
}

const addressOf = ({ host, tcpPort }: DeviceConfig): string => `${host} ${tcpPort}`;
