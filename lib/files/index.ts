/** The cards of all meters, by FTP; `contract.ts` describes them. */
import { type Clock, systemClock } from '../clock.ts';
import type { GatewayError } from '../errors.ts';
import type { WireTaps } from '../events/contract.ts';
import type { Log } from '../log.ts';
import type { DeviceConfig } from '../store/contract.ts';
import type { FindAddresses } from '../transport/contract.ts';
import type { PortRange } from './active.ts';
import { FtpCard } from './card.ts';
import type { Cards, Traffic } from './contract.ts';
import type { NameCoding } from './names.ts';
import type { FtpCoordinator } from './parts.ts';
import { SessionQueue } from './session-queue.ts';

export type { PortRange } from './active.ts';
export type { FtpCoordinator } from './parts.ts';

/** Times in ms. */
export interface CardsOptions {
  readonly clock?: Clock;
  /** Longest silence of a meter's FTP server in any step, ms; also how long the meter has to open a data connection. */
  readonly timeoutMs: number;
  /** IP address for the meter's connection to the gateway; absent: the local address of the control connection. */
  readonly announcedAddress?: string | undefined;
  /** Ports to listen on for the meter. `first` 0, or absent: any free port. */
  readonly portRange?: PortRange | undefined;
  /** Coordinates FTP with the commands to the meter of this unit: called before and after a session. */
  readonly coordinator: (unitId: string) => FtpCoordinator | undefined;
  /** Why the meter of this config has no files at all; undefined: it may have files. Default: never. */
  readonly lacking?: (config: DeviceConfig) => GatewayError | undefined;
  /** Longest wait for the earlier session to end, ms. Default 60,000. */
  readonly turnMs?: number;
  /** Longest time that the reader of a download may take nothing, ms; then the meter is free again. Default 120,000. */
  readonly readerMs?: number;
  readonly log: Log;
  /** Judges and resolves a host before it is connected to. Default: no judgement. */
  readonly addresses?: FindAddresses | undefined;
  /** Traces of units. Default: no traces. */
  readonly taps?: Pick<WireTaps, 'of'> | undefined;
}

const TURN_MS = 60_000;
const READER_MS = 120_000;

/** Nothing is connected before a card is used. */
export function ftpCards(options: CardsOptions): Cards {
  const { clock = systemClock, turnMs = TURN_MS, readerMs = READER_MS } = options;
  const known = { withoutRest: new Set<string>(), codings: new Map<string, NameCoding>() };
  const parts = { ...options, clock, readerMs, queue: new SessionQueue(clock, turnMs), ...known };
  const traffics = new Map<string, Traffic>();
  const trafficOf = (unitId: string): Traffic => {
    const traffic = traffics.get(unitId) ?? { sessions: 0, bytesSent: 0, bytesReceived: 0 };
    traffics.set(unitId, traffic);
    return traffic;
  };
  return {
    of: (config) => new FtpCard(config, trafficOf(config.unitId), parts),
    forget: (unitId) => void traffics.delete(unitId),
  };
}
