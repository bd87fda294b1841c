/**
 * The reader's end of a download. Keeps at most its buffer (128 KB) and reports when it is full. It ends only after a
 * complete transfer; otherwise it breaks, so that a short file never looks complete. If the size is known, the last
 * chunk waits until then: a reader who counts bytes would otherwise take the file as complete too early, and leave. If
 * more bytes arrive than listed, the listed bytes are complete: the reader gets its end then, even if the file still
 * grows.
 */
import { Readable } from 'node:stream';
import { GatewayError } from '../errors.ts';

/**
 * Up to this many further bytes are read and dropped, so that the transfer can end regularly. Then it is broken off.
 */
const MOST_SURPLUS = 1024 * 1024;

/** The file still grows, and the reader has all listed bytes: the transfer can be ended. */
export class EnoughRead extends Error {}

/** Read it like any stream: it fails if the transfer failed or the file is not complete. */
export class Outlet extends Readable {
  /** Listed bytes; undefined if unknown. The reader gets at most this many; fewer are an error. */
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
    // An error before anybody reads must not end the process; a reader still gets it.
    this.on('error', () => {});
  }

  /** Bytes that arrived and were dropped, because the listing had fewer. */
  get surplus(): number {
    return this.#received - this.#handedOn;
  }

  /** The transfer was complete. From here on the reader may leave. */
  get complete(): boolean {
    return this.#complete;
  }

  /** Resolves with the first byte, or with the regular end. Never rejects. */
  get opened(): Promise<void> {
    return this.#opened.promise;
  }

  /**
   * Takes a chunk. When the buffer is full, returns a promise: it resolves when there is room again, or when the reader
   * has left.
   */
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

  /** The meter reported the end of the transfer. Throws if the file is not complete. */
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
