/**
 * The reader's end of a download. Holds at most its buffer (128 KB) and says when it is full. It ends only when the
 * transfer was judged good; in every other case it breaks, so that a short file never looks whole. Of a file of known size
 * the last chunk waits for the judgement: a reader who counts would take the file for whole before it, and leave. Where more
 * bytes come than were listed, the listed ones are whole: the reader has its end then, however long the file grows on.
 */
import { Readable } from 'node:stream';
import { GatewayError } from '../errors.ts';

/** So much of what a file grew by is read and dropped, to let the transfer end by itself. Then it is broken off. */
const MOST_SURPLUS = 1024 * 1024;

/** Nothing more is wanted of a file that goes on growing; the reader has what was listed. */
export class EnoughRead extends Error {}

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
    super({ highWaterMark: 128 * 1024 });
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
    const part = this.#size === undefined ? chunk : chunk.subarray(0, Math.max(0, this.#size - this.#handedOn));
    this.#handedOn += part.length;
    if (this.surplus > 0) return this.#endGrown(part);
    if (part.length === 0 || this.destroyed) return undefined;
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

  #endGrown(part: Buffer): undefined {
    if (this.surplus > MOST_SURPLUS) throw new EnoughRead('the file goes on growing');
    if (this.#complete) return undefined;
    this.#last = this.#last && part.length > 0 ? Buffer.concat([this.#last, part]) : (this.#last ?? part);
    this.#end();
    return undefined;
  }

  #end(): void {
    if (this.#complete) return;
    this.#complete = true;
    if (this.#last?.length) this.push(this.#last);
    this.push(null);
    this.#opened.resolve();
  }

  /** The meter said that the transfer is complete. Throws when it was not. */
  finish(): void {
    if (this.#size !== undefined && this.#received < this.#size)
      throw new GatewayError(
        'FTP_FAILED',
        `The meter called the transfer complete after ${this.#received} of ${this.#size} bytes.`,
      );
    this.#end();
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
