/** The card of one meter: each call is one short FTP session of its own. Nothing is kept between calls. */
import { type Clock, within } from '../clock.ts';
import { GatewayError } from '../errors.ts';
import type { WireTaps } from '../events/contract.ts';
import type { Log } from '../log.ts';
import type { DeviceConfig } from '../store/contract.ts';
import type { FindAddresses } from '../transport/contract.ts';
import type { PortRange } from './active.ts';
import { release } from './chunks.ts';
import type { Card, Download, FileEntry, Part, Traffic } from './contract.ts';
import { readListing } from './listing.ts';
import { type NameCoding, readNames } from './names.ts';
import { Outlet } from './outlet.ts';
import { type CardPath, cardPath } from './paths.ts';
import { Session } from './session.ts';
import type { SessionQueue } from './session-queue.ts';
import type { Sink } from './transfer.ts';

/** The commands to the same meter. FTP and commands need a rest between them: a meter mixed them up (field report). */
export interface FtpCoordinator {
  /** Waits until FTP may begin. */
  before(signal: AbortSignal): Promise<void>;
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

const MOST_LISTING_BYTES = 4 * 1024 * 1024;
/** A listing that comes very slowly is given up after this many times the longest silence. */
const LISTING_PATIENCE = 6;

export class FtpCard implements Card {
  readonly traffic: Traffic;
  readonly release = release;
  readonly #config: DeviceConfig;
  readonly #parts: CardParts;

  /** `traffic` goes on from the count of the earlier card of the same unit. */
  constructor(config: DeviceConfig, traffic: Traffic, parts: CardParts) {
    this.traffic = traffic;
    this.#config = config;
    this.#parts = parts;
  }

  async list(path: string, signal: AbortSignal): Promise<readonly FileEntry[]> {
    const folder = cardPath(path, '/path');
    return this.#inSession(folder, signal, (session) => this.#list(session, folder.path));
  }

  async find(path: string, signal: AbortSignal): Promise<FileEntry> {
    const place = cardPath(path, '/path');
    const notThere = new GatewayError('FILE_NOT_FOUND', `The path ${place.path} is not on the card of the meter.`);
    if (place.name === '') throw notThere;
    const entries = await this.#inSession(place, signal, (session) => this.#list(session, place.parent));
    const entry = entries.find(({ name }) => name === place.name);
    if (!entry) throw notThere;
    return entry;
  }

  async download(path: string, signal: AbortSignal): Promise<Download> {
    const file = cardPath(path, '/remote_path');
    if (file.name === '') throw new GatewayError('FILE_NOT_FOUND', 'The root of the card is a folder, not a file.');
    return this.#opened(file, signal, async (session) => {
      const size = await this.#sizeOf(session, file);
      return { size, retrieve: (outlet) => fill(outlet, (sink) => session.retrieve(file.path, sink)) };
    });
  }

  async open(path: string, { from, to, givesWay = false }: Part, signal: AbortSignal): Promise<Download> {
    const file = cardPath(path, '/path');
    const stop = new AbortController();
    const giveWay = () =>
      stop.abort(new GatewayError('DEVICE_BUSY', 'The transfer was stopped because another request waits.'));
    const either = AbortSignal.any([signal, stop.signal]);
    const prepare = async (session: Session): Promise<Prepared> => {
      const skip = from > 0 && !(await this.#beginAt(session, from)) ? from : 0;
      return {
        size: to - from,
        retrieve: (outlet) => fill(outlet, (sink) => session.retrieve(file.path, after(skip, sink))),
      };
    };
    return this.#opened(file, either, prepare, givesWay ? giveWay : undefined);
  }

  async #beginAt(session: Session, byte: number): Promise<boolean> {
    const { withoutRest } = this.#parts;
    if (withoutRest.has(this.#server)) return false;
    const taken = await session.beginAt(byte);
    if (!taken) withoutRest.add(this.#server);
    return taken;
  }

  /** Resolves when the first bytes are there. The session goes on behind the stream and ends with it. */
  #opened(
    file: CardPath,
    signal: AbortSignal,
    prepare: (session: Session) => Promise<Prepared>,
    giveWay?: () => void,
  ): Promise<Download> {
    const opened = Promise.withResolvers<Download>();
    const left = new AbortController();
    const work = async (session: Session) => {
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
    this.#inSession(file, AbortSignal.any([signal, left.signal]), work, giveWay).catch(opened.reject);
    return opened.promise;
  }

  async #list(session: Session, folder: string): Promise<readonly FileEntry[]> {
    await session.enter(folder);
    const { text, coding } = readNames(await this.#collect((sink) => session.list(sink)));
    if (coding) session.coding = coding;
    this.#parts.codings.set(this.#server, session.coding);
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
    const late = () => new GatewayError('DEVICE_TIMEOUT', `The listing went on for longer than ${ms} ms.`);
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
   * Undefined if the listing does not say: the name was left out of it, or it says 0 bytes, as file systems do for a
   * file that is being written.
   */
  async #sizeOf(session: Session, { parent, path, name }: CardPath): Promise<number | undefined> {
    const entries = await this.#list(session, parent);
    const entry = entries.find((candidate) => candidate.name === name);
    if (entry?.isDir) throw new GatewayError('FILE_NOT_FOUND', `The path ${path} is a folder, not a file.`);
    return entry?.size || undefined;
  }

  /** Takes the meter's turn, then the coordinator's permission, then a session; gives them back in reverse order in all cases. */
  async #inSession<T>(
    place: CardPath,
    signal: AbortSignal,
    work: (session: Session) => Promise<T>,
    giveWay?: () => void,
  ): Promise<T> {
    const { unitId } = this.#config;
    this.#refuseIfDisabled();
    const passOn = await this.#parts.queue.take(this.#server, signal, giveWay);
    try {
      const coordinator = this.#parts.coordinator(unitId);
      await coordinator?.before(signal);
      try {
        return await this.#session(place, signal, work);
      } finally {
        coordinator?.after();
      }
    } finally {
      passOn();
    }
  }

  async #session<T>({ path }: CardPath, signal: AbortSignal, work: (session: Session) => Promise<T>): Promise<T> {
    const { unitId } = this.#config;
    const onForeignConnection = (address: string) =>
      this.#parts.log.warn(
        { unit_id: unitId, address },
        'a connection to the FTP data port came from another address than that of the meter',
      );
    const about = { config: this.#config, path, onForeignConnection, traffic: this.traffic };
    const session = new Session({ ...this.#parts, ...about }, signal);
    const drop = () => session.drop();
    signal.addEventListener('abort', drop, { once: true });
    try {
      await session.open();
      session.coding = this.#parts.codings.get(this.#server) ?? 'utf-8';
      return await work(session);
    } finally {
      await session.leave();
      signal.removeEventListener('abort', drop);
    }
  }

  get #server(): string {
    return `${this.#config.host.toLowerCase()} ${this.#config.ftpPort}`;
  }

  #refuseIfDisabled(): void {
    const { ftpEnabled, unitId } = this.#config;
    const lacking = this.#parts.lacking?.(this.#config);
    if (lacking) throw lacking;
    if (!ftpEnabled)
      throw new GatewayError(
        'FTP_DISABLED',
        `FTP is off in the config of ${unitId}: PUT /${unitId}/config with "ftp_enabled": true, then POST /${unitId}/ftp/enable.`,
      );
  }
}

interface Prepared {
  /** Bytes that will come, where known. */
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
    // The reader has all that was listed; what comes after that does not matter.
    if (outlet.complete) return;
    outlet.destroy(error instanceof Error ? error : new Error(String(error)));
    throw error;
  }
}
