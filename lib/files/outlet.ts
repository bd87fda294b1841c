/**
 * The reader's end of a download. Holds at most its buffer (64 KB) and says when it is full. It ends only when the
 * transfer was judged good; in every other case it breaks, so that a short file never looks whole. Of a file of known size
 * the last chunk waits for the judgement: a reader who counts would take the file for whole before it, and leave.
 */
import { Readable } from 'node:stream';
import { GatewayError } from '../errors.ts';

/** A file of the meter grows by some KB a second at most, so a slow transfer may bring a few MB more than were listed. */
const MOST_SURPLUS = 16 * 1024 * 1024;

export class Outlet extends Readable {
  /** Bytes listed; undefined when not known. No more than that is handed on, no less ends well. */
  readonly #size: number | undefined;
  #received = 0;
  #handedOn = 0;
  #complete = false;
  #room: (() => void) | undefined;
  #last: Buffer | undefined;
  readonly #opened = Promise.withResolvers<void>();

  constructor(size: number | undefined) {
    super();
    this.#size = size;
    // Breaking before anybody reads must not take the process down; a reader still gets the error.
    this.on('error', () => {});
  }

  /** Bytes that came and were not handed on, because the file was listed with fewer. */
  get surplus(): number {
    return this.#received - this.#handedOn;
  }

  /** The transfer was judged good. From here on it does not matter whether the reader stays. */
  get complete(): boolean {
    return this.#complete;
  }

  /** Resolves with the first byte, or the good end. Never rejects. */
  get opened(): Promise<void> {
    return this.#opened.promise;
  }

  /** Takes a chunk. Returns a promise when it is full: resolves when there is room again, or nobody reads any more. */
  write(chunk: Buffer): Promise<void> | undefined {
    this.#received += chunk.length;
    if (this.surplus > MOST_SURPLUS)
      throw new GatewayError('FTP_FAILED', `the file was listed with ${this.#size} bytes and does not end`);
    const part = this.#size === undefined ? chunk : chunk.subarray(0, Math.max(0, this.#size - this.#handedOn));
    if (part.length === 0 || this.destroyed) return undefined;
    this.#handedOn += part.length;
    this.#opened.resolve();
    if (this.#handedOn === this.#size) {
      this.#last = part;
      return undefined;
    }
    if (this.push(part)) return undefined;
    return new Promise((resolve) => {
      this.#room = resolve;
    });
  }

  /** The meter said that the transfer is complete. Throws when it was not. */
  finish(): void {
    if (this.#size !== undefined && this.#received < this.#size)
      throw new GatewayError(
        'FTP_FAILED',
        `the meter called the transfer complete after ${this.#received} of ${this.#size} bytes`,
      );
    this.#complete = true;
    if (this.#last) this.push(this.#last);
    this.push(null);
    this.#opened.resolve();
  }

  override _read(): void {
    this.#room?.();
    this.#room = undefined;
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this._read();
    done(error);
  }
}
