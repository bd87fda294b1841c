/** Reads listings and files from a card within an FTP session. */
import { within } from '../clock.ts';
import { inSeconds } from '../domain/figures.ts';
import { GatewayError } from '../errors.ts';
import type { DeviceConfig } from '../store/contract.ts';
import type { FileEntry } from './contract.ts';
import { readListing } from './listing.ts';
import { type CardPath, readNames, serverOf } from './names.ts';
import type { CardParts } from './parts.ts';
import type { FtpSession } from './session.ts';
import type { Outlet, Sink } from './transfer.ts';

const MOST_LISTING_BYTES = 4 * 1024 * 1024;
/** A listing that comes very slowly is given up after this many times the longest silence. */
const LISTING_PATIENCE = 6;

/** Reads from one card. Errors: as `CardVisit.list`. */
export class CardReader {
  readonly #config: DeviceConfig;
  readonly #parts: CardParts;

  constructor(config: DeviceConfig, parts: CardParts) {
    this.#config = config;
    this.#parts = parts;
  }

  async list(session: FtpSession, folder: string): Promise<readonly FileEntry[]> {
    await session.enter(folder);
    const { text, coding } = readNames(await this.#collect((sink) => session.list(sink)));
    if (coding) session.coding = coding;
    this.#parts.codings.set(serverOf(this.#config), session.coding);
    try {
      const { entries, dropped } = readListing(text, folder, this.#parts.clock.now());
      if (dropped > 0)
        this.#parts.log.warn({ unit_id: this.#config.unitId, dropped }, 'lines of a listing were left out');
      return entries;
    } catch (error) {
      throw error instanceof RangeError ? new GatewayError('FTP_FAILED', error.message, { cause: error }) : error;
    }
  }

  async #collect(transfer: (sink: Sink) => Promise<void>): Promise<Buffer> {
    const { clock, timeoutMs } = this.#parts;
    const ms = timeoutMs * LISTING_PATIENCE;
    const late = () => new GatewayError('DEVICE_TIMEOUT', `The listing went on for longer than ${inSeconds(ms)}.`);
    const chunks: Buffer[] = [];
    let bytes = 0;
    const taking = (signal: AbortSignal) => (chunk: Buffer) => {
      signal.throwIfAborted();
      bytes += chunk.length;
      if (bytes > MOST_LISTING_BYTES)
        throw new GatewayError('FTP_FAILED', `The listing is longer than ${MOST_LISTING_BYTES} bytes.`);
      chunks.push(chunk);
      return undefined;
    };
    await within(clock, ms, late, (signal) => transfer({ write: taking(signal) }));
    return Buffer.concat(chunks);
  }

  async prepare(session: FtpSession, { parent, path, name }: CardPath): Promise<Prepared> {
    const entries = await this.list(session, parent);
    const entry = entries.find((candidate) => candidate.name === name);
    if (entry?.isDir) throw new GatewayError('FILE_NOT_FOUND', `The path ${path} is a folder, not a file.`);
    // 0 bytes in the listing: it may be under writing.
    const size = entry?.size || undefined;
    return { size, retrieve: (outlet) => fill(outlet, (sink) => session.retrieve(path, sink)) };
  }

  async preparePart(session: FtpSession, path: string, from: number, to: number): Promise<Prepared> {
    const skip = from > 0 && !(await this.#beginAt(session, from)) ? from : 0;
    const retrieve = (outlet: Outlet) => fill(outlet, (sink) => session.retrieve(path, after(skip, sink)));
    return { size: to - from, retrieve };
  }

  async #beginAt(session: FtpSession, byte: number): Promise<boolean> {
    const { withoutRest } = this.#parts;
    if (withoutRest.has(serverOf(this.#config))) return false;
    const taken = await session.beginAt(byte);
    if (!taken) withoutRest.add(serverOf(this.#config));
    return taken;
  }
}

/** A transfer that can begin. `size`: expected bytes, if known. */
export interface Prepared {
  readonly size: number | undefined;
  readonly retrieve: (outlet: Outlet) => Promise<void>;
}

function after(skip: number, sink: Sink): Sink {
  let left = skip;
  return {
    write(chunk) {
      const rest = chunk.subarray(left);
      left -= chunk.length - rest.length;
      return rest.length > 0 ? sink.write(rest) : undefined;
    },
  };
}

/** The stream has its proper end after a good transfer, and breaks after any other. */
async function fill(outlet: Outlet, transfer: (sink: Sink) => Promise<void>): Promise<void> {
  try {
    await transfer(outlet);
    outlet.finish();
  } catch (error) {
    // The reader has all listed bytes; later ones do not matter.
    if (outlet.complete) return;
    outlet.destroy(error instanceof Error ? error : new Error(String(error)));
    throw error;
  }
}
