/** The cards of all meters, by FTP; `contract.ts` describes them. */
import { type Clock, sleep, systemClock } from '../clock.ts';
import { type GatewayError, isGatewayError } from '../errors.ts';
import type { WireTaps } from '../events/contract.ts';
import type { Log } from '../log.ts';
import type { DeviceConfig } from '../store/contract.ts';
import type { FindAddresses } from '../transport/contract.ts';
import type { PortRange } from './active.ts';
import type { Card, CardCaller, Cards, CardVisit, Traffic, VisitOptions } from './contract.ts';
import type { NameCoding } from './names.ts';
import type { CardParts, FtpCoordinator } from './parts.ts';
import { CardReader, type CardWork } from './reader.ts';
import { SessionQueue } from './session-queue.ts';
import { openSession, release, Visit } from './visit.ts';

/** The FTP server of a meter may take so long after it was switched on, ms. Field use waits 2 to 30 s. */
const START_MS = 30_000;
/** Shorter than the rest of the meter: a watched stream does not go on between two tries. ms */
const AGAIN_MS = 500;

/** Waits until an FTP server that was switched on just now takes a login. Errors: as `Card.list`; DEVICE_UNREACHABLE after 30 s. */
export async function untilServed(card: Pick<Card, 'list'>, clock: Clock, caller: CardCaller): Promise<void> {
  for (const end = clock.elapsed() + START_MS; ; await sleep(clock, AGAIN_MS, caller.signal)) {
    try {
      await card.list('/', caller);
      return;
    } catch (error) {
      if (!isGatewayError(error, 'DEVICE_UNREACHABLE') || clock.elapsed() >= end) throw error;
    }
  }
}

/**
 * The card of one meter: each call is one short FTP session of its own; a visit keeps one for several. Errors:
 * FTP_DISABLED, the errors of a session, and the reason of the signal.
 */
class FtpCard implements Card {
  readonly traffic: Traffic;
  readonly release = release;
  readonly #config: DeviceConfig;
  readonly #parts: CardParts;
  readonly #reader: CardReader;

  /** `traffic` continues the count of the earlier card of the same unit. */
  constructor(config: DeviceConfig, traffic: Traffic, parts: CardParts) {
    this.traffic = traffic;
    this.#config = config;
    this.#parts = parts;
    this.#reader = new CardReader(config, parts, (work) => this.#inSession(work));
  }

  list: Card['list'] = (path, caller) => this.#reader.list(path, caller);
  find: Card['find'] = (path, caller) => this.#reader.find(path, caller);
  download: Card['download'] = (path, caller) => this.#reader.download(path, caller);
  open: Card['open'] = (path, part, caller) => this.#reader.open(path, part, caller);

  visit(options: VisitOptions): CardVisit {
    return new Visit(this.#config, this.traffic, this.#parts, options);
  }

  async #inSession<T>(work: CardWork<T>): Promise<T> {
    const { giveWay } = work;
    const wanted = (isPatient: boolean) => void (!isPatient && giveWay?.());
    const turn = giveWay && { wanted, isPatient: true };
    const open = await openSession(this.#config, { traffic: this.traffic, parts: this.#parts }, work, turn ?? {});
    try {
      return await open.do(work);
    } finally {
      await open.end();
    }
  }
}

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
