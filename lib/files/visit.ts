/**
 * Several pieces of work on a card, one after the other. The FTP session is opened for the first piece and kept for the
 * next. It ends when another caller wants the card, after a fault, after a second without work, and with the visit.
 */
import { GatewayError } from '../errors.ts';
import type { DeviceConfig } from '../store/contract.ts';
import type { CardCaller, CardVisit, Download, FileEntry, Traffic, VisitOptions } from './contract.ts';
import { type CardPath, cardPath, serverOf } from './names.ts';
import type { CardParts } from './parts.ts';
import { CardReader, type Prepared } from './reader.ts';
import { FtpSession } from './session.ts';
import type { Turn } from './session-queue.ts';
import { Outlet } from './transfer.ts';

/**
 * Frees the memory of a chunk of a download that has been read. The chunk is then empty. Without this, the garbage
 * collector would let about 50 MB collect. A chunk that shares its memory is not changed.
 */
export function releaseChunk({ buffer, byteLength }: Uint8Array): void {
  if (buffer instanceof ArrayBuffer && byteLength > 0 && buffer.byteLength === byteLength) buffer.transfer(0);
}

/** One piece of work. `giveWay`: called when another caller wants the card, if the work can be done later. */
interface CardWork<T> extends CardCaller {
  readonly place: CardPath;
  readonly giveWay?: (() => void) | undefined;
  readonly run: (session: FtpSession) => Promise<T>;
}

interface OpenSession {
  readonly isFree: boolean;
  /** Before a further piece of work: commands that went to the meter meanwhile get their rest. */
  rest(caller: CardCaller): Promise<void>;
  /** If the signal of the work aborts, the session is over. */
  do<T>(work: Pick<CardWork<T>, 'place' | 'signal' | 'run'>): Promise<T>;
  end(): Promise<void>;
}

/**
 * A session with the meter's turn and the coordinator's permission; they are given back in reverse order when it
 * ends. Errors: as `CardVisit.list`.
 */
async function openSession(
  config: DeviceConfig,
  { traffic, parts }: { readonly traffic: Traffic; readonly parts: CardParts },
  work: Pick<CardWork<unknown>, 'place' | 'signal' | 'deadlineMs'>,
  turn: Turn,
): Promise<OpenSession> {
  refuseIfDisabled(config, parts);
  const passOn = await parts.queue.take(serverOf(config), work, turn);
  const coordinator = parts.coordinator(config.unitId);
  try {
    await coordinator?.before(work);
  } catch (error) {
    passOn();
    throw error;
  }
  const stop = new AbortController();
  const onForeignConnection = (address: string) =>
    parts.log.warn(
      { unit_id: config.unitId, address },
      'a connection to the FTP data port came from another address than that of the meter',
    );
  const { path } = work.place;
  const session = new FtpSession({ ...parts, config, path, onForeignConnection, traffic }, stop.signal);
  let ended: Promise<void> | undefined;
  const open: OpenSession = {
    get isFree() {
      return !ended && !session.isClosed && !parts.queue.isWanted(serverOf(config));
    },
    rest: async (next) => coordinator?.between(next),
    async do({ place: { path }, signal: until, run }) {
      until.throwIfAborted();
      const abort = () => {
        stop.abort(until.reason);
        session.drop();
      };
      session.path = path;
      until.addEventListener('abort', abort, { once: true });
      try {
        return await run(session);
      } finally {
        until.removeEventListener('abort', abort);
      }
    },
    end() {
      ended ??= session.leave().finally(() => {
        coordinator?.after();
        passOn();
      });
      return ended;
    },
  };
  try {
    await open.do({ ...work, run: () => session.open() });
    session.coding = parts.codings.get(serverOf(config)) ?? 'utf-8';
    return open;
  } catch (error) {
    await open.end();
    throw error;
  }
}

function refuseIfDisabled(config: DeviceConfig, parts: CardParts): void {
  const { ftpEnabled, unitId } = config;
  const lacking = parts.lacking?.(config);
  if (lacking) throw lacking;
  if (!ftpEnabled)
    throw new GatewayError(
      'FTP_DISABLED',
      `FTP is off in the config of ${unitId}: PUT /${unitId}/config with "ftp_enabled": true, then POST /${unitId}/ftp/enable.`,
    );
}

/** After this time without work, a meter that serves one client is free for others again. */
const IDLE_MS = 1_000;

export class Visit implements CardVisit {
  readonly #config: DeviceConfig;
  readonly #parts: CardParts;
  readonly #traffic: Traffic;
  readonly #options: VisitOptions;
  readonly #reader: CardReader;
  #open: OpenSession | undefined;
  #work: Pick<CardWork<unknown>, 'giveWay'> | undefined;
  /** An impatient caller waits: the present work is broken off. */
  #isWanted = false;
  #last: Promise<unknown> = Promise.resolve();
  #cancelIdle = () => {};
  readonly #aborted = () => void this.close();

  constructor(config: DeviceConfig, traffic: Traffic, parts: CardParts, options: VisitOptions) {
    this.#config = config;
    this.#traffic = traffic;
    this.#parts = parts;
    this.#options = options;
    this.#reader = new CardReader(config, parts);
    options.signal.addEventListener('abort', this.#aborted, { once: true });
  }

  async list(path: string): Promise<readonly FileEntry[]> {
    const place = cardPath(path, '/path');
    return this.#inOrder({ place, run: (session) => this.#reader.list(session, place.path) });
  }

  async find(path: string): Promise<FileEntry> {
    const place = cardPath(path, '/path');
    const notThere = new GatewayError('FILE_NOT_FOUND', `The path ${place.path} is not on the card of the meter.`);
    if (place.name === '') throw notThere;
    const entries = await this.#inOrder({ place, run: (session) => this.#reader.list(session, place.parent) });
    const entry = entries.find(({ name }) => name === place.name);
    if (!entry) throw notThere;
    return entry;
  }

  async download(path: string): Promise<Download> {
    const file = cardPath(path, '/remote_path');
    if (file.name === '') throw new GatewayError('FILE_NOT_FOUND', 'The root of the card is a folder, not a file.');
    return this.#opened(file, (session) => this.#reader.prepare(session, file));
  }

  async open(path: string, { from, to }: Parameters<CardVisit['open']>[1]): Promise<Download> {
    const file = cardPath(path, '/path');
    return this.#opened(file, (session) => this.#reader.preparePart(session, file.path, from, to), true);
  }

  async close(): Promise<void> {
    this.#options.signal.removeEventListener('abort', this.#aborted);
    await this.#last;
    await this.#end();
  }

  /** Resolves with the first bytes. The work goes on behind the stream and ends with it. */
  #opened(place: CardPath, prepare: (session: FtpSession) => Promise<Prepared>, mayGiveWay = false): Promise<Download> {
    const opened = Promise.withResolvers<Download>();
    const stop = new AbortController();
    const run = async (session: FtpSession) => {
      const { size, retrieve } = await prepare(session);
      const outlet = new Outlet(size);
      outlet.once('close', () => {
        if (!outlet.complete) stop.abort(new Error('the reader left'));
      });
      outlet.opened.then(() => opened.resolve({ name: place.name, size, stream: outlet }));
      await retrieve(outlet);
      const { unitId: unit_id } = this.#config;
      if (outlet.surplus > 0)
        this.#parts.log.info({ unit_id, surplus: outlet.surplus }, 'a file grew while it was read');
    };
    const giveWay = () =>
      stop.abort(new GatewayError('DEVICE_BUSY', 'The transfer was stopped because another request waits.'));
    const signal = AbortSignal.any([this.#options.signal, stop.signal]);
    const isPolite = mayGiveWay && this.#options.givesWay === true;
    this.#inOrder({ place, signal, giveWay: isPolite ? giveWay : undefined, run }).catch(opened.reject);
    return opened.promise;
  }

  #inOrder<T>(own: Omit<CardWork<T>, 'signal'> & { readonly signal?: AbortSignal }): Promise<T> {
    const work = { ...this.#options, ...own };
    const done = this.#last.then(() => this.#do(work));
    this.#last = done.catch(() => {});
    return done;
  }

  async #do<T>(work: CardWork<T>): Promise<T> {
    work.signal.throwIfAborted();
    this.#cancelIdle();
    this.#work = work;
    try {
      const open = await this.#ready(work);
      if (this.#isWanted) work.giveWay?.();
      return await open.do(work);
    } finally {
      this.#work = undefined;
      if (this.#open?.isFree) this.#cancelIdle = this.#parts.clock.after(IDLE_MS, () => void this.#end());
      else await this.#end();
    }
  }

  async #ready(work: CardWork<unknown>): Promise<OpenSession> {
    if (this.#open) {
      await this.#open.rest(work);
      return this.#open;
    }
    const { givesWay = false } = this.#options;
    const turn = { wanted: (isPatient: boolean) => this.#wanted(isPatient), isPatient: givesWay };
    this.#open = await openSession(this.#config, { traffic: this.#traffic, parts: this.#parts }, work, turn);
    return this.#open;
  }

  /** Without present work the session ends at once, otherwise after the work; a listing is always finished. */
  #wanted(isPatient: boolean): void {
    if (!this.#work) void this.#end();
    else if (this.#options.givesWay && !isPatient) {
      this.#isWanted = true;
      this.#work.giveWay?.();
    }
  }

  async #end(): Promise<void> {
    this.#cancelIdle();
    const open = this.#open;
    this.#open = undefined;
    this.#isWanted = false;
    await open?.end();
  }
}
