/** Shared parts of the cards of all meters. Types only. */
import type { Clock } from '../clock.ts';
import type { GatewayError } from '../errors.ts';
import type { WireTaps } from '../events/contract.ts';
import type { Log } from '../log.ts';
import type { DeviceConfig } from '../store/contract.ts';
import type { FindAddresses } from '../transport/contract.ts';
import type { PortRange } from './active.ts';
import type { CardCaller } from './contract.ts';
import type { NameCoding } from './names.ts';
import type { SessionQueue } from './session-queue.ts';

/**
 * Coordinates FTP with the commands to the same meter. They need a rest between them: a meter mixed them up (field
 * report).
 */
export interface FtpCoordinator {
  /** Waits until FTP may begin. */
  before(caller: CardCaller): Promise<void>;
  /** Within a session: waits if commands went to the meter meanwhile. */
  between(caller: CardCaller): Promise<void>;
  /** FTP has ended. */
  after(): void;
}

/** Times in ms, and shared parts of all cards. */
export interface CardParts {
  readonly clock: Clock;
  readonly timeoutMs: number;
  readonly readerMs: number;
  readonly announcedAddress?: string | undefined;
  readonly portRange?: PortRange | undefined;
  readonly coordinator: (unitId: string) => FtpCoordinator | undefined;
  readonly lacking?: (config: DeviceConfig) => GatewayError | undefined;
  readonly queue: SessionQueue;
  readonly log: Log;
  readonly addresses?: FindAddresses | undefined;
  readonly taps?: Pick<WireTaps, 'of'> | undefined;
  /** FTP servers (`host port`) that refused REST. */
  readonly withoutRest: Set<string>;
  /** Coding of the names in the last listing of an FTP server (`host port`). */
  readonly codings: Map<string, NameCoding>;
}
