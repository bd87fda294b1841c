/**
 * One transfer over a data connection: it is done when the data has ended and the control connection has confirmed it,
 * in any order. Both are necessary. Time limits: for the meter while the gateway waits for the meter, for the reader
 * while the transfer waits for the reader.
 */
import type { Readable } from 'node:stream';
import { type Clock, unlessAborted, within } from '../clock.ts';
import { inSeconds } from '../domain/figures.ts';
import { GatewayError, isGatewayError, messageOf } from '../errors.ts';
import { reachable } from './faults.ts';
import { EnoughRead } from './outlet.ts';

/** Takes chunks. Returns a promise when it is full for now; throws when it wants no more. */
export interface Sink {
  write(chunk: Buffer): Promise<void> | undefined;
}

/** Both ends of a transfer, and its times in ms. */
export interface TransferParts {
  readonly clock: Clock;
  /** Longest silence of the meter. */
  readonly timeoutMs: number;
  /** Longest time that a reader may take nothing. */
  readonly readerMs: number;
  /** Address and port that the meter should connect to; undefined in passive mode. */
  readonly announced: string | undefined;
  /** The data connection, when it exists. */
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

/** The data has ended; the confirmation should come soon. */
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

/** Drops the data connection after a long silence. A new wait replaces the earlier one. */
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
