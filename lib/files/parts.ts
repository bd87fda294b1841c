/** Options and shared parts of the cards of all meters. Types only. */
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

/** FTP and commands to the same meter need a rest between them: a meter mixed them up (field report). */
export interface FtpCoordinator {
  /** Waits until FTP may begin. */
  before(caller: CardCaller): Promise<void>;
  /** Within a session: waits if commands went to the meter meanwhile. */
  between(caller: CardCaller): Promise<void>;
  after(): void;
}

/** Times in ms. */
export interface CardsOptions {
  readonly clock?: Clock;
  /** Longest silence of a meter's FTP server in any step; also how long the meter has to open a data connection. */
  readonly timeoutMs: number;
  /** IP address for the meter's connection to the gateway; absent: the local address of the control connection. */
  readonly announcedAddress?: string | undefined;
  /** Ports to listen on for the meter. `first` 0, or absent: any free port. */
  readonly portRange?: PortRange | undefined;
  /** Called before and after each session with the meter of this unit. */
  readonly coordinator: (unitId: string) => FtpCoordinator | undefined;
  /** Why the meter of this config has no files at all; undefined: it may have files. Default: never. */
  readonly lacking?: (config: DeviceConfig) => GatewayError | undefined;
  /** Longest wait for the earlier session to end. Default 60,000. */
  readonly turnMs?: number;
  /** Longest time that the reader of a download may take nothing; then the meter is free again. Default 120,000. */
  readonly readerMs?: number;
  readonly log: Log;
  /** Judges and resolves a host before it is connected to. Default: no judgement. */
  readonly addresses?: FindAddresses | undefined;
  readonly taps?: Pick<WireTaps, 'of'> | undefined;
}

export interface CardParts extends CardsOptions {
  readonly clock: Clock;
  readonly readerMs: number;
  readonly queue: SessionQueue;
  /** FTP servers (`host port`) that refused REST. */
  readonly withoutRest: Set<string>;
  /** Coding of the names in the last listing of an FTP server (`host port`). */
  readonly codings: Map<string, NameCoding>;
}
