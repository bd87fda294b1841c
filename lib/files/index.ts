/** The cards of all meters, by FTP; `contract.ts` describes them. */
import { type Clock, sleep, systemClock } from '../clock.ts';
import { isGatewayError } from '../errors.ts';
import type { DeviceConfig } from '../store/contract.ts';
import type { Card, CardCaller, Cards, Traffic } from './contract.ts';
import type { NameCoding } from './names.ts';
import type { CardParts, CardsOptions } from './parts.ts';
import { SessionQueue } from './session-queue.ts';
import { Visit } from './visit.ts';

export type { PortRange } from './active.ts';
export type { CardsOptions, FtpCoordinator } from './parts.ts';
export { releaseChunk } from './visit.ts';

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

const TURN_MS = 60_000;
const READER_MS = 120_000;

/** Nothing is connected before a card is used. */
export function ftpCards(options: CardsOptions): Cards {
  const { clock = systemClock, turnMs = TURN_MS, readerMs = READER_MS } = options;
  const known = { withoutRest: new Set<string>(), codings: new Map<string, NameCoding>() };
  const parts: CardParts = { ...options, clock, readerMs, queue: new SessionQueue(clock, turnMs), ...known };
  const traffics = new Map<string, Traffic>();
  const trafficOf = (unitId: string): Traffic => {
    const traffic = traffics.get(unitId) ?? { sessions: 0, bytesSent: 0, bytesReceived: 0 };
    traffics.set(unitId, traffic);
    return traffic;
  };
  return {
    of: (config) => cardOf(config, trafficOf(config.unitId), parts),
    forget: (unitId) => void traffics.delete(unitId),
  };
}

/** Without a visit of the caller, each call has a session of its own. */
function cardOf(config: DeviceConfig, traffic: Traffic, parts: CardParts): Card {
  const visit: Card['visit'] = (options) => new Visit(config, traffic, parts, options);
  return {
    traffic,
    visit,
    async list(path, caller) {
      const own = visit(caller);
      try {
        return await own.list(path);
      } finally {
        await own.close();
      }
    },
    async download(path, caller) {
      const own = visit(caller);
      const download = own.download(path);
      // After the end of the stream, or a failure.
      const closed = own.close();
      try {
        return await download;
      } catch (error) {
        await closed;
        throw error;
      }
    },
  };
}
