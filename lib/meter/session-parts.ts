/** What a session is made of and how it is ended. Types only. */
import type { Clock } from '../clock.ts';
import type { GatewayError } from '../errors.ts';
import type { FeedEnd } from '../live/contract.ts';
import type { Log } from '../log.ts';
import type { Command, Frame, StreamCommand } from '../nl43/contract.ts';
import type { Address, Transport } from '../transport/contract.ts';
import type { CommandGap } from './command-gap.ts';
import type { ConnectLimit } from './connect-limit.ts';
import type { Reachability, ReachabilityState } from './contract.ts';
import type { Tally } from './counters.ts';
import type { Questions } from './knowledge.ts';
import type { MeterSettings } from './settings.ts';

export interface SessionParts {
  readonly unitId: string;
  readonly address: Address;
  readonly ftpPort: () => number;
  readonly transport: Transport;
  readonly clock: Clock;
  readonly log: Log;
  readonly settings: MeterSettings;
  /** Outlives the session: a meter rests also between two sessions. */
  readonly commandGap: CommandGap;
  /** Outlives the session too. */
  readonly tally: Tally;
  /** Shared with the other meters of the fleet. */
  readonly limit: ConnectLimit;
  readonly stream: StreamCommand<Frame>;
  /** What is asked after trouble. */
  readonly questions: Questions;
  /** A request that every meter knows and that changes nothing: its answer proves a connection. */
  readonly proof: Command<unknown>;
  readonly random: () => number;
  readonly onReachability: (from: ReachabilityState, reachability: Reachability) => void;
  /** Start of a measurement known from before, ms UTC. */
  readonly startedAt: number | null;
  /** Nothing is dialled before this has settled: the session before still has the connection. */
  readonly after: Promise<unknown>;
}

export interface Farewell {
  /** What those are told who wait, and who come later. */
  readonly error: GatewayError;
  readonly feed: FeedEnd;
}
