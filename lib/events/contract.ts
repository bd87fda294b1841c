/**
 * What happens at the meters, as data. The part that learns something publishes it once; status, history, alerts, live pages
 * and logs listen. An event is never changed after it was published.
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
  /** Monotonic time of this process, ms. Orders events and measures ages; says nothing after a restart. */
  readonly elapsed: number;
  /** 1, 2, 3 ... for each unit since the process started. A number that is missing is an event that was lost. */
  readonly seq: number;
}

/** What each kind of event carries. A plugin's own kinds (`file`, `alert`) carry what its contract says. */
export interface EventData {
  /** Values that a command brought, and when each group was measured. Levels are the text of the meter. */
  readonly reading: {
    readonly values: Partial<Snapshot>;
    /** Levels of the other channels, as in `ShownValues.others`; absent: none were read. */
    readonly others?: readonly (ShownChannel | null)[];
    /** Of a reading with levels: what they are, as it was known when they were read. */
    readonly levelSettings?: LevelSettings;
    /** Why values are null, a sentence for the group of each time (`levelsAt`, `batteryAt` ...). */
    readonly warnings?: Readonly<Record<string, string>>;
    /** The text of levels that no meter of the family can show, by name; their values are null. */
    readonly implausible?: Readonly<Record<string, string>>;
  };
  /** One frame of the fast stream: levels of 100 ms. `begun` and `shown`: as in `LiveFrame`. */
  readonly frame: { readonly frame: Frame; readonly begun: number; readonly shown?: number | null };
  /** Rows that the history has just been given, in the order in which they came: of the stream, of readings, of card files. */
  readonly rows: Batch;
  /** Levels came after their time, and who has judged that time judges it again: one event for each piece of a card file, and for each import. */
  readonly late: Omit<LateSpan, 'unitId'>;
  /** What is known of the meter changed: measuring, paused, weightings, store name. */
  readonly state: { readonly state: DeviceState };
  /** Another meter answers at the address of the unit (serial numbers). What was known of the earlier meter no longer holds. */
  readonly exchange: { readonly from: string; readonly to: string };
  /** The serial number of the meter at this address was read, and was not known before. After an exchange, too. */
  readonly identity: KnownMeter;
  /** Whether the meter can be reached changed, or why it cannot: then `from` is the state that it still has. */
  readonly reachability: { readonly from: ReachabilityState; readonly reachability: Reachability };
  /** The config was created, changed or removed; it is read from the config store. Credentials are never in an event. */
  readonly config: { readonly change: 'created' | 'changed' | 'removed' };
  /** A unit is new: comes after the `config` that says it was created. For who has to do only with units that are not known yet. */
  readonly addition: Readonly<Record<string, never>>;
  /** A unit is gone: comes after the `config` that says it was removed. What is kept of the unit can go, too. */
  readonly removal: Readonly<Record<string, never>>;
  /** A command was answered, or failed. `ms`: from its sending to its outcome. */
  readonly command: { readonly text: string; readonly outcome: string; readonly ms: number };
  /** A setting of the meter was read or set; name and value as in the list of all settings. */
  readonly setting: { readonly name: string; readonly value: string };
  /** Whether the meter has the settings of its profile (null: it has none), from what was read last. Told when it changes. */
  readonly drift: {
    readonly profile: string | null;
    /** `unknown`: nothing that was read differs, and not all was read. */
    readonly state: 'same' | 'differs' | 'unknown';
    readonly differences: readonly { readonly setting: string; readonly wanted: string; readonly found: string }[];
  };
  /** Whether the stations that observe the weather for this unit still send. Told when it changes. */
  readonly stations: {
    /** How many there are. */
    readonly count: number;
    /** Those that have sent nothing for too long, each with its id and the end of its last observation. */
    readonly silent: readonly string[];
    /** False: of one it is not known yet, because the gateway has just started. */
    readonly isKnown: boolean;
  };
  /**
   * How far the meter's clock is ahead: told when it is known for the first time or much better, before and after it was set, and
   * every six hours while it is read. `ahead`: of UTC, ms, the offset of the zone included; `uncertainty`: ms to either side; `at`: when, ms UTC.
   */
  readonly clock: { readonly at: number; readonly ahead: number; readonly uncertainty: number };
  /** The connection for commands was opened, or has ended: which side ended it, and why. */
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
    /** Names of what was given in the body; its values may be secret. */
    readonly fields: readonly string[];
    readonly status: number;
    /** Of a refusal. */
    readonly code: string | null;
  };
  /** The levels of this unit cannot be kept any more (the disk is full or fails), or can be again. */
  readonly recording: Pick<HistoryStatus, 'state' | 'reason'>;
  readonly file: Readonly<Record<string, unknown>>;
  /** A job waits, goes on or has ended. */
  readonly job: Job;
  readonly alert: Readonly<Record<string, unknown>>;
}

/** What an event is about. */
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

/** Called for each line as it goes out or comes in. It does nothing slow. */
export type WireListener = (line: WireLine) => void;

/** Who listens to the lines of a unit. */
export interface WireTaps {
  /** Usually undefined: the unit is not traced. */
  of(unitId: string): WireListener | undefined;
  /** One listener a unit; a new one takes the place of the old one. The disposer ends it. */
  listen(unitId: string, listener: WireListener): () => void;
  /** Hears from which units on somebody listens to, and to which nobody does any more. The disposer ends it. */
  onTrace(listener: (unitId: string, isTraced: boolean) => void): () => void;
}

/** All events of the gateway. */
export interface EventStream {
  /**
   * Calls all listeners in the order in which they were added, before it returns. Never throws and never waits. If a listener
   * publishes an event meanwhile, all listeners get it after this one.
   */
  publish<Kind extends EventKind>(unitId: string, kind: Kind, data: EventData[Kind]): void;
  /** A listener that throws is logged and the others go on. Slow work belongs in a queue of its own. The disposer ends it. */
  on<Kind extends EventKind>(kind: Kind, listener: (event: GatewayEvent<Kind>) => void, hearing?: Hearing): () => void;
}

/** What a listener need not hear, or not at once. */
export interface Hearing {
  /** A `Set` or a `Map` of unit ids: only events of those that are in it when the event comes. */
  readonly units?: { has(unitId: string): boolean };
  /**
   * After the callers who wait for it were answered, but before anything else arrives (in the same turn of the event loop), and before
   * the next event.
   */
  readonly later?: boolean;
}
