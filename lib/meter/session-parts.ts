/** What a session is made of and how it is ended. Types only. */
import type { Clock } from '../clock.ts';
import type { Driver } from '../driver/contract.ts';
import type { GatewayError } from '../errors.ts';
import type { EventData, EventKind, WireListener } from '../events/contract.ts';
import type { FeedEnd } from '../live/contract.ts';
import type { Log } from '../log.ts';
import type { DeviceConfig } from '../store/contract.ts';
import type { Address, Transport } from '../transport/contract.ts';
import type { ConnectLimit } from './connect-limit.ts';
import type { MeterIdentity } from './contract.ts';
import type { Counters } from './counters.ts';
import type { Faults } from './faults.ts';
import type { MeterPorts } from './meter-port.ts';
import type { MeterSettings } from './settings.ts';

export interface SessionParts {
  readonly unitId: string;
  readonly address: Address;
  /** As it is now: these fields may change without a new session. */
  readonly config: () => Pick<DeviceConfig, 'ftpPort' | 'timezone'>;
  readonly transport: Transport;
  readonly driver: Driver;
  readonly clock: Clock;
  readonly log: Log;
  readonly settings: MeterSettings;
  /** The words for what fails at this meter. */
  readonly faults: Faults;
  /** Where meters really are, and their command gaps, for the whole fleet. */
  readonly ports: MeterPorts;
  /** Shared with the other meters of the fleet. */
  readonly limit: ConnectLimit;
  readonly unit: UnitRecord;
  /** Publishes an event of this unit. */
  readonly publish: <Kind extends EventKind>(kind: Kind, data: EventData[Kind]) => void;
  /** Hears the lines of this unit, if anybody does now. */
  readonly wire: () => WireListener | undefined;
  /** 0 <= x < 1. */
  readonly random: () => number;
  /** Start of a measurement known from before, ms UTC. */
  readonly startedAt: number | null;
  /** Nothing is dialled before this has settled: the session before still has the connection. */
  readonly after: Promise<unknown>;
}

/** What outlives the sessions of a unit. */
export interface UnitRecord {
  readonly counters: Counters;
  /** ms UTC. */
  readonly countedSince: number;
  /** Which meter answered last. */
  identity: MeterIdentity;
}

/** Why a session ends. */
export interface Closing {
  /** What those are told who wait, and who come later. */
  readonly error: GatewayError;
  readonly feed: FeedEnd;
}
