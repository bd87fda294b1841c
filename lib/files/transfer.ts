/**
 * One transfer over a data connection: it is done when the data has ended and the control connection has confirmed it,
 * in any order. Both are necessary. Time limits: for the meter while the gateway waits for the meter, for the reader
 * while the transfer waits for the reader.
 */
import { Readable } from 'node:stream';
import { type Clock, unlessAborted, within } from '../clock.ts';
import { inSeconds } from '../domain/figures.ts';
import { GatewayError, isGatewayError, messageOf } from '../errors.ts';
import { reachable } from './faults.ts';

/** So many further bytes are read and dropped, so that the transfer can end regularly. */
const MOST_SURPLUS = 1024 * 1024;

/** The file still grows, and the reader has all listed bytes: the transfer can be ended. */
class EnoughRead extends Error {}

/**
 * The reader's end of a download. Keeps at most its buffer (128 KB) and reports when it is full. It ends only after a
 * complete transfer; otherwise it breaks. If the size is known, the last chunk waits until then: a reader who counts
 * bytes would otherwise leave too early. If more bytes arrive than listed, the reader gets its end with the listed ones.
 */
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

  get surplus(): number {
    return this.#received - this.#handedOn;
  }

  get complete(): boolean {
    return this.#complete;
  }

  /** Resolves with the first byte, or with the regular end. Never rejects. */
  get opened(): Promise<void> {
    return this.#opened.promise;
  }

  /** When the buffer is full, returns a promise: it resolves when there is room again, or when the reader has left. */
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

/** Takes chunks. Returns a promise when it is full for now; throws when it wants no more. */
export interface Sink {
  write(chunk: Buffer): Promise<void> | undefined;
}

interface TransferParts {
  readonly clock: Clock;
  readonly timeoutMs: number;
  readonly readerMs: number;
  /** Address and port that the meter should connect to; undefined in passive mode. */
  readonly announced: string | undefined;
  readonly arrived: Promise<Readable>;
  /** Sends the command; settles with the final reply. */
  readonly command: () => Promise<unknown>;
}

/** The caller ends control and data connection when this rejects. */
export async function transfer(parts: TransferParts, sink: Sink, signal: AbortSignal): Promise<void> {
  const stop = new AbortController();
  const either = AbortSignal.any([signal, stop.signal]);
  const verdict = parts.command();
  const body = receive(parts, sink, either).then(() => closing(parts, verdict, either));
  try {
    await unlessAborted(Promise.all([verdict, body]), signal);
  } catch (error) {
    stop.abort(error);
    verdict.catch(() => {});
    throw error;
  }
}

/** Without iteration and promises per chunk: they would cost more than the copying. */
async function receive(parts: TransferParts, sink: Sink, signal: AbortSignal): Promise<void> {
  const data = await inTime(parts, parts.timeoutMs, parts.arrived, noConnection(parts), signal);
  const { promise: over, resolve, reject } = Promise.withResolvers<void>();
  const drop = () => data.destroy(signal.reason);
  const watch = watchdog(parts.clock, data);
  const expect = () => watch.await(parts.timeoutMs, stalled(parts.timeoutMs));
  let began = false;
  const take = (chunk: Buffer) => {
    began = true;
    const room = sink.write(chunk);
    if (!room) return expect();
    data.pause();
    watch.await(parts.readerMs, unread(parts.readerMs));
    room.then(() => {
      expect();
      data.resume();
    }, reject);
  };
  signal.addEventListener('abort', drop, { once: true });
  try {
    signal.throwIfAborted();
    expect();
    data.once('error', reject).once('end', resolve);
    data.once('close', () => reject(new Error('it was closed before its end')));
    data.on('data', (chunk) => {
      try {
        take(chunk);
      } catch (error) {
        reject(error);
      }
    });
    // A socket that was accepted is paused.
    data.resume();
    await over;
  } catch (error) {
    signal.throwIfAborted();
    throw isGatewayError(error) || error instanceof EnoughRead ? error : broken(error, began);
  } finally {
    watch.rest();
    data.pause();
    signal.removeEventListener('abort', drop);
  }
}

const unread = (ms: number) => () =>
  new GatewayError('FTP_FAILED', `The transfer was given up: nobody took the data for ${inSeconds(ms)}.`);

function broken(error: unknown, began: boolean): GatewayError {
  const when = began ? 'in the middle of a transfer' : 'before its first byte';
  const detail = `The data connection of the meter broke ${when} (${messageOf(error)}).`;
  return new GatewayError(began ? 'FTP_FAILED' : 'FTP_DATA_CONNECTION', detail, { cause: error });
}

const closing = (parts: TransferParts, verdict: Promise<unknown>, signal: AbortSignal) =>
  inTime(
    parts,
    parts.timeoutMs,
    verdict,
    () =>
      new GatewayError(
        'DEVICE_TIMEOUT',
        `The meter did not confirm the transfer within ${inSeconds(parts.timeoutMs)}.`,
      ),
    signal,
  );

const noConnection = (parts: TransferParts) => () =>
  new GatewayError(
    'FTP_DATA_CONNECTION',
    `There was no data connection from the meter within ${inSeconds(parts.timeoutMs)}: ${reachable(parts.announced)}.`,
  );

async function inTime<T>(
  { clock }: TransferParts,
  ms: number,
  work: Promise<T>,
  late: () => Error,
  signal: AbortSignal,
): Promise<T> {
  return within(clock, ms, late, (limit) => unlessAborted(work, limit), signal);
}

const stalled = (ms: number) => () =>
  new GatewayError('DEVICE_TIMEOUT', `The meter sent nothing for ${inSeconds(ms)} in the middle of a transfer.`);

function watchdog(clock: Clock, data: Readable) {
  let cancel = () => {};
  return {
    rest: () => cancel(),
    await(ms: number, late: () => Error) {
      cancel();
      cancel = clock.after(ms, () => data.destroy(late()));
    },
  };
}
