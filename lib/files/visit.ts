/**
 * Several pieces of work on a card, one after the other, if possible with one FTP session and one login. The session is
 * opened for the first piece and kept for the next. It ends when another caller wants the card, after a fault, after a
 * second without work, and with the visit. The next piece of work then opens another session.
 */
import type { DeviceConfig } from '../store/contract.ts';
import { release } from './chunks.ts';
import type { CardVisit, Download, FileEntry, Part, Traffic, VisitOptions } from './contract.ts';
import { type OpenSession, openSession } from './open-session.ts';
import type { CardParts } from './parts.ts';
import { CardReader, type CardWork } from './reader.ts';

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
