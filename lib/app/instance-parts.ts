/** What one of several instances on one database is made of. */
import type { Clock } from '../clock.ts';
import type { SharedClusterStore } from '../cluster/contract.ts';
import type { Watchdog } from '../cluster/watchdog/index.ts';
import type { Log } from '../log.ts';
import type { Settings } from '../settings/index.ts';
import type { Gateway } from './gateway.ts';
import type { InstanceSeat } from './instance-seat.ts';

/** What an instance needs. */
export interface InstanceParts {
  readonly settings: Settings;
  readonly clock: Clock;
  readonly log: Log;
  readonly store: SharedClusterStore;
  /** Of this instance, for ever. */
  readonly id: string;
  /** Rejects with StoreError: why this instance could not take over the database as it is. Without it that is not looked at. */
  readonly fits?: (signal: AbortSignal) => Promise<void>;
  /** Ends a process that stands still. Only with the clock of the computer. */
  readonly watchdog?: Pick<Watchdog, 'until'>;
  /** Ends a start that waits. */
  readonly stopping?: AbortSignal;
  /** Starts the gateway with the settings as they are given here. Rejects as `startGateway`. */
  readonly start: (settings: Settings, seat: InstanceSeat) => Promise<Gateway>;
}
