/** What an instance and its gateway know of each other. */
import type { InstancesKnown } from '../cluster/contract.ts';
import { type PassedOn, PROOF_HEADER, type Receiver } from '../cluster/passed-on.ts';
import type { Families } from '../drivers/contract.ts';
import type { EventStream, WireTaps } from '../events/contract.ts';
import type { PassedOnCheck } from '../http/arrival.ts';
import type { AskedOfInstance } from '../http/asked.ts';
import type { Trouble } from '../http/health.ts';
import type { Fleet, UnreachedMeters } from '../meter/fleet.ts';
import type { FleetParts } from '../meter/parts.ts';
import type { Settings } from '../settings/index.ts';
import type { ConfigStore } from '../store/contract.ts';
import type { Address } from '../transport/contract.ts';

/** What the gateway of an instance is told. */
export interface InstanceSeat {
  /** False as soon as another instance may have the meters. Asked before each connection and before bytes go out. */
  readonly mayAct: () => boolean;
  /** A meter refuses connections, or gives no answer on one: another instance may still have its place. */
  readonly mute: (meter: Address) => void;
  /** Takes note of the meters that other instances are asked about when they come back. */
  readonly unreached: (meters: UnreachedMeters) => void;
  readonly passedOn: PassedOnCheck;
  /** What the other instances ask this one, also while it is the gateway. */
  readonly asked: readonly AskedOfInstance[];
  readonly known: () => InstancesKnown;
  /** Removes an instance that is silent or has left from the list. False: it is not so any more. Errors: STORAGE_FAILED. */
  readonly remove: (id: string) => Promise<boolean>;
  readonly troubles: () => readonly Trouble[];
  /** Called when everything but the server is ready: the address is free after it. */
  readonly beforeListen: () => Promise<void>;
  /** Where the meters are shared out: their sessions, wherever they are. */
  readonly sessions?: SeatSessions;
}

/** What the gateway brings to sessions that are shared out. */
export interface SharingGateway {
  readonly configs: ConfigStore;
  readonly families: Families;
  readonly known: NonNullable<FleetParts['known']>;
  readonly events: EventStream;
  readonly taps: WireTaps;
}

/** Sessions that this instance and others serve. */
export interface SeatSessions {
  /** From now on this gateway is the one that asks for them; until the fleet is closed. */
  begin(gateway: SharingGateway): Fleet;
  /** Where meters may be has changed. */
  take(settings: Settings): void;
}

/** What a gateway knows of instances that is alone. */
export const notShared: Pick<InstanceSeat, 'known' | 'remove'> = Object.freeze({
  known: () => ({ members: [], takeovers: 0, gap: undefined }),
  remove: async () => false,
});

/** What other instances say of callers, if they have proved it to this one. */
export const believes =
  (passedOn: PassedOn, me: Receiver): PassedOnCheck =>
  ({ headers, method = '', url = '' }, peer) => {
    const proof = headers[PROOF_HEADER];
    return typeof proof === 'string' ? passedOn.check(proof, { method, url, ...peer }, me) : undefined;
  };
