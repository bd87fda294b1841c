/**
 * The messages of a link. The gateway opens it with pings, then `hello`, then `units`, and counts it as begun when one more ping is
 * answered; after that both sides send when there is something to say. Ids are numbers that the gateway gives, each once a link. Times of the clock `elapsed` are those of the serving
 * instance; the gateway moves them.
 */
import type { KnownMeter } from '../domain/fields/snapshot.ts';
import type { WireLine } from '../events/contract.ts';
import type { DeviceState, LiveFrame, MeterIdentity, MeterReport, Reachability } from '../meter/contract.ts';
import type { FeedEnd, FeedStatus } from '../meter/live/contract.ts';
import type { MeterConfig } from '../meter/parts.ts';
import type { Snapshot } from '../store/contract.ts';

/** Both sides say it first; another number ends the link. Instances with different numbers serve each other no meters (`shared-site.ts`, docs/adr/0059). */
export const LINK_VERSION = 3;

/** What is known of a meter when its session begins. */
export type KnownUnit = Pick<Snapshot, 'measurementStartTime' | 'measurementStartSource'> & {
  readonly meter: KnownMeter | null;
  /** Of the session that the unit had just now at another instance. */
  readonly state?: DeviceState;
};

/** How a call waits: as `Caller`. */
export interface CallerOnLink {
  readonly deadlineMs?: number;
  readonly priority?: 'operator' | 'background';
}

/** What is asked of a meter. */
export type Ask =
  | { readonly do: 'perform'; readonly name: string; readonly values: readonly unknown[] }
  | { readonly do: 'read'; readonly setting: string }
  | { readonly do: 'write'; readonly setting: string; readonly value: string };

/** What the gateway sends. */
export type GatewayMessage =
  /** Answered at once: the shortest way says how far the clocks are apart. */
  | { readonly kind: 'ping'; readonly id: number }
  /** When the clock `elapsed` of the serving instance was at `at`, the gateway's wall clock was at `now`, ms UTC. Said again from time to time. */
  | { readonly kind: 'hello'; readonly version: number; readonly at: number; readonly now: number }
  /** Configs that are new or changed, and units that are gone. `all`: there are no others. `had`: frames that came over the last link of this gateway. */
  | {
      readonly kind: 'units';
      readonly all: boolean;
      readonly had?: number;
      readonly units: readonly { readonly config: MeterConfig; readonly known?: KnownUnit }[];
      readonly gone: readonly string[];
    }
  | { readonly kind: 'watch'; readonly unit: string; readonly on: boolean }
  /** Whether somebody sees each frame of a unit that is watched; nobody does until it is said, nor where it is not watched any more. */
  | { readonly kind: 'view'; readonly unit: string; readonly on: boolean }
  /** So many frames have come over this link. What it does not confirm is kept if the link ends. */
  | { readonly kind: 'had'; readonly frames: number }
  /** This gateway stops: what is watched goes on and is kept for the next one, with all that it has not confirmed. It watches nothing more, and what was asked is answered. */
  | { readonly kind: 'leaving' }
  /** Whether no unit begins to move to another instance: while the gateway does not reach each of them. */
  | { readonly kind: 'stay'; readonly on: boolean }
  | { readonly kind: 'trace'; readonly unit: string; readonly on: boolean }
  /** Something by itself. */
  | {
      readonly kind: 'call';
      readonly id: number;
      readonly unit: string;
      readonly ask: Ask;
      readonly caller: CallerOnLink;
    }
  /** `joins`: the gateway's `joinWhile` of equal work that has begun holds now. */
  | {
      readonly kind: 'reserve';
      readonly id: number;
      readonly unit: string;
      readonly label: string;
      readonly isRead: boolean;
      readonly join?: string;
      readonly joins: boolean;
      readonly caller: CallerOnLink;
    }
  /** Within the reservation `of`. */
  | { readonly kind: 'step'; readonly id: number; readonly of: number; readonly ask: Ask }
  /** The work of the reservation is over. `failed`: what it threw. */
  | { readonly kind: 'release'; readonly id: number; readonly failed?: ErrorOnLink }
  /** The caller has left: a call, a reservation or a wait. */
  | { readonly kind: 'cancel'; readonly id: number }
  /** Waits for the command gap, for FTP. */
  | { readonly kind: 'gap'; readonly id: number; readonly unit: string }
  /** The command gap begins now. */
  | { readonly kind: 'restart'; readonly unit: string };

/** An error that is not one of the table has the code `INTERNAL`. */
export interface ErrorOnLink {
  readonly code: string;
  readonly detail: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly errors?: readonly { readonly path: string; readonly message: string }[];
  /** The cause, where the reply could not be read: callers look at it. */
  readonly unreadable?: { readonly message: string; readonly raw: string; readonly isLayout: boolean };
}

/** How a call, a step, a reservation or a wait came out. `run`: as the work of that reservation did. */
export type OutcomeOnLink =
  | { readonly value?: unknown }
  | { readonly error: ErrorOnLink }
  | { readonly run: number }
  | { readonly cancelled: true };

/** What of a unit is mirrored. Each message has what changed. */
export interface MirroredUnit {
  readonly deviceState?: DeviceState;
  readonly identity?: MeterIdentity;
  readonly reachability?: Reachability;
  /** Operations that are not worth asking for by themselves now. */
  readonly unworthy?: readonly string[];
  /** What changed of it. Null: it has no session now. */
  readonly report?: Partial<ReportOnLink> | null;
  readonly counters?: Readonly<Record<string, number>>;
  /** Commands that went to its port: who waits for the gap looks at it. */
  readonly commands?: number;
}

/** A report without what is mirrored beside it. Spans are times of the clock `elapsed`, so that it changes only when something happens. */
export interface ReportOnLink
  extends Omit<MeterReport, 'counters' | 'identity' | 'reservation' | 'waiting' | 'retryInMs'> {
  readonly reservation: (Omit<NonNullable<MeterReport['reservation']>, 'heldMs'> & { readonly from: number }) | null;
  readonly waiting: readonly (Omit<MeterReport['waiting'][number], 'waitedMs'> & { readonly from: number })[];
  /** When the connection is dialled again; null: at once. */
  readonly retryAt: number | null;
}

/** A frame: unit, `at`, `elapsed`, `begun`, `shown` of its `LiveFrame`, the frame. An array, because there are thousands a second. */
export type FrameOnLink = readonly [string, number, number, number, number | null, LiveFrame['frame']];

/** What the serving instance sends. */
export type ServingMessage =
  | { readonly kind: 'pong'; readonly id: number; readonly version: number; readonly elapsed: number }
  | { readonly kind: 'answer'; readonly id: number; readonly outcome: OutcomeOnLink; readonly ageMs?: number }
  /** The reservation has its turn: its work begins. */
  | { readonly kind: 'turn'; readonly id: number }
  | { readonly kind: 'mirror'; readonly units: readonly (readonly [string, MirroredUnit])[] }
  /** An event of the fleet. */
  | { readonly kind: 'event'; readonly unit: string; readonly event: string; readonly data: object }
  /** In the order of their arrival. `lost`: frames before these that could not be kept, by unit. */
  | {
      readonly kind: 'frames';
      readonly frames: readonly FrameOnLink[];
      readonly lost?: Readonly<Record<string, number>>;
    }
  /** The answer to `watch`: what of the feed was sent before it is of a session or a watch before. */
  | { readonly kind: 'watched'; readonly unit: string }
  /** The last frame of a feed that runs already. */
  | { readonly kind: 'last'; readonly frame: FrameOnLink }
  | { readonly kind: 'feed'; readonly unit: string; readonly status: FeedStatus; readonly detail: string }
  | { readonly kind: 'end'; readonly unit: string; readonly reason: FeedEnd; readonly detail: string }
  | { readonly kind: 'line'; readonly unit: string; readonly line: WireLine };
