/** Reads listings and files from a card within FTP sessions. The session comes from outside. */
import { within } from '../clock.ts';
import { inSeconds } from '../domain/figures.ts';
import { GatewayError } from '../errors.ts';
import type { DeviceConfig } from '../store/contract.ts';
import type { CardCaller, Download, FileEntry, Part } from './contract.ts';
import { readListing } from './listing.ts';
import { type CardPath, cardPath, readNames, serverOf } from './names.ts';
import type { CardParts } from './parts.ts';
import type { FtpSession } from './session.ts';
import { Outlet, type Sink } from './transfer.ts';

/**
 * One piece of work in a session. `giveWay`: called when another caller wants the card, if the work can be done later.
 */
export interface CardWork<T> extends CardCaller {
  readonly place: CardPath;
  readonly giveWay?: (() => void) | undefined;
  readonly run: (session: FtpSession) => Promise<T>;
}

/** Does the work in an FTP session. */
type InSession = <T>(work: CardWork<T>) => Promise<T>;

const MOST_LISTING_BYTES = 4 * 1024 * 1024;
/** A listing that comes very slowly is given up after this many times the longest silence. */
const LISTING_PATIENCE = 6;

/** Errors of all: as `Card`. */
export class CardReader {
  readonly #config: DeviceConfig;
  readonly #parts: CardParts;
  readonly #inSession: InSession;

  constructor(config: DeviceConfig, parts: CardParts, inSession: InSession) {
    this.#config = config;
    this.#parts = parts;
    this.#inSession = inSession;
  }

  async list(path: string, caller: CardCaller): Promise<readonly FileEntry[]> {
    const place = cardPath(path, '/path');
    return this.#inSession({ ...caller, place, run: (session) => this.#list(session, place.path) });
  }

  async find(path: string, caller: CardCaller): Promise<FileEntry> {
    const place = cardPath(path, '/path');
    const notThere = new GatewayError('FILE_NOT_FOUND', `The path ${place.path} is not on the card of the meter.`);
    if (place.name === '') throw notThere;
    const entries = await this.#inSession({ ...caller, place, run: (session) => this.#list(session, place.parent) });
    const entry = entries.find(({ name }) => name === place.name);
    if (!entry) throw notThere;
    return entry;
  }

  async download(path: string, caller: CardCaller): Promise<Download> {
    const file = cardPath(path, '/remote_path');
    if (file.name === '') throw new GatewayError('FILE_NOT_FOUND', 'The root of the card is a folder, not a file.');
    return this.#opened(file, caller, async (session) => {
      const size = await this.#sizeOf(session, file);
      return { size, retrieve: (outlet) => fill(outlet, (sink) => session.retrieve(file.path, sink)) };
    });
  }

  async open(path: string, { from, to, givesWay = false }: Part, caller: CardCaller): Promise<Download> {
    const file = cardPath(path, '/path');
    const stop = new AbortController();
    const giveWay = () =>
      stop.abort(new GatewayError('DEVICE_BUSY', 'The transfer was stopped because another request waits.'));
    const either = { ...caller, signal: AbortSignal.any([caller.signal, stop.signal]) };
    const prepare = async (session: FtpSession): Promise<Prepared> => {
      const skip = from > 0 && !(await this.#beginAt(session, from)) ? from : 0;
      return {
        size: to - from,
        retrieve: (outlet) => fill(outlet, (sink) => session.retrieve(file.path, after(skip, sink))),
      };
    };
    return this.#opened(file, either, prepare, givesWay ? giveWay : undefined);
  }

  async #beginAt(session: FtpSession, byte: number): Promise<boolean> {
    const { withoutRest } = this.#parts;
    if (withoutRest.has(serverOf(this.#config))) return false;
    const taken = await session.beginAt(byte);
    if (!taken) withoutRest.add(serverOf(this.#config));
    return taken;
  }

  /** Resolves with the first bytes. The work goes on behind the stream and ends with it. */
  #opened(
    file: CardPath,
    caller: CardCaller,
    prepare: (session: FtpSession) => Promise<Prepared>,
    giveWay?: () => void,
  ): Promise<Download> {
    const opened = Promise.withResolvers<Download>();
    const left = new AbortController();
    const run = async (session: FtpSession) => {
      const { size, retrieve } = await prepare(session);
      const outlet = new Outlet(size);
      outlet.once('close', () => {
        if (!outlet.complete) left.abort(new Error('the reader left'));
      });
      outlet.opened.then(() => opened.resolve({ name: file.name, size, stream: outlet }));
      await retrieve(outlet);
      const { unitId: unit_id } = this.#config;
      if (outlet.surplus > 0)
        this.#parts.log.info({ unit_id, surplus: outlet.surplus }, 'a file grew while it was read');
    };
    const either = AbortSignal.any([caller.signal, left.signal]);
    this.#inSession({ ...caller, place: file, signal: either, giveWay, run }).catch(opened.reject);
    return opened.promise;
  }

  async #list(session: FtpSession, folder: string): Promise<readonly FileEntry[]> {
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

  /** All bytes of a listing, within limits of size and time. */
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

  /**
   * Undefined if the listing does not have the size: the name was left out, or the size is 0 bytes, as for a file under
   * writing.
   */
  async #sizeOf(session: FtpSession, { parent, path, name }: CardPath): Promise<number | undefined> {
    const entries = await this.#list(session, parent);
    const entry = entries.find((candidate) => candidate.name === name);
    if (entry?.isDir) throw new GatewayError('FILE_NOT_FOUND', `The path ${path} is a folder, not a file.`);
    return entry?.size || undefined;
  }
}

interface Prepared {
  /** Expected bytes, if known. */
  readonly size: number | undefined;
  readonly retrieve: (outlet: Outlet) => Promise<void>;
}

/** Drops the first bytes of a transfer. */
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
