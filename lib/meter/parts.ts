/** Inputs of the fleet, of a session and of its parts. Types only. */
import type { Clock } from '../clock.ts';
import type { Counters } from '../domain/fields/counters.ts';
import type { Families, Family, Sender } from '../drivers/contract.ts';
import type { Conversation } from '../drivers/wire/contract.ts';
import type { GatewayError } from '../errors.ts';
import type { EventData, EventKind, EventStream, WireListener, WireTaps } from '../events/contract.ts';
import type { Log } from '../log.ts';
import type { DeviceConfig, Snapshot } from '../store/contract.ts';
import type { Address, Transport } from '../transport/contract.ts';
import type { ConnectLimit } from './connect-limit.ts';
import type { DeviceState, FeedEnd, MeterIdentity, Reservation } from './contract.ts';
import type { Faults } from './faults.ts';
import type { MeterPorts } from './meter-port.ts';
import type { MeterSettings } from './settings.ts';

/** Fields of a config for a session. It has no credentials. */
export type MeterConfig = Pick<
  DeviceConfig,
  'unitId' | 'family' | 'host' | 'tcpPort' | 'tcpEnabled' | 'ftpPort' | 'timezone'
>;

/** The configs of a fleet. `onChange`: as in `ConfigStore`. */
export interface MeterConfigs {
  get(unitId: string): MeterConfig | undefined;
  onChange(
    listener: (unitId: string, config: MeterConfig | undefined) => void,
    fields: readonly (keyof MeterConfig)[],
  ): () => void;
}

/** Inputs of the fleet. */
export interface FleetParts {
  readonly configs: MeterConfigs;
  readonly transport: Transport;
  /** The config of a unit names one of these families. */
  readonly families: Families;
  readonly clock: Clock;
  readonly log: Log;
  readonly settings?: Partial<MeterSettings>;
  /** Gets the events `state`, `reachability`, `identity`, `exchange`, `connection`, `frame` and `command`. */
  readonly events: Pick<EventStream, 'publish'>;
  /** Traces of units. Default: no traces. */
  readonly taps?: Pick<WireTaps, 'of'>;
  /** Knowledge from before the start: a running measurement, and the identity of the meter. Default: none. */
  readonly known?: (unitId: string) => Pick<Snapshot, 'measurementStartTime' | 'measurementStartSource' | 'meter'>;
  /** 0 <= x < 1. Default `Math.random`. */
  readonly random?: () => number;
}

/** Inputs of one session, from its unit and shared by all units. */
export interface SessionParts
  extends Pick<FleetParts, 'transport' | 'clock' | 'log'>,
    Required<Pick<FleetParts, 'random'>> {
  readonly unitId: string;
  readonly address: Address;
  readonly family: Family;
  /** Protocol of the family. */
  readonly driver: Conversation;
  /** The present config: these fields may change without a new session. */
  readonly config: () => Pick<DeviceConfig, 'ftpPort' | 'timezone'>;
  readonly settings: MeterSettings;
  /** The error texts of this meter. */
  readonly faults: Faults;
  /** Real ports of meters, and their rests, for the whole fleet. */
  readonly ports: MeterPorts;
  /** Shared with the other meters of the fleet. */
  readonly limit: ConnectLimit;
  readonly unit: UnitRecord;
  /** Publishes an event of this unit. */
  readonly publish: <Kind extends EventKind>(kind: Kind, data: EventData[Kind]) => void;
  /** Listener to the lines of this unit, if any. */
  readonly wire: () => WireListener | undefined;
  /** State from before. */
  readonly start: DeviceState;
  /** No connection is opened before this has settled: the earlier session still has its connection. */
  readonly after: Promise<unknown>;
}

/** A reservation for the session: the public part, and commands, which drivers send. */
export interface CommandReservation extends Reservation, Sender {}

/** Data of a unit that outlives its sessions. */
export interface UnitRecord {
  readonly counters: Counters;
  /** ms UTC. */
  readonly countedSince: number;
  /** Identity of the meter that answered last. */
  identity: MeterIdentity;
}

/** Why a session ends. */
export interface Closing {
  /** Error for waiting and later callers. */
  readonly error: GatewayError;
  readonly feed: FeedEnd;
}
