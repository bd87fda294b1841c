/**
 * Events at the meters, as data. The part that learns a fact publishes it once; status, history, alerts, live pages and
 * logs listen. A published event is never changed.
 */

import type { KnownMeter } from '../domain/fields/snapshot.ts';
import type { ShownChannel } from '../drivers/contract.ts';
import type { Frame } from '../drivers/wire/contract.ts';
import type { Batch, HistoryStatus, LateSpan } from '../history/contract.ts';
import type { Job } from '../jobs/contract.ts';
import type { DeviceState, LevelSettings, Reachability, ReachabilityState } from '../meter/contract.ts';
import type { Snapshot } from '../store/contract.ts';

/** Common to all events. */
export interface Stamp {
  readonly unitId: string;
  /** Wall time of the gateway, ms since 1970 UTC. May jump between two events. */
  readonly time: number;
  /** Monotonic time of this process, ms. Orders events and measures ages; has no meaning after a restart. */
  readonly elapsed: number;
  /** 1, 2, 3 ... for each unit since the process started. A missing number means a lost event. */
  readonly seq: number;
}

/** Data of each kind of event. The contract of a plugin defines the data of its kinds (`file`, `alert`). */
export interface EventData {
  /** Values from a command, and the time of each group. Levels are the text of the meter. */
  readonly reading: {
    readonly values: Partial<Snapshot>;
    /** Levels of the other channels, as in `ShownValues.others`; absent: no such levels were read. */
    readonly others?: readonly (ShownChannel | null)[];
    /** For a reading with levels: their settings, as known at that time. */
    readonly levelSettings?: LevelSettings;
    /** Why values are null, a sentence for the group of each time (`levelsAt`, `batteryAt` ...). */
    readonly warnings?: Readonly<Record<string, string>>;
    /** The text of levels that no meter of the family can show, by name; their values are null. */
    readonly implausible?: Readonly<Record<string, string>>;
  };
  /** One frame of the fast stream: levels of 100 ms. `begun` and `shown`: as in `LiveFrame`. */
  readonly frame: { readonly frame: Frame; readonly begun: number; readonly shown?: number | null };
  /** New rows of the history, in the order of their arrival: of the stream, of readings, of card files. */
  readonly rows: Batch;
  /**
   * Levels arrived after their time: a part that judged that time must judge it again. One event for each piece of a
   * card file, and for each import.
   */
  readonly late: Omit<LateSpan, 'unitId'>;
  /**
   * Known facts about the meter changed: measuring, paused, weightings, store name. `cleared`: a start or a reset of the gateway has
   * cleared the values of the measurement; then the state may be the same as before.
   */
  readonly state: { readonly state: DeviceState; readonly cleared?: true };
  /**
   * Another meter answers at the address of the unit (serial numbers). Facts about the earlier meter are no longer
   * valid.
   */
  readonly exchange: { readonly from: string; readonly to: string };
  /** The serial number of the meter at this address was read, and was unknown before. Also after an exchange. */
  readonly identity: KnownMeter;
  /** Reachability of the meter changed, or the reason for a failure: `from` is then equal to the present state. */
  readonly reachability: { readonly from: ReachabilityState; readonly reachability: Reachability };
  /** The config was created, changed or removed; read it from the config store. Credentials are never in an event. */
  readonly config: { readonly change: 'created' | 'changed' | 'removed' };
  /**
   * A unit is new: published after its `config` event. For listeners that only care about units that are new to them.
   */
  readonly addition: Readonly<Record<string, never>>;
  /** A unit is removed: published after its `config` event. Data of the unit can then be removed, too. */
  readonly removal: Readonly<Record<string, never>>;
  /** A command was answered, or failed. `ms`: time from its sending to its outcome. */
  readonly command: { readonly text: string; readonly outcome: string; readonly ms: number };
  /** A setting of the meter was read or set; name and value as in the list of all settings. */
  readonly setting: { readonly name: string; readonly value: string };
  /**
   * Whether the meter has the settings of its profile (null: it has no profile), from the last readings. Published when
   * it changes.
   */
  readonly drift: {
    readonly profile: string | null;
    /** `unknown`: no difference was read, and not all settings were read. */
    readonly state: 'same' | 'differs' | 'unknown';
    readonly differences: readonly { readonly setting: string; readonly wanted: string; readonly found: string }[];
  };
  /** Whether the stations that observe the weather for this unit still send. Published when it changes. */
  readonly stations: {
    /** Number of stations. */
    readonly count: number;
    /** Stations that have sent nothing for too long, each with the end of its last observation (ms since 1970 UTC; null: none). */
    readonly silent: readonly { readonly station: string; readonly lastAt: number | null }[];
    /** False: the state of a station is still unknown, because the gateway has just started. */
    readonly isKnown: boolean;
  };
  /**
   * How far the meter's clock is ahead. Published when it is first known or known much better, and
   * before and after it was set. While it is read, published every six hours. `ahead`: of UTC, ms, with the offset of the zone. `uncertainty`:
   * ms to either side; `at`: time of the reading, ms UTC.
   */
  readonly clock: { readonly at: number; readonly ahead: number; readonly uncertainty: number };
  /** The connection for commands was opened, or has ended, with the side that ended it and the reason. */
  readonly connection:
    | { readonly change: 'opened'; readonly endpoint: string }
    | {
        readonly change: 'closed';
        readonly endpoint: string;
        readonly by: 'us' | 'peer' | 'fault';
        readonly reason: string;
      };
  /** A permitted request that may change the unit has ended. */
  readonly request: {
    /** Name of the API key, and its role. */
    readonly by: string;
    readonly role: string;
    readonly method: string;
    /** As the route is defined: `/{unit_id}/clock`. */
    readonly route: string;
    /** Names of the fields in the body; their values may be secret. */
    readonly fields: readonly string[];
    readonly status: number;
    /** Code of a refusal. */
    readonly code: string | null;
  };
  /** The levels of this unit cannot be stored (the disk is full or fails), or can be stored again. */
  readonly recording: Pick<HistoryStatus, 'state' | 'reason'>;
  readonly file: Readonly<Record<string, unknown>>;
  /** A job waits, runs or has ended. */
  readonly job: Job;
  readonly alert: Readonly<Record<string, unknown>>;
}

/** Name of a kind of event. */
export type EventKind = keyof EventData;
/** An event with its unit, times and number. */
export type GatewayEvent<Kind extends EventKind = EventKind> = {
  [K in Kind]: Stamp & { readonly kind: K; readonly data: EventData[K] };
}[Kind];

/** One line on a connection of a meter, without its line end. Credentials are masked. */
export interface WireLine {
  /** The port for commands, or the control connection of FTP. */
  readonly port: 'control' | 'ftp';
  readonly direction: 'sent' | 'received';
  readonly text: string;
}

/** Called for each line that is sent or received. It must be quick. */
export type WireListener = (line: WireLine) => void;

/** Listeners to the lines of a unit. */
export interface WireTaps {
  /** Usually undefined: the unit is not traced. */
  of(unitId: string): WireListener | undefined;
  /** One listener per unit; a new listener replaces the old one. The disposer removes it. */
  listen(unitId: string, listener: WireListener): () => void;
  /** Called with a unit when its first listener arrives, and when its listener leaves. The disposer removes it. */
  onTrace(listener: (unitId: string, isTraced: boolean) => void): () => void;
}

/** All events of the gateway. */
export interface EventStream {
  /**
   * Calls all listeners in the order in which they were added, before it returns. Never throws and never waits. If a
   * listener publishes an event meanwhile, all listeners get it after this one.
   */
  publish<Kind extends EventKind>(unitId: string, kind: Kind, data: EventData[Kind]): void;
  /**
   * A listener that throws is logged and the others continue. Slow work belongs in a queue of its own. The disposer
   * removes it.
   */
  on<Kind extends EventKind>(kind: Kind, listener: (event: GatewayEvent<Kind>) => void, hearing?: Hearing): () => void;
}

/** Limits of a listener: events that it does not need, or does not need at once. */
export interface Hearing {
  /** A `Set` or a `Map` of unit ids: only events of units that are in it when the event is published. */
  readonly units?: { has(unitId: string): boolean };
  /**
   * Called after the waiting callers were answered. It is still before any other input (in the same turn of the event
   * loop), and before the next event.
   */
  readonly later?: boolean;
}
