/** The card of one meter: each call is one short FTP session of its own; a visit keeps one for several. */
import type { Clock } from '../clock.ts';
import type { GatewayError } from '../errors.ts';
import type { WireTaps } from '../events/contract.ts';
import type { Log } from '../log.ts';
import type { DeviceConfig } from '../store/contract.ts';
import type { FindAddresses } from '../transport/contract.ts';
import type { PortRange } from './active.ts';
import { release } from './chunks.ts';
import type { Card, CardVisit, Traffic, VisitOptions } from './contract.ts';
import type { NameCoding } from './names.ts';
import { openSession } from './open-session.ts';
import { CardReader, type Work } from './reader.ts';
import type { SessionQueue } from './session-queue.ts';
import { Visit } from './visit.ts';

/** The commands to the same meter. FTP and commands need a rest between them: a meter mixed them up (field report). */
export interface FtpCoordinator {
  /** Waits until FTP may begin. */
  before(signal: AbortSignal): Promise<void>;
  /** Within a session: waits where commands went to the meter since. */
  between(signal: AbortSignal): Promise<void>;
  /** FTP is over. */
  after(): void;
}

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

export class FtpCard implements Card {
  readonly traffic: Traffic;
  readonly release = release;
  readonly #config: DeviceConfig;
  readonly #parts: CardParts;
  readonly #reader: CardReader;

  /** `traffic` goes on from the count of the earlier card of the same unit. */
  constructor(config: DeviceConfig, traffic: Traffic, parts: CardParts) {
    this.traffic = traffic;
    this.#config = config;
    this.#parts = parts;
    this.#reader = new CardReader(config, parts, (work) => this.#inSession(work));
  }

  list: Card['list'] = (path, signal) => this.#reader.list(path, signal);
  find: Card['find'] = (path, signal) => this.#reader.find(path, signal);
  download: Card['download'] = (path, signal) => this.#reader.download(path, signal);
  open: Card['open'] = (path, part, signal) => this.#reader.open(path, part, signal);

  visit(options: VisitOptions): CardVisit {
    return new Visit(this.#config, this.traffic, this.#parts, options);
  }

  async #inSession<T>(work: Work<T>): Promise<T> {
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
