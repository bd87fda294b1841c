/** What the fleet, a session and its parts are given. Types only. */
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
import type { DeviceState, MeterIdentity, Reservation } from './contract.ts';
import type { Faults } from './faults.ts';
import type { FeedEnd } from './live/contract.ts';
import type { MeterPorts } from './meter-port.ts';
import type { MeterSettings } from './settings.ts';

/** What a session needs of a config. No credential is in it. */
export type MeterConfig = Pick<
  DeviceConfig,
  'unitId' | 'family' | 'host' | 'tcpPort' | 'tcpEnabled' | 'ftpPort' | 'timezone'
>;

/** The configs of a fleet. `onChange`: as in `ConfigStore`. */
export interface MeterConfigs {
  get(unitId: string): MeterConfig | undefined;
  onChange(listener: (unitId: string, config: MeterConfig | undefined) => void): () => void;
}

/** What the fleet is given. */
export interface FleetParts {
  readonly configs: MeterConfigs;
  readonly transport: Transport;
  /** The config of a unit names one of them. */
  readonly families: Families;
  readonly clock: Clock;
  readonly log: Log;
  readonly settings?: Partial<MeterSettings>;
  /** Hears of `state`, `reachability`, `identity`, `exchange`, `connection`, `frame` and `command`. */
  readonly events: Pick<EventStream, 'publish'>;
  /** Who traces which unit. Default: nobody. */
  readonly taps?: Pick<WireTaps, 'of'>;
  /** What the gateway knew before it was started: a measurement that ran, and which meter answered. Default: nothing. */
  readonly known?: (unitId: string) => Pick<Snapshot, 'measurementStartTime' | 'measurementStartSource' | 'meter'>;
  /** 0 <= x < 1. Default `Math.random`. */
  readonly random?: () => number;
}

/** What one session is given, of its unit and of what units share. */
export interface SessionParts
  extends Pick<FleetParts, 'transport' | 'clock' | 'log'>,
    Required<Pick<FleetParts, 'random'>> {
  readonly unitId: string;
  readonly address: Address;
  readonly family: Family;
  /** Of the family. */
  readonly driver: Conversation;
  /** As it is now: these fields may change without a new session. */
  readonly config: () => Pick<DeviceConfig, 'ftpPort' | 'timezone'>;
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
  /** What is known from before. */
  readonly start: DeviceState;
  /** Nothing is dialled before this has settled: the session before still has the connection. */
  readonly after: Promise<unknown>;
}

/** What the session has of a reservation: what everybody has, and commands, which drivers send. */
export interface CommandReservation extends Reservation, Sender {}

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
