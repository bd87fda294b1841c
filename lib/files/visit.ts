/**
 * Several pieces of work on a card, one after the other, if possible with one FTP session and one login. The session is
 * opened for the first piece and kept for the next. It ends when another caller wants the card, after a fault, after a
 * second without work, and with the visit. The next piece of work then opens another session.
 */
import { GatewayError } from '../errors.ts';
import type { DeviceConfig } from '../store/contract.ts';
import type { CardCaller, CardVisit, Download, FileEntry, Part, Traffic, VisitOptions } from './contract.ts';
import { serverOf } from './names.ts';
import type { CardParts } from './parts.ts';
import { CardReader, type CardWork } from './reader.ts';
import { FtpSession } from './session.ts';
import type { Turn } from './session-queue.ts';

/**
 * The memory of the chunks of a file: at most 64 KB each, and new for each chunk.
 *
 * Frees the memory of a chunk that has been read. The chunk is then empty. Without this, the garbage collector would
 * let about 50 MB collect. A chunk that shares its memory is not changed.
 */
export function release({ buffer, byteLength }: Uint8Array): void {
  if (buffer instanceof ArrayBuffer && byteLength > 0 && buffer.byteLength === byteLength) buffer.transfer(0);
}

/** A logged-in session, for one piece of work after the other. */
interface OpenSession {
  /** The session works, and no caller waits for the meter. */
  readonly isFree: boolean;
  /** Before a further piece of work: commands that went to the meter meanwhile get their rest. */
  rest(caller: CardCaller): Promise<void>;
  /** If the signal of the work aborts, the session is over. */
  do<T>(work: Pick<CardWork<T>, 'place' | 'signal' | 'run'>): Promise<T>;
  /** May be called twice. */
  end(): Promise<void>;
}

/**
 * A session with the meter's turn and the coordinator's permission; they are given back in reverse order when it
 * ends. Errors: as `Card.list`.
 */
export async function openSession(
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
  const session = sessionOf(config, { traffic, parts, path: work.place.path }, stop.signal);
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

function sessionOf(
  config: DeviceConfig,
  { traffic, parts, path }: { readonly traffic: Traffic; readonly parts: CardParts; readonly path: string },
  signal: AbortSignal,
): FtpSession {
  const onForeignConnection = (address: string) =>
    parts.log.warn(
      { unit_id: config.unitId, address },
      'a connection to the FTP data port came from another address than that of the meter',
    );
  return new FtpSession({ ...parts, config, path, onForeignConnection, traffic }, signal);
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

/** Open until `close` or the end of its signal. */
export class Visit implements CardVisit {
  readonly release = release;
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
    this.#reader = new CardReader(config, parts, (work) => this.#inOrder(work));
    options.signal.addEventListener('abort', this.#aborted, { once: true });
  }

  list = (path: string): Promise<readonly FileEntry[]> => this.#reader.list(path, this.#options);
  find = (path: string): Promise<FileEntry> => this.#reader.find(path, this.#options);
  download = (path: string): Promise<Download> => this.#reader.download(path, this.#options);

  open(path: string, part: Part): Promise<Download> {
    const { givesWay } = this.#options;
    return this.#reader.open(path, { ...part, ...(givesWay && { givesWay }) }, this.#options);
  }

  async close(): Promise<void> {
    this.#options.signal.removeEventListener('abort', this.#aborted);
    await this.#last;
    await this.#end();
  }

  #inOrder<T>(work: CardWork<T>): Promise<T> {
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
