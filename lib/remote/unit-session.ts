/**
 * One unit over all instances that serve it: where its session is, how it was last reached, what it has cost. While no instance serves
 * it for long, it says so: silence would read as if all were well.
 */
import { type Clock, unlessAborted, within } from '../clock.ts';
import type { Family } from '../drivers/contract.ts';
import type { GatewayError } from '../errors.ts';
import type { EventStream } from '../events/contract.ts';
import type { Log } from '../log.ts';
import type { Caller, LiveFrame, Meter, MeterCounters, MeterReport, Reachability } from '../meter/contract.ts';
import type { FeedEnd } from '../meter/live/contract.ts';
import type { CommandGap } from '../meter/meter-port.ts';
import { untried } from '../meter/reachability.ts';
import { ownerChanging, servedByNobody } from './link-errors.ts';
import { RecentState } from './recent-state.ts';
import type { SessionFound, SessionPlace } from './session-place.ts';
import { SharedFeed } from './shared-feed.ts';
import { SharedMeter } from './shared-meter.ts';
import { SummedCounters } from './summed-counters.ts';

/** What a unit needs. */
export interface UnitSessionParts {
  readonly unitId: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly events: Pick<EventStream, 'publish'>;
  readonly find: () => SessionFound;
  readonly kept: () => { readonly frames: readonly LiveFrame[]; readonly lost: number };
  /** Looks again what the config says, and then where the session is. */
  readonly look: () => void;
  readonly isTraced: () => boolean;
}

/** Whoever asks waits so long for a session after there was none, ms; later it is told at once. */
const WAIT_MS = 2_000;
/** A session that does not serve the unit yet is asked again after so long, ms. */
const PAUSE_MS = 250;
/** Without a session for so long, ms, the meter counts as not in order; and as offline: units of an instance that died are claimed before. */
const DEGRADED_MS = 10_000;
const OFFLINE_MS = 90_000;
/** A session elsewhere has told by then what it knows of the meter, ms. */
const KNOWN_MS = 1_000;

/** From the first use of the unit until its config is removed. */
export class UnitSession {
  readonly #parts: UnitSessionParts;
  readonly #counters = new SummedCounters();
  readonly #countedSince: number;
  #meter: SharedMeter | undefined;
  #place: SessionPlace | undefined;
  #why = '';
  /** What the session before the present one knew. */
  readonly #before: RecentState;
  /** How it was last reached by a session that had tried. */
  #last: Reachability | undefined;
  /** What was known before was about another meter, ms UTC. */
  #forgotAt = Number.NEGATIVE_INFINITY;
  /** What is said instead while nobody can reach it. */
  #trouble: Reachability | undefined;
  /** On the monotonic clock: since when no session answers. */
  #goneAt: number | undefined;
  #disarm = () => {};
  #arrival = newArrival();

  constructor(parts: UnitSessionParts) {
    this.#parts = parts;
    this.#countedSince = parts.clock.now();
    this.#before = new RecentState(parts.clock);
    this.follow();
  }

  /** The meter of now; with `family` one begins where there is none. */
  meter(family: Family): SharedMeter {
    this.#meter ??= this.#begin(family);
    return this.#meter;
  }

  /** Of the present session once it has tried, else as it was last known; while nobody can reach it, that. */
  get reachability(): Reachability | undefined {
    const { unitId } = this.#parts;
    const present = this.#place?.meters.reachability(unitId);
    const triedAt = Math.max(present?.lastSuccess ?? 0, present?.lastError?.at ?? 0);
    const isOther = present && present.reachable !== null && triedAt < this.#forgotAt;
    if (isOther) return this.#trouble;
    if (present && present.reachable !== null) this.#last = present;
    return this.#trouble ?? this.#last ?? present;
  }

  get counters(): MeterCounters | undefined {
    this.#count();
    return this.#counters.isUsed ? this.#counters.sums : undefined;
  }

  get report(): MeterReport | undefined {
    if (this.#meter) return this.#meter.report();
    const report = this.#place?.meters.report(this.#parts.unitId);
    return report && { ...report, ...this.#counted() };
  }

  /** For FTP: it waits for its turn at the session of the moment. */
  get commandGap(): CommandGap {
    const { unitId } = this.#parts;
    const gap = () => this.#place?.meters.commandGap(unitId);
    const wait = async (signal: AbortSignal) => {
      for (let present = gap(); ; present = gap()) {
        if (present) return present.wait(signal);
        await this.#wait({ signal }, undefined);
      }
    };
    return {
      get commands() {
        return gap()?.commands ?? 0;
      },
      wait,
      restart: () => gap()?.restart(),
    };
  }

  /** Whose the unit is, or which instances are linked, may have changed. */
  follow(): void {
    const { unitId, isTraced } = this.#parts;
    // What was counted and known there stays.
    this.#count();
    void this.reachability;
    const found = this.#parts.find();
    const before = this.#place;
    this.#place = found.place;
    // Somebody may have been at the keys of a meter that was not reached.
    if (before && before !== found.place) this.#before.is(this.#last?.reachable ? this.#meter?.deviceState : undefined);
    const { state } = this.#before;
    if (before !== found.place && state) found.place?.learn?.(unitId, state);
    this.#why = found.place ? servedByNobody(unitId) : found.why;
    this.#count();
    if (before !== found.place && isTraced()) {
      before?.trace?.(unitId, false);
      found.place?.trace?.(unitId, true);
    }
    const had = this.#meter ? this.#meter.session : before;
    this.#meter?.follow(this.#session(), this.#why);
    const has = this.#meter ? this.#meter.session : found.place;
    if (!has) this.#gone();
    else if (has !== had) this.#back(false);
  }

  trace(on: boolean): void {
    this.#place?.trace?.(this.#parts.unitId, on);
  }

  /** Whoever has the meter asks again for another one, or is told that there is none. `forget`: the next one is another meter. */
  end(error: GatewayError, feed: FeedEnd, forget: boolean): void {
    void this.reachability;
    this.#meter?.close(error, feed);
    this.#meter = undefined;
    this.#disarm();
    this.#trouble = undefined;
    this.#goneAt = undefined;
    if (forget) {
      this.#last = undefined;
      this.#before.is(undefined);
      this.#forgotAt = this.#parts.clock.now();
    }
    this.#arrived();
  }

  #begin(family: Family): SharedMeter {
    const { unitId, clock, log, kept, look } = this.#parts;
    const feed = new SharedFeed({
      ...{ unitId, clock, log, look },
      // One that is only streamed answers nothing else.
      onFrame: () => this.#back(true),
      place: () => this.#place,
      kept: () => {
        const { frames, lost } = kept();
        if (lost > 0) log.warn({ frames: lost }, 'frames were lost while no gateway was there');
        return frames;
      },
    });
    const meter = new SharedMeter({
      ...{ unitId, family, clock, feed },
      reachability: () => this.reachability ?? untried(clock.now()),
      counted: () => this.#counted(),
      wait: (caller, refused) => this.#wait(caller, refused),
      onAnswer: () => this.#back(true),
    });
    this.#meter = meter;
    this.#disarm();
    this.#goneAt = undefined;
    meter.follow(this.#session(), this.#why);
    if (!meter.session) this.#gone();
    return meter;
  }

  #session(): Meter | undefined {
    if (!this.#meter) return undefined;
    try {
      return this.#place?.meters.meter(this.#parts.unitId);
    } catch {
      // It does not serve the unit yet, or not any more.
      return undefined;
    }
  }

  #counted(): Pick<MeterReport, 'counters' | 'countedSince'> {
    this.#count();
    return { counters: this.#counters.sums, countedSince: this.#countedSince };
  }

  #count(): void {
    const { unitId } = this.#parts;
    const { key, meters } = this.#place ?? {};
    const counters = meters?.counters(unitId);
    if (key === undefined || !counters) return;
    const since = meters?.report(unitId)?.countedSince ?? this.#countedSince;
    this.#counters.take(key, counters, since < this.#countedSince);
  }

  /** Until a session may have come. Errors: OWNER_CHANGING when there is none in time; the reason of the signal. */
  async #wait({ signal, deadlineMs }: Caller, refused: GatewayError | undefined): Promise<void> {
    const { clock, unitId } = this.#parts;
    this.#gone();
    const late = () => refused ?? ownerChanging(this.#why || servedByNobody(unitId));
    const leftMs = Math.min((this.#goneAt ?? 0) + WAIT_MS - clock.elapsed(), deadlineMs ?? Number.POSITIVE_INFINITY);
    if (leftMs <= 0) throw late();
    const arrival = (until: AbortSignal) => unlessAborted(this.#arrival.promise, until);
    // One that refused is there: it may serve the unit a moment later.
    if (refused && leftMs > PAUSE_MS) await pause(clock, PAUSE_MS, arrival, signal);
    else await within(clock, leftMs, late, arrival, signal);
  }

  /** A session is there, or has answered. */
  #back(hasAnswered: boolean): void {
    if (this.#goneAt !== undefined) {
      this.#goneAt = undefined;
      this.#disarm();
      this.#arrived();
      if (this.#trouble) this.#disarm = this.#parts.clock.after(KNOWN_MS, () => this.#over());
    }
    if (hasAnswered) this.#over();
  }

  /** The trouble is over. One that was online before need not be so now: where the session has not tried yet, nobody knows. */
  #over(): void {
    const { clock, events, unitId } = this.#parts;
    const from = this.#trouble?.state;
    if (from === undefined) return;
    this.#disarm();
    this.#trouble = undefined;
    const { state, reason, reachable, since } = untried(clock.now());
    const isTried = typeof this.#place?.meters.reachability(unitId)?.reachable === 'boolean';
    if (this.#last && !isTried) this.#last = { ...this.#last, state, reason, reachable, since };
    events.publish(unitId, 'reachability', { from, reachability: this.reachability ?? untried(clock.now()) });
  }

  #arrived(): void {
    const { resolve } = this.#arrival;
    this.#arrival = newArrival();
    resolve();
  }

  /** No session answers, from now on or still. */
  #gone(): void {
    const { clock } = this.#parts;
    if (this.#goneAt !== undefined) return;
    this.#disarm();
    this.#goneAt = clock.elapsed();
    this.#disarm = clock.after(DEGRADED_MS, () => {
      this.#say('degraded');
      this.#disarm = clock.after(OFFLINE_MS - DEGRADED_MS, () => this.#say('offline'));
    });
  }

  /** Only of a meter that somebody uses. */
  #say(state: 'degraded' | 'offline'): void {
    const { clock, events, log, unitId } = this.#parts;
    if (!this.#meter) return;
    const now = clock.now();
    const reason = this.#why;
    const before = this.reachability ?? untried(now);
    const lastError = { code: 'OWNER_CHANGING', detail: reason, at: now, resolvedAt: null } as const;
    this.#trouble = { ...before, state, reason, since: now, reachable: false, lastError };
    log.warn({ state, reason }, 'no session with the meter');
    this.#meter.lose(reason);
    events.publish(unitId, 'reachability', { from: before.state, reachability: this.#trouble });
  }
}

const newArrival = (): PromiseWithResolvers<void> => Promise.withResolvers<void>();

/** Nobody is told that it is over: who waits looks again. */
async function pause(
  clock: Clock,
  ms: number,
  work: (signal: AbortSignal) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  const over = new Error('the pause is over');
  await within(clock, ms, () => over, work, signal).catch((error: unknown) => {
    if (error !== over) throw error;
  });
}
