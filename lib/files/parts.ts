/** What the cards of all meters are given. Types only. */
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

/** The commands to the same meter. FTP and commands need a rest between them: a meter mixed them up (field report). */
export interface FtpCoordinator {
  /** Waits until FTP may begin. */
  before(caller: CardCaller): Promise<void>;
  /** Within a session: waits where commands went to the meter since. */
  between(caller: CardCaller): Promise<void>;
  /** FTP is over. */
  after(): void;
}

/** Times in ms, and what all cards share. */
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
  /** How the names of the last listing of an FTP server (`host port`) were written. */
  readonly codings: Map<string, NameCoding>;
}
