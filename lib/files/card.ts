/** The card of one meter: each call is one short FTP session of its own; a visit keeps one for several. */
import { type Clock, sleep } from '../clock.ts';
import { isGatewayError } from '../errors.ts';
import type { DeviceConfig } from '../store/contract.ts';
import { release } from './chunks.ts';
import type { Card, CardCaller, CardVisit, Traffic, VisitOptions } from './contract.ts';
import { openSession } from './open-session.ts';
import type { CardParts } from './parts.ts';
import { CardReader, type CardWork } from './reader.ts';
import { Visit } from './visit.ts';

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

/** Errors: FTP_DISABLED, the errors of a session, and the reason of the signal. */
export class FtpCard implements Card {
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
