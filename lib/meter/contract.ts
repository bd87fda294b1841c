/** One meter, for all code above the session. */

import type { Counters } from '../domain/fields/counters.ts';
import type { Family, MeterSetting, OperationName, Operations } from '../drivers/contract.ts';
import type { Frame } from '../drivers/wire/contract.ts';
import type { ErrorCode } from '../errors.ts';

/** One caller: its wait for the answer, and its priority. */
export interface Caller {
  /** Aborts when the caller has gone: a waiting command is removed, a running command is finished and logged. */
  readonly signal: AbortSignal;
  /**
   * Longest wait for the answer, ms. A command that was sent by then is finished and logged without the caller; any
   * other is not sent. Default: the setting `request_deadline_ms`.
   */
  readonly deadlineMs?: number;
  /** Operators go before background reads; within a class in the order of arrival. Default `operator`. */
  readonly priority?: 'operator' | 'background';
  /** Identity of the caller, such as the name of an API key: callers of the same meter take turns. Default: none. */
  readonly who?: string | undefined;
  /**
   * The job of the caller, in words: it may interrupt a watched stream for as long as it needs, and the log reports
   * that.
   */
  readonly job?: string | undefined;
  /**
   * A later question of a request that needs several: it waits for no budget of a watched stream, which pays for it.
   */
  readonly continues?: boolean;
  /**
   * Highest age of an acceptable answer, ms; 0: the meter is asked. Default: 0; beside a watched stream the newest
   * frame, a minute for settings (`Command.holds`), two seconds for other values.
   */
  readonly maxAgeMs?: number;
  /** Longest total wait of its client, ms: a command that could not be sent in that time is refused at once. */
  readonly clientLimitMs?: number;
  /** Called with the answer: its wait for a turn beside a watched stream, ms. */
  readonly onWait?: (ms: number) => void;
  /** Called in place of a new exchange: the age of the answer, ms. */
  readonly onAge?: (ms: number) => void;
}

/** Properties of a reservation, for equal calls and for viewers. */
export interface ReserveOptions {
  readonly join?: string;
  readonly joinWhile?: () => boolean;
  /** The work changes nothing at the meter: it waits until the budget of a watched stream allows an interruption. */
  readonly isRead?: boolean;
}

/** A caller's exclusive use of the meter. Keeps the rest between commands automatically. */
export interface Reservation {
  /**
   * For a background reading: an operator waits, or a watcher arrived after its beginning. Work that can do less then
   * ends early.
   */
  readonly shouldYield: boolean;
  /**
   * An operation of the family, within this reservation. Errors: NOT_SUPPORTED and INVALID, before anything is sent;
   * DEVICE_WRONG_STATE, DEVICE_REFUSED_*, DEVICE_GARBLED, DEVICE_UNREACHABLE, DEVICE_WEDGED, ADDRESS_REFUSED,
   * OUTCOME_UNKNOWN, DEVICE_TIMEOUT.
   */
  perform<N extends OperationName>(name: N, ...values: Parameters<Operations[N]>): Promise<ReturnType<Operations[N]>>;
  readSetting(name: string): Promise<string>;
  /** Returns the new value, in the form of `readSetting`. Errors: as `perform`. */
  writeSetting(name: string, value: string): Promise<string>;
}

/**
 * Operations of a meter. Every call takes its turn in the queue of the meter, and ends with the signal of its caller.
 */
export interface Meter {
  readonly unitId: string;
  readonly family: Family;
  can(...names: readonly OperationName[]): boolean;
  /** Errors: NOT_SUPPORTED for the first of them that its family does not support. */
  assertCan(...names: readonly OperationName[]): void;
  /**
   * An operation of several commands reserves the meter; equal requests that have not started are joined. Errors:
   * NOT_SUPPORTED, before anything waits; as `Reservation.perform`, DEVICE_BUSY, QUEUE_TIMEOUT, STOPPING.
   */
  perform<N extends OperationName>(
    name: N,
    caller: Caller,
    ...values: Parameters<Operations[N]>
  ): Promise<ReturnType<Operations[N]>>;
  setting(name: string): MeterSetting;
  /** A setting of several commands reserves the meter. Errors: as `perform`. */
  readSetting(name: string, caller: Caller): Promise<string>;
  /** Sets it in the same way. Returns the new value, in the form of `readSetting`. Errors: as `perform`. */
  writeSetting(name: string, value: string, caller: Caller): Promise<string>;
  /**
   * Reserves the meter for several commands in a row: no other command comes between them. Once begun it is finished.
   * Calls with the same `join` share one run that has not started. They also share a started run while its `joinWhile`
   * is true. Work that may change something ends the joining around it. Work that reads, and all background work, waits
   * for its turn beside a watched stream; once begun it is one interruption.
   */
  reserve<T>(
    label: string,
    work: (reservation: Reservation) => Promise<T>,
    caller: Caller,
    options?: ReserveOptions,
  ): Promise<T>;
  /** Reads only known values that are fresh enough for the caller; undefined if a value must be asked for. */
  known<T>(read: (reservation: Reservation) => Promise<T>, caller: Caller): Promise<{ readonly value: T } | undefined>;
  /** The fast stream, shared by all its watchers. The first watcher starts it, the last one ends it. */
  readonly feed: Feed<LiveFrame>;
  readonly deviceState: DeviceState;
  readonly identity: MeterIdentity;
  readonly reachability: Reachability;
  report(): MeterReport;
  /**
   * Whether its family supports it, and an automatic request makes sense: not for an hour after three unreadable
   * answers in a row. A person may always ask; one readable answer ends the pause.
   */
  isWorthAsking(name: OperationName): boolean;
}

/** A frame of the stream with the times of its arrival. */
export interface LiveFrame {
  /** When the gateway had the whole frame, ms since 1970 UTC. */
  readonly at: number;
  readonly elapsed: number;
  /** When the meter accepted the request of this stream, monotonic, ms. The counter of frames starts there. */
  readonly begun: number;
  /** Time on the clock of the meter with the frame, read as UTC, ms; null: this stream does not have it. */
  readonly shown: number | null;
  readonly frame: Frame;
}

/**
 * State that the gateway last saw or set. Null: unknown, not read yet, or not again after trouble with the connection.
 */
export interface DeviceState {
  readonly measuring: boolean | null;
  readonly paused: boolean | null;
  /** Start of the present measurement, ms UTC. */
  readonly startedAt: number | null;
  readonly startSource: StartSource | null;
  /** The series number in folder and file names, four digits. */
  readonly storeName: string | null;
  /** Of the main channel: `A`, `C`, `Z`. Not asked after trouble: null until somebody reads or sets it. */
  readonly frequencyWeighting: string | null;
  readonly timeWeighting: string | null;
  /** This gateway set a weighting last, or the meter was found with it. Absent: no change so far. */
  readonly weightingSource?: 'sent' | 'read';
  /** The same for the other channels, by name; absent: none. */
  readonly channelWeightings?: Readonly<Record<string, ChannelWeighting>>;
  /** The percentile in each slot of the display, in their order; null: not read yet. As above. */
  readonly percentiles: readonly (number | null)[];
}

/** The weightings of a channel, in the words of the meter; null: unknown. */
export interface ChannelWeighting {
  readonly frequency: string | null;
  readonly time: string | null;
  /** As `DeviceState.weightingSource`. */
  readonly source?: 'sent' | 'read';
}

/** Settings that define the levels of the main channel. */
export type LevelSettings = Pick<DeviceState, 'frequencyWeighting' | 'timeWeighting' | 'percentiles'>;

/**
 * This gateway sent the start; or it was computed from LE and Leq, to 2 % of the time since then; or the measurement
 * was first seen running then, so it began earlier.
 */
type StartSource = 'sent' | 'computed' | 'seen';

/** Identity of the meter at the address of the unit. Kept while the address stays the same, and the gateway runs. */
export interface MeterIdentity {
  readonly serialNumber: string | null;
  /** Its type, as it was last read: `NL-43`; null: not yet read. */
  readonly model: string | null;
  /** Another meter answers now: the numbers, and when that was noticed, ms UTC. Null: still the first meter. */
  readonly exchanged: { readonly from: string; readonly to: string; readonly at: number } | null;
}

/** A complete reply that could not be read. */
export interface UnreadableReply {
  readonly command: string;
  readonly raw: string;
  readonly at: number;
  readonly times: number;
}

/**
 * `degraded`: too few attempts failed to decide, or the meter answers unreadable text. `asleep?`: no connection in
 * time, and the sleep mode was on when it was last seen or set. `wedged`: the control port refuses while FTP answers.
 * `unknown`: not tried yet.
 */
export type ReachabilityState = 'unknown' | 'online' | 'degraded' | 'offline' | 'asleep?' | 'wedged';

/** Whether the meter answers, only from the outcome of the last attempts. Times in ms since 1970 UTC. */
export interface Reachability {
  readonly reachable: boolean | null;
  readonly state: ReachabilityState;
  readonly reason: string;
  /** Why the meter last refused its stream; null: no refusal, or its state has changed since. */
  readonly streamRefusal: string | null;
  readonly since: number;
  readonly lastSuccess: number | null;
  readonly consecutiveFailures: number;
  /** `resolvedAt`: when a later success ended it, ms UTC; null while it continues. */
  readonly lastError: {
    readonly code: ErrorCode;
    readonly detail: string;
    readonly at: number;
    readonly resolvedAt: number | null;
  } | null;
  /** The meter's clock at its last reading: by request, with the frames of a stream, and otherwise once a day. */
  readonly clock: ClockOffset | null;
}

/**
 * How far the meter's clock is ahead of the clocks of the unit's zone, ms, plus or minus `uncertaintyMs`: half a second
 * after one reading, a twentieth after several. The meter itself knows no zone.
 */
export interface ClockOffset {
  readonly offsetMs: number;
  readonly uncertaintyMs: number;
  readonly at: number;
}

/** `idle` has no open connection, `ready` has one and sends nothing. */
type SessionState = 'idle' | 'ready' | 'dialling' | 'exchanging' | 'streaming' | 'draining' | 'closed';

/** Since the first use of the unit in this process. Bytes of the control connection, without the overhead of TCP/IP. */
type MeterCounters = Readonly<Counters>;

/** Spans in ms, times in ms UTC. */
export interface MeterReport {
  readonly state: SessionState;
  readonly reservation: {
    readonly label: string;
    readonly since: number;
    readonly heldMs: number;
    readonly callers: number;
  } | null;
  readonly waiting: readonly {
    readonly label: string;
    readonly priority: 'operator' | 'background';
    readonly waitedMs: number;
    readonly callers: number;
  }[];
  readonly watchers: number;
  readonly connectedSince: number | null;
  readonly lastEnding: { readonly by: 'us' | 'peer' | 'fault'; readonly reason: string; readonly at: number } | null;
  /**
   * After failures: ms until the next attempt to connect for a background read; an operator waits less. Null: at once.
   */
  readonly retryInMs: number | null;
  /** Other units whose config names the same meter, as found when connecting. They take turns. */
  readonly sharedWith: readonly string[];
  readonly identity: MeterIdentity;
  /** Unreadable replies without a later readable one; the last sixteen, oldest first. */
  readonly unreadable: readonly UnreadableReply[];
  /**
   * The last line that was not a reply of a meter, shortened. It may be the greeting of another service: public texts
   * do not quote it.
   */
  readonly strangeLine: { readonly raw: string; readonly at: number } | null;
  readonly counters: MeterCounters;
  readonly countedSince: number;
}

/** The meters of all units. */
export interface Meters {
  meter(unitId: string): Meter;
  /**
   * The last known reachability, without contact with the meter, also while its TCP is switched off; undefined: not
   * used yet.
   */
  reachability(unitId: string): Reachability | undefined;
  /** Present work, waiting work, and state of the connection; undefined: it has no session now. */
  report(unitId: string): MeterReport | undefined;
  /** Costs of the unit on its control port, over all its sessions; undefined: not used yet. */
  counters(unitId: string): MeterCounters | undefined;
}

/** `ok` also before the first frame and while nobody watches. */
export type FeedStatus = 'ok' | 'interrupted' | 'lost';

/**
 * Reason for the end of a feed: the unit was removed or its TCP switched off, the gateway stops, or the source gave up.
 */
export type FeedEnd = 'removed' | 'stopping' | 'failed';

/** A watcher must return quickly. */
export interface Watcher<Frame> {
  frame(frame: Frame): void;
  /** The status of the feed changed; `detail` has the reason, for a person. */
  status(status: FeedStatus, detail: string): void;
  /** The feed has ended for good; no further calls follow. */
  end(reason: FeedEnd, detail: string): void;
}

/** The frames of one meter, for any number of watchers. */
export interface Feed<Frame> {
  /** Adds a watcher. A watcher that joins a running feed gets its last frame at once. The disposer removes it. */
  watch(watcher: Watcher<Frame>): () => void;
  readonly watchers: number;
  readonly state: FeedStatus;
}
