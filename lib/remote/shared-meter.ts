/** One meter for the plugins of the gateway, wherever its session is: what is asked goes to the session of the moment. */

import type { Clock } from '../clock.ts';
import type { Family, OperationName, Operations } from '../drivers/contract.ts';
import { operationOf } from '../drivers/not-supported.ts';
import { GatewayError, isGatewayError } from '../errors.ts';
import type { Caller, Meter, MeterReport, Reservation, ReserveOptions } from '../meter/contract.ts';
import { unknownDeviceState } from '../meter/device-state.ts';
import { FamilyMeter } from '../meter/family-meter.ts';
import type { FeedEnd } from '../meter/live/contract.ts';
import { changesMeter } from './operations-on-link.ts';
import type { SharedFeed } from './shared-feed.ts';

/** What a meter needs of its unit. */
export interface SharedMeterParts {
  readonly unitId: string;
  readonly family: Family;
  readonly clock: Clock;
  readonly feed: SharedFeed;
  readonly reachability: () => Meter['reachability'];
  readonly counted: () => Pick<MeterReport, 'counters' | 'countedSince'>;
  /**
   * Resolves when the session may have come; rejects when it has not come in time. `refused`: the present session has refused with
   * this error.
   */
  readonly wait: (caller: Caller, refused: GatewayError | undefined) => Promise<void>;
  /** The session has answered, if with an error. */
  readonly onAnswer: () => void;
}

const NOBODY: Meter['identity'] = Object.freeze({ serialNumber: null, model: null, exchanged: null });

/** Stays the same while the unit moves between instances; ends when its config names another meter, or none. */
export class SharedMeter extends FamilyMeter implements Meter {
  readonly unitId: string;
  readonly family: Family;
  readonly #parts: SharedMeterParts;
  #session: Meter | undefined;
  /** The present session, or the last one: what it knew is what is known. */
  #known: Meter | undefined;
  #closed: GatewayError | undefined;

  constructor(parts: SharedMeterParts) {
    super();
    this.#parts = parts;
    this.unitId = parts.unitId;
    this.family = parts.family;
  }

  /** The session of the moment; undefined: there is none. */
  get session(): Meter | undefined {
    return this.#session;
  }

  get feed(): Meter['feed'] {
    return this.#parts.feed;
  }

  get deviceState(): Meter['deviceState'] {
    return this.#known?.deviceState ?? unknownDeviceState();
  }

  get identity(): Meter['identity'] {
    return this.#known?.identity ?? NOBODY;
  }

  get reachability(): Meter['reachability'] {
    return this.#parts.reachability();
  }

  async perform<N extends OperationName>(
    name: N,
    caller: Caller,
    ...values: Parameters<Operations[N]>
  ): Promise<ReturnType<Operations[N]>> {
    operationOf(this, name);
    return this.#ask(caller, !changesMeter(name), (session, own) => session.perform(name, own, ...values));
  }

  async readSetting(name: string, caller: Caller): Promise<string> {
    this.setting(name);
    return this.#ask(caller, true, (session, own) => session.readSetting(name, own));
  }

  async writeSetting(name: string, value: string, caller: Caller): Promise<string> {
    this.setting(name);
    return this.#ask(caller, false, (session, own) => session.writeSetting(name, value, own));
  }

  /** Work that has begun is not begun again. If its session ends and it may have changed something: OUTCOME_UNKNOWN. */
  async reserve<T>(
    label: string,
    work: (reservation: Reservation) => Promise<T>,
    caller: Caller,
    options: ReserveOptions = {},
  ): Promise<T> {
    let hasBegun = false;
    const once = (reservation: Reservation) => {
      hasBegun = true;
      return work(reservation);
    };
    return this.#ask(caller, true, async (session, own) => {
      try {
        return await session.reserve(label, once, own, options);
      } catch (error) {
        if (!hasBegun || !isGatewayError(error, 'OWNER_CHANGING')) throw error;
        throw new WorkBegun(options.isRead === true ? error : brokenOff(this.unitId, label, error));
      }
    });
  }

  isWorthAsking(name: OperationName): boolean {
    return this.can(name) && (this.#known?.isWorthAsking(name) ?? true);
  }

  report(): MeterReport {
    const own = { watchers: this.feed.watchers, identity: this.identity, ...this.#parts.counted() };
    const known = this.#known?.report();
    if (known && this.#session) return { ...known, ...own };
    return { ...NOTHING_KNOWN, ...known, ...own, ...NO_SESSION };
  }

  /** The session is another one now, or there is none: why, in words. */
  follow(session: Meter | undefined, why: string): void {
    if (this.#closed) return;
    this.#session = session;
    this.#known = session ?? this.#known;
    this.#parts.feed.follow(session, why);
  }

  /** There is no session for so long that nobody should wait for the next frame. */
  lose(why: string): void {
    this.#parts.feed.lose(why);
  }

  /** Whoever asks from now on is told this. */
  close(error: GatewayError, feed: FeedEnd): void {
    this.#closed ??= error;
    this.#session = undefined;
    this.#parts.feed.close(feed, error.message);
  }

  /**
   * Puts it to the session of the moment. One that does not serve the unit has done nothing, so it is asked again until the wait is over.
   * What may change something is not: where the session has ended meanwhile it may have been sent.
   */
  async #ask<T>(caller: Caller, isRead: boolean, put: (session: Meter, caller: Caller) => Promise<T>): Promise<T> {
    const { clock, wait, onAnswer } = this.#parts;
    const from = clock.elapsed();
    for (;;) {
      if (this.#closed) throw this.#closed;
      const session = this.#session;
      if (!session) {
        await wait(caller, undefined);
        continue;
      }
      try {
        const value = await put(session, lessTime(caller, clock.elapsed() - from));
        onAnswer();
        return value;
      } catch (error) {
        if (error instanceof WorkBegun) throw error.cause;
        if (!isGatewayError(error)) throw error;
        const isRefused = error.code === 'OWNER_CHANGING';
        if (!isRefused && error.code !== 'OUTCOME_UNKNOWN') onAnswer();
        const isSame = session === this.#session;
        if (!isRefused || !(isRead || isSame)) throw error;
        if (isSame) await wait(caller, error);
      }
    }
  }
}

/** The work of a reservation had begun: it is not begun again. */
class WorkBegun extends Error {
  constructor(cause: GatewayError) {
    super('begun', { cause });
  }
}

const brokenOff = (unitId: string, label: string, cause: GatewayError): GatewayError =>
  new GatewayError(
    'OUTCOME_UNKNOWN',
    `The session with the meter ${unitId} ended while "${label}" went on. What of it took effect is not known; it is not sent again.`,
    { cause },
  );

const lessTime = (caller: Caller, spentMs: number): Caller =>
  caller.deadlineMs === undefined || spentMs === 0
    ? caller
    : { ...caller, deadlineMs: Math.max(1, caller.deadlineMs - spentMs) };

const NO_SESSION = Object.freeze({
  ...({ state: 'closed', reservation: null, waiting: [], connectedSince: null, retryInMs: null } as const),
});

const NOTHING_KNOWN = Object.freeze({ lastEnding: null, sharedWith: [], unreadable: [], strangeLine: null });
