/** One meter, as everybody above the session sees it. */

import type { Counters } from '../domain/fields/counters.ts';
import type { Family, MeterSetting, OperationName, Operations } from '../drivers/contract.ts';
import type { Frame } from '../drivers/wire/contract.ts';
import type { ErrorCode } from '../errors.ts';
import type { Feed } from './live/contract.ts';

/** One caller: how long it waits for the answer, and what goes first. */
export interface Caller {
  /** Aborts when the caller has gone: a waiting command is taken out, a running one is finished and logged. */
  readonly signal: AbortSignal;
  /**
   * Longest wait for the answer, ms: in the queue, for the connection and for the reply. What was sent when it is over is
   * finished and logged without the caller; what was not is not sent. Default: the setting `request_deadline_ms`.
   */
  readonly deadlineMs?: number;
  /** Operators go before background reads; within a class first come, first served. Default `operator`. */
  readonly priority?: 'operator' | 'background';
  /** Of whom it is, such as the name of an API key: callers of the same meter take turns. Default: nobody in particular. */
  readonly who?: string | undefined;
  /**
   * The job that asks, in words. It may interrupt a watched stream for as long as it needs: its questions wait for no budget, and the log
   * says so. Default: no job.
   */
  readonly job?: string | undefined;
  /**
   * An answer that was read at most so long ago will do, ms; 0: the meter is asked. Default: 0, but beside a watched stream what the newest
   * frame says, settings for a minute (`Command.holds`), and anything else for two seconds.
   */
  readonly maxAgeMs?: number;
  /** The longest that its client waits for the answer, in all, ms; what would not be sent in that time is refused at once. Default: it did not say. */
  readonly clientLimitMs?: number;
  /** Told with the answer: it waited so long for its turn beside a watched stream, ms. */
  readonly onWait?: (ms: number) => void;
  /** Told instead of a new exchange: the answer is this old, ms. */
  readonly onAge?: (ms: number) => void;
}

/** What a reservation is, for those who ask for the same, and for viewers. */
export interface ReserveOptions {
  /** Calls with the same word share one run. */
  readonly join?: string;
  /** While this holds, also one that has begun. */
  readonly joinWhile?: () => boolean;
  /** It changes nothing at the meter: it waits until the budget of a watched stream lets it interrupt the stream. */
  readonly isRead?: boolean;
}

/** A caller's exclusive use of the meter. Keeps the gap between commands by itself. */
export interface Reservation {
  /**
   * Somebody more urgent waits for the end of this background reading: an operator, or a viewer who has come after it began. Never of
   * other work. Work that can do with less ends early then.
   */
  readonly shouldYield: boolean;
  /**
   * An operation of the family, within this reservation. Errors: NOT_SUPPORTED and INVALID, before anything is sent;
   * DEVICE_WRONG_STATE, DEVICE_REFUSED_*, DEVICE_GARBLED, DEVICE_UNREACHABLE, DEVICE_WEDGED, ADDRESS_REFUSED, OUTCOME_UNKNOWN,
   * DEVICE_TIMEOUT.
   */
  perform<N extends OperationName>(name: N, ...values: Parameters<Operations[N]>): Promise<ReturnType<Operations[N]>>;
  /** A setting of the family (`Meter.setting`), within this reservation. Errors: as `perform`. */
  readSetting(name: string): Promise<string>;
  /** The new value, as `readSetting` would give it. Errors: as `perform`. */
  writeSetting(name: string, value: string): Promise<string>;
}

/**
 * What can be done with a meter. Every call takes its turn in the queue of the meter, and ends with the signal of
 * its caller.
 */
export interface Meter {
  readonly unitId: string;
  readonly family: Family;
  /** Whether its family can do all of these. */
  can(...names: readonly OperationName[]): boolean;
  /** Errors: NOT_SUPPORTED for the first of them that its family cannot do. */
  assertCan(...names: readonly OperationName[]): void;
  /**
   * Does it when its turn comes. One that takes several commands reserves the meter for them; equal requests that have not started
   * are joined. Errors: NOT_SUPPORTED, before anything waits; as `Reservation.perform`, DEVICE_BUSY, QUEUE_TIMEOUT, STOPPING.
   */
  perform<N extends OperationName>(
    name: N,
    caller: Caller,
    ...values: Parameters<Operations[N]>
  ): Promise<ReturnType<Operations[N]>>;
  /** What a setting of its family is. Errors: NOT_SUPPORTED. */
  setting(name: string): MeterSetting;
  /** Reads a setting of its family when its turn comes; one that takes several commands reserves the meter for them. Errors: as `perform`. */
  readSetting(name: string, caller: Caller): Promise<string>;
  /** Sets it in the same way. Brings the new value, as `readSetting` would give it. Errors: as `perform`. */
  writeSetting(name: string, value: string, caller: Caller): Promise<string>;
  /**
   * Reserves the meter for several commands in a row: nobody else's command comes between them. Once begun it is finished.
   * Calls with the same `join` that have not started share one run, and one that has started while its `joinWhile` holds;
   * work that may change something ends the joining around it. Work that reads, and all background work, waits for its turn beside a
   * watched stream; once begun it is one interruption.
   */
  reserve<T>(
    label: string,
    work: (reservation: Reservation) => Promise<T>,
    caller: Caller,
    options?: ReserveOptions,
  ): Promise<T>;
  /**
   * Reads only what is known already and fresh enough for the caller (`Caller.maxAgeMs`); undefined where something has to be asked for.
   * Sends nothing.
   */
  known<T>(read: (reservation: Reservation) => Promise<T>, caller: Caller): Promise<{ readonly value: T } | undefined>;
  /** The fast stream, shared by everybody who watches it. The first watcher starts it, the last one ends it. */
  readonly feed: Feed<LiveFrame>;
  readonly deviceState: DeviceState;
  readonly identity: MeterIdentity;
  readonly reachability: Reachability;
  /** What has the meter, what waits, how the connection fares. For a person who asks why. */
  report(): MeterReport;
  /**
   * Whether its family can do it, and it is worth asking by itself: not for an hour after the answer could not be read three times
   * in a row. A person may always ask; one answer that can be read ends it.
   */
  isWorthAsking(name: OperationName): boolean;
}

/** A frame of the stream with the times of its arrival. */
export interface LiveFrame {
  /** When the gateway had the whole frame, ms since 1970 UTC. */
  readonly at: number;
  /** The same moment on the monotonic clock, ms. */
  readonly elapsed: number;
  /**
   * When the meter accepted the request of this stream, ms on the monotonic clock. The counter of frames starts there, and a
   * frame with another `begun` belongs to another request.
   */
  readonly begun: number;
  /** What the clock of the meter showed with the frame, as if it showed UTC, ms; null: this stream does not say it. */
  readonly shown: number | null;
  readonly frame: Frame;
}

/**
 * What the gateway last saw or set. Null: it does not know - not yet, or not any more, because the connection was in trouble
 * and the meter has not been asked again. An unreadable answer changes nothing here.
 */
export interface DeviceState {
  readonly measuring: boolean | null;
  readonly paused: boolean | null;
  /** Start of the present measurement, ms UTC. */
  readonly startedAt: number | null;
  readonly startSource: StartSource | null;
  /** The series number in folder and file names, four digits. */
  readonly storeName: string | null;
  /** Of the main channel, in the word of the meter: `A`, `C`, `Z`. Not asked after trouble: null until somebody reads or sets it. */
  readonly frequencyWeighting: string | null;
  /** Of the main channel, in the word of the meter: `F`, `S`, `I`. As above. */
  readonly timeWeighting: string | null;
  /** How the last change of a weighting became known: this gateway set it, or the meter was found with it. Absent: there was none. */
  readonly weightingSource?: 'sent' | 'read';
  /** The same of the other channels, by name; absent: of none. */
  readonly channelWeightings?: Readonly<Record<string, ChannelWeighting>>;
  /** Which percentile each place of the display shows, in the order of the places; null: not read yet. As above. */
  readonly percentiles: readonly (number | null)[];
}

/** The weightings of a channel, in the words of the meter; null: not known. */
export interface ChannelWeighting {
  readonly frequency: string | null;
  readonly time: string | null;
  /** As `DeviceState.weightingSource`. */
  readonly source?: 'sent' | 'read';
}

/** Settings that say what the levels of the main channel are. */
export type LevelSettings = Pick<DeviceState, 'frequencyWeighting' | 'timeWeighting' | 'percentiles'>;

/**
 * How the start of a measurement is known: this gateway sent it; it was computed from LE and Leq, to 2 % of the time since then; or
 * it is when the measurement was first seen running, so that it began earlier.
 */
export type StartSource = 'sent' | 'computed' | 'seen';

/** Which meter answers at the address of the unit. Kept while the address stays the same, and the gateway runs. */
export interface MeterIdentity {
  /** As it was last read; null: not yet. */
  readonly serialNumber: string | null;
  /** Its type, as it was last read: `NL-43`; null: not yet. */
  readonly model: string | null;
  /** Another meter answers than before: from which to which, and when that was noticed, ms UTC. Null: it is still the first. */
  readonly exchanged: { readonly from: string; readonly to: string; readonly at: number } | null;
}

/** A reply that arrived whole and could not be read. */
export interface UnreadableReply {
  /** The command as it was sent. */
  readonly command: string;
  /** The text of the meter, shortened. */
  readonly raw: string;
  /** The last time, ms UTC. */
  readonly at: number;
  /** How often in a row. */
  readonly times: number;
}

/**
 * `degraded`: the last attempts failed, too few to say more, or the meter answers and cannot be understood. `asleep?`: no connection in time, and the sleep mode was on
 * when it was last seen or set. `wedged`: the control port refuses while FTP answers. `unknown`: not tried yet.
 */
export type ReachabilityState = 'unknown' | 'online' | 'degraded' | 'offline' | 'asleep?' | 'wedged';

/** Whether the meter answers, only from what came of the last attempts. Times in ms since 1970 UTC. */
export interface Reachability {
  /** Whether the last attempt brought a valid reply. Null before the first attempt. */
  readonly reachable: boolean | null;
  readonly state: ReachabilityState;
  /** Why it is in this state, for a person. */
  readonly reason: string;
  /** Why the meter last refused its stream; null: it did not, or its state has changed since. */
  readonly streamRefusal: string | null;
  /** Since when it is in this state, ms UTC. */
  readonly since: number;
  /** Last valid reply, ms UTC. */
  readonly lastSuccess: number | null;
  readonly consecutiveFailures: number;
  /** `resolvedAt`: when a later success ended it, ms UTC; null while it lasts. */
  readonly lastError: {
    readonly code: ErrorCode;
    readonly detail: string;
    readonly at: number;
    readonly resolvedAt: number | null;
  } | null;
  /** The meter's clock at its last reading: it is read when somebody asks for it, with the frames of a stream, and otherwise once a day. */
  readonly clock: ClockOffset | null;
}

/**
 * How far the meter's clock is ahead of the right time, ms, plus or minus `uncertaintyMs`: half a second after one reading, a
 * twentieth after several. And when that was measured, ms UTC. The meter knows no time zone: its digits are compared with what the
 * clocks of the unit's zone show.
 */
export interface ClockOffset {
  readonly offsetMs: number;
  readonly uncertaintyMs: number;
  readonly at: number;
}

/** `dialling` ... `draining` are about the connection in use; `idle` has none open, `ready` has one and sends nothing. */
export type SessionState = 'idle' | 'ready' | 'dialling' | 'exchanging' | 'streaming' | 'draining' | 'closed';

/**
 * Counted since the unit was first used in this process, over all its sessions. Bytes are those of the control connection,
 * without the overhead of TCP/IP.
 */
export type MeterCounters = Readonly<Counters>;

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
  /** After failures: ms until the connection is dialled again for a background read; an operator waits less. Null: at once. */
  readonly retryInMs: number | null;
  /** Other units whose config names the same meter, as was found out when connecting. They take turns. */
  readonly sharedWith: readonly string[];
  readonly identity: MeterIdentity;
  /** Replies that could not be read and were not followed by one that could; the last sixteen, oldest first. */
  readonly unreadable: readonly UnreadableReply[];
  /**
   * The last line that was no reply of a meter, shortened; null: there was none. It may be the greeting of another service: no
   * text for everybody quotes it.
   */
  readonly strangeLine: { readonly raw: string; readonly at: number } | null;
  readonly counters: MeterCounters;
  readonly countedSince: number;
}

/** The meters of all units. */
export interface Meters {
  /** Errors: UNIT_NOT_FOUND, TCP_DISABLED, STOPPING. */
  meter(unitId: string): Meter;
  /** How the meter was last reached, without touching it, also while its TCP is switched off; undefined: not used yet. */
  reachability(unitId: string): Reachability | undefined;
  /** What has the meter, what waits, how the connection fares; undefined: it has no session now. */
  report(unitId: string): MeterReport | undefined;
  /** What the unit has cost on its control port, over all its sessions; undefined: not used yet. */
  counters(unitId: string): MeterCounters | undefined;
}
