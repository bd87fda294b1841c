/**
 * The background readings of one meter: one timer, one reading at a time. Nothing is shared with the pollers of other
 * meters, so none can delay another. This file does not decide how a meter is read.
 *
 *   off -> waiting -> reading -> waiting
 *             \-> gives way to a watched stream, or to a slower pace while the meter cannot be reached
 */
import { BESIDE_STREAM_MS } from '../../lib/built-in.ts';
import {
  type DeviceConfig,
  type ErrorCode,
  GatewayError,
  type Host,
  isGatewayError,
  messageOf,
  readLive,
} from '../../lib/index.ts';
import type { PollingSettings } from './schemas.ts';

/** Share of the interval, plus or minus, so that meters that began together drift apart. */
const JITTER = 0.05;

/** Time until the next reading, ms: the interval, a little more or less, the same on average. */
export const spread = (ms: number, random: () => number): number => ms * (1 - JITTER + 2 * JITTER * random());

/** Time between two tries of an unreachable meter, ms: doubles from the interval, up to `slowestMs` or the interval if that is longer. */
export const slowed = (intervalMs: number, failures: number, slowestMs: number): number =>
  Math.max(intervalMs, Math.min(intervalMs * 2 ** Math.min(failures, 20), slowestMs));

/**
 * Numbers from 0 to 1 that look random but depend only on the text. So a unit keeps its time among the others over a
 * restart, and a test sees the same schedule each time. (FNV-1a for the seed, then a mixing step for each number.)
 */
export function numbersFrom(text: string): () => number {
  let state = 0x811c9dc5;
  for (const letter of text) state = Math.imul(state ^ (letter.codePointAt(0) ?? 0), 0x01000193);
  return () => {
    state = (state + 0x9e3779b9) | 0;
    let mixed = Math.imul(state ^ (state >>> 16), 0x21f0aaad);
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
    return ((mixed ^ (mixed >>> 15)) >>> 0) / 2 ** 32;
  };
}

/** After a change of the config a reading comes after this time, at most twice this time: the caller's next command goes first. ms */
const SOON_MS = 1_000;
/** While no level of the display is known, the stream is interrupted at most this often, ms. */
const UNKNOWN_LEVELS_MS = 60_000;
/** The limit for such a reading in the queue, because background questions interrupt a stream once a minute at most. ms */
const BESIDE_STREAM_LIMIT_MS = 120_000;

type PollState = 'off' | 'waiting' | 'reading' | 'streaming' | 'slowed';

/** Times in ms UTC. */
interface PollReport {
  readonly state: PollState;
  readonly next: number | null;
  readonly lastPoll: number | null;
  readonly lastSuccess: number | null;
  /** `resolvedAt`: when a later reading succeeded. */
  readonly lastError: {
    readonly code: ErrorCode;
    readonly detail: string;
    readonly at: number;
    readonly resolvedAt: number | null;
  } | null;
  /** Consecutive readings that failed because the meter could not be reached. */
  readonly failures: number;
  readonly polls: number;
  readonly successes: number;
  /** How often a watched stream made a reading unnecessary. */
  readonly skipped: number;
}

const WAITING: readonly ErrorCode[] = ['QUEUE_TIMEOUT', 'DEVICE_BUSY'];

interface Due {
  readonly elapsed: number;
  readonly at: number;
}

export class Poller {
  readonly #host: Host<PollingSettings>;
  readonly #random: () => number;
  #config: DeviceConfig;
  #due: Due | undefined;
  #disarm = () => {};
  #reading: AbortController | undefined;
  #state: PollState = 'off';
  /** On the monotonic clock: an unreachable meter is not read before this time. */
  #probeAt = 0;
  /** On the monotonic clock: when a watched stream was last interrupted. */
  #interruptedAt = Number.NEGATIVE_INFINITY;
  #lastPoll: number | null = null;
  #lastSuccess: number | null = null;
  #lastError: PollReport['lastError'] = null;
  #failures = 0;
  #polls = 0;
  #successes = 0;
  #skipped = 0;

  /** `spreadMs`: the first reading comes within this time; undefined: soon. */
  constructor(config: DeviceConfig, host: Host<PollingSettings>, spreadMs?: number) {
    this.#host = host;
    this.#random = numbersFrom(config.unitId);
    this.#config = config;
    if (isWanted(host, config)) this.#begin(spreadMs === undefined ? SOON_MS : 0, spreadMs ?? SOON_MS);
  }

  get report(): PollReport {
    return {
      state: this.#isNeeded ? this.#state : 'off',
      next: (this.#isNeeded && this.#due?.at) || null,
      lastPoll: this.#lastPoll,
      lastSuccess: this.#lastSuccess,
      lastError: this.#lastError,
      failures: this.#failures,
      polls: this.#polls,
      successes: this.#successes,
      skipped: this.#skipped,
    };
  }

  follow(config: DeviceConfig): void {
    this.#config = config;
    this.stop();
    this.#failures = 0;
    if (isWanted(this.#host, config)) this.#begin(SOON_MS, SOON_MS);
  }

  /** Removes a waiting reading from the queue; a running reading is finished and published. May be called twice. */
  stop(): void {
    this.#disarm();
    this.#due = undefined;
    this.#state = 'off';
    this.#reading?.abort(new GatewayError('STOPPING', 'The background reading is no longer needed.'));
    this.#reading = undefined;
  }

  #begin(afterMs: number, withinMs: number): void {
    this.#state = 'waiting';
    this.#arm(afterMs + this.#random() * Math.min(withinMs, this.#intervalMs));
  }

  #arm(ms: number): void {
    const { clock } = this.#host;
    this.#due = { elapsed: clock.elapsed() + ms, at: clock.now() + ms };
    this.#disarm = clock.after(ms, () => void this.#runDue());
  }

  async #runDue(): Promise<void> {
    const planned = this.#due?.elapsed ?? this.#host.clock.elapsed();
    this.#due = undefined;
    const ending = new AbortController();
    this.#reading = ending;
    await this.#once(ending.signal);
    if (ending.signal.aborted) return;
    this.#reading = undefined;
    // Counted from the planned time, not from the end: the pace does not depend on the length of a reading.
    this.#arm(Math.max(0, planned + spread(this.#intervalMs, this.#random) - this.#host.clock.elapsed()));
  }

  /** Reads if a reading is due and useful. Never rejects. */
  async #once(signal: AbortSignal): Promise<void> {
    const streams = this.#streams;
    if (!this.#isNeeded) return;
    if (streams && !this.#mayInterrupt) {
      this.#state = 'streaming';
      this.#skipped += 1;
    } else if (this.#isLeftAlone) {
      this.#state = 'slowed';
    } else {
      this.#state = 'reading';
      if (streams) this.#interruptedAt = this.#host.clock.elapsed();
      await this.#read(signal);
    }
  }

  /** Without readings, a meter that is recorded and gives no stream would be recorded by nothing. */
  get #isNeeded(): boolean {
    const { pollEnabled, history, unitId } = this.#config;
    if (pollEnabled || history !== 'stream') return pollEnabled;
    const { reachable, streamRefusal } = this.#host.reachability(unitId) ?? {};
    return (streamRefusal ?? null) !== null || (reachable === true && this.#isWatched && !this.#streams);
  }

  /** Whether the stream is watched and not lost: then it keeps its values fresh. */
  get #streams(): boolean {
    return this.#isWatched && this.#host.meter(this.#config.unitId).feed.state !== 'lost';
  }

  get #isWatched(): boolean {
    return (this.#host.report(this.#config.unitId)?.watchers ?? 0) > 0;
  }

  get #mayInterrupt(): boolean {
    const { clock, status } = this.#host;
    const age = status.of(this.#config.unitId).age('levelsAt');
    const sinceMs = clock.elapsed() - this.#interruptedAt;
    // No level of this measurement is known yet.
    if (age === null) return sinceMs >= UNKNOWN_LEVELS_MS;
    return Math.min(age, sinceMs) >= BESIDE_STREAM_MS;
  }

  /** As soon as another command has reached the meter, it is read at its usual pace again. */
  get #isLeftAlone(): boolean {
    if (this.#failures === 0 || this.#host.reachability(this.#config.unitId)?.reachable) return false;
    return this.#host.clock.elapsed() < this.#probeAt;
  }

  async #read(signal: AbortSignal): Promise<void> {
    const host = this.#host;
    const { unitId } = this.#config;
    this.#polls += 1;
    this.#lastPoll = host.clock.now();
    try {
      const limit = this.#isWatched ? { deadlineMs: BESIDE_STREAM_LIMIT_MS } : {};
      await readLive(host, host.meter(unitId), { signal, priority: 'background', ...limit });
      if (signal.aborted) return;
      this.#successes += 1;
      this.#failures = 0;
      this.#lastSuccess = host.clock.now();
      if (this.#lastError)
        this.#lastError = { ...this.#lastError, resolvedAt: this.#lastError.resolvedAt ?? this.#lastSuccess };
      this.#state = this.#streams ? 'streaming' : 'waiting';
    } catch (error) {
      if (!signal.aborted) this.#fail(error);
    }
  }

  #fail(error: unknown): void {
    const { clock, log, settings, reachability } = this.#host;
    const { unitId } = this.#config;
    const code = isGatewayError(error) ? error.code : 'INTERNAL';
    // The reading only waited behind operators, which is not an error of the meter.
    if (!WAITING.includes(code))
      this.#lastError = { code, detail: messageOf(error), at: clock.now(), resolvedAt: null };
    if (code === 'INTERNAL')
      log.error({ unit_id: unitId, err: error }, 'a background reading failed with an unexpected error');
    // A meter that refuses, or that operators keep busy, can be reached: its pace stays.
    const unreachable = reachability(unitId)?.reachable === false;
    this.#state = unreachable ? 'slowed' : 'waiting';
    this.#failures = unreachable ? this.#failures + 1 : 0;
    this.#probeAt = clock.elapsed() + slowed(this.#intervalMs, this.#failures, settings.slowest_seconds * 1_000);
  }

  get #intervalMs(): number {
    return this.#config.pollIntervalSeconds * 1_000;
  }
}

const isWanted = (
  { families }: Host<PollingSettings>,
  { pollEnabled, tcpEnabled, family, history }: DeviceConfig,
): boolean =>
  (pollEnabled || history === 'stream') && tcpEnabled && families.find(family)?.operations.live !== undefined;
