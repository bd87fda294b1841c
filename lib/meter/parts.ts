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

interface MeterConfigs {
  get(unitId: string): MeterConfig | undefined;
  onChange(
    listener: (unitId: string, config: MeterConfig | undefined) => void,
    fields: readonly (keyof MeterConfig)[],
  ): () => void;
}

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
  readonly taps?: Pick<WireTaps, 'of'>;
  /** Knowledge from before the start: a running measurement, and the identity of the meter. Default: none. */
  readonly known?: (unitId: string) => Pick<Snapshot, 'measurementStartTime' | 'measurementStartSource' | 'meter'>;
  readonly random?: () => number;
}

export interface SessionParts
  extends Pick<FleetParts, 'transport' | 'clock' | 'log'>,
    Required<Pick<FleetParts, 'random'>> {
  readonly unitId: string;
  readonly address: Address;
  readonly family: Family;
  readonly driver: Conversation;
  /** The present config: these fields may change without a new session. */
  readonly config: () => Pick<DeviceConfig, 'ftpPort' | 'timezone'>;
  readonly settings: MeterSettings;
  readonly faults: Faults;
  /** Real ports of meters, and their rests, for the whole fleet. */
  readonly ports: MeterPorts;
  readonly limit: ConnectLimit;
  readonly unit: UnitRecord;
  readonly publish: <Kind extends EventKind>(kind: Kind, data: EventData[Kind]) => void;
  readonly wire: () => WireListener | undefined;
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
  identity: MeterIdentity;
}

export interface Closing {
  readonly error: GatewayError;
  readonly feed: FeedEnd;
}
