/**
 * Meters whose sessions another instance has: what the two instances are to each other. The gateway instance asks, watches and keeps
 * what comes; the other instance serves the sessions of the units that it owns. Types only.
 */
import type { EventStream, WireTaps } from '../events/contract.ts';
import type { DeviceState, LiveFrame, Meters } from '../meter/contract.ts';
import type { Fleet } from '../meter/fleet.ts';
import type { CommandGap } from '../meter/meter-port.ts';
import type { FleetParts } from '../meter/parts.ts';
import type { ConfigStore } from '../store/contract.ts';
import type { MessagePipe } from './contract.ts';

/** The gateway, where it is in the same process as the sessions. */
export interface LocalGateway {
  readonly configs: Pick<ConfigStore, 'get' | 'list' | 'onChange'>;
  readonly events: Pick<EventStream, 'publish'>;
  readonly taps?: Pick<WireTaps, 'of'> | undefined;
  /** What is known of a meter when its session begins. */
  readonly known?: FleetParts['known'];
}

/** The sessions of this instance, for a gateway elsewhere or here. */
export interface ServedSessions {
  /**
   * The units that this instance owns by the store: all of them, each time. Sessions of others end; resolves when those are closed. Who
   * waits at one of them is told OWNER_CHANGING. A unit is served when it is owned and the gateway has told its config.
   * `onEnded`: called for each of them whose session has been closed.
   */
  own(units: ReadonlySet<string>, onEnded?: () => void): Promise<void>;
  /** A gateway elsewhere has linked up; an earlier link is over. While the gateway is here the pipe is closed with a reason. */
  attach(pipe: MessagePipe): void;
  /**
   * The gateway is here; `undefined` when it stops to be it: what it watches then goes on for the next one. While it is here no pipe counts. Gives the fleet of the owned units: its
   * `meter` throws OWNER_CHANGING for a unit that is not owned. Sessions go on over all of this.
   */
  here(gateway: LocalGateway | undefined): Fleet | undefined;
  /** Frames of a unit that came while there was no gateway, oldest first, and how many were given up. They are given once. For the gateway here. */
  takeKept(unitId: string): { readonly frames: readonly LiveFrame[]; readonly lost: number };
  /**
   * Publishes the state of each session that goes on as an event. A gateway elsewhere is told when it has linked up; the gateway here
   * says when its listeners are there.
   */
  tellStates(): void;
  /** True while a session of the unit is open or about to end. */
  isBusy(unitId: string): boolean;
  /** What the session of the unit knew that has just ended elsewhere, in good order: one that begins here soon begins with it. For the gateway here. */
  learn(unitId: string, state: DeviceState): void;
  /**
   * True while frames of the unit are kept for the next gateway, or the gateway has confirmed none for some seconds: they would be lost if the unit moved. And while somebody's work has its meter.
   */
  keeps(unitId: string): boolean;
  /** True while the gateway elsewhere does not reach every instance: no unit should begin to move. */
  readonly mustStay: boolean;
  /** Ends all sessions and the link in good order. May be called twice. */
  close(): Promise<void>;
}

/**
 * The meters of one other instance, over one link: `RemoteMeters` in `remote-meters.ts`. After the end of the link its meters stay
 * readable as they were last known, calls are refused with OWNER_CHANGING, and feeds are `lost` and begin never again: who watches
 * goes to the next link.
 *
 * Errors of calls, beside those of the meter: OWNER_CHANGING for a unit that is not served there; after the loss of the link
 * OUTCOME_UNKNOWN where something was asked that may change the meter, else OWNER_CHANGING.
 */
export interface LinkedMeters extends Meters {
  /** As `Fleet.commandGap`. */
  commandGap(unitId: string): CommandGap | undefined;
  /** Whether the lines of the unit are wanted: they go to `taps`. */
  trace(unitId: string, on: boolean): void;
  /** Whether somebody sees each frame of a stream that is watched: they come at once. Others wait for each other. Default: nobody does. */
  view(unitId: string, on: boolean): void;
  /** As `ServedSessions.learn`, for a session that begins there. */
  learn(unitId: string, state: DeviceState): void;
  /** Whether none of its units begins to move. Default: they may. */
  stay(on: boolean): void;
  /** This gateway stops: the other instance keeps what comes of watched feeds for the next one. What was asked is answered. */
  leaving(): void;
  /** Frames that came over it; the next link to this instance tells it (`RemoteMeters`). Undefined: it has not begun. */
  readonly had: number | undefined;
  /** Resolves when the other instance has understood what it was told first. Never, where the link ends before. */
  readonly begun: Promise<void>;
  /** Settles when the link is over, with the reason. */
  readonly ended: Promise<string>;
  /** Ends the link. Sessions of the other instance go on. May be called twice. */
  close(reason: string): void;
}
