/** What a session is made of and how it is ended. Types only. */
import type { Clock } from '../clock.ts';
import type { Driver } from '../driver/contract.ts';
import type { GatewayError } from '../errors.ts';
import type { EventData, EventKind } from '../events/contract.ts';
import type { FeedEnd } from '../live/contract.ts';
import type { Log } from '../log.ts';
import type { Address, Transport } from '../transport/contract.ts';
import type { CommandGap } from './command-gap.ts';
import type { ConnectLimit } from './connect-limit.ts';
import type { Tally } from './counters.ts';
import type { MeterPorts } from './meter-port.ts';
import type { MeterSettings } from './settings.ts';

/** Publishes an event of this unit. */
export type Publish = <Kind extends EventKind>(kind: Kind, data: EventData[Kind]) => void;

export interface SessionParts {
  readonly unitId: string;
  readonly address: Address;
  /** Asked anew for each probe: it may change without a new session. */
  readonly ftpPort: () => number;
  readonly transport: Transport;
  readonly driver: Driver;
  readonly clock: Clock;
  readonly log: Log;
  readonly settings: MeterSettings;
  /** Outlives the session: the gap is kept also between two sessions. */
  readonly commandGap: CommandGap;
  /** Where meters really are, for the whole fleet. */
  readonly ports: MeterPorts;
  /** Outlives the session too. */
  readonly tally: Tally;
  /** Shared with the other meters of the fleet. */
  readonly limit: ConnectLimit;
  readonly publish: Publish;
  /** 0 <= x < 1. */
  readonly random: () => number;
  /** Start of a measurement known from before, ms UTC. */
  readonly startedAt: number | null;
  /** Nothing is dialled before this has settled: the session before still has the connection. */
  readonly after: Promise<unknown>;
}

/** Why a session ends. */
export interface Closing {
  /** What those are told who wait, and who come later. */
  readonly error: GatewayError;
  readonly feed: FeedEnd;
}
