/**
 * One transfer over a data connection: done when the data came to its end and the control connection said so, whichever
 * is first. Only one of the two is no transfer. Time limits: for the meter while it is its turn, for the reader while
 * it holds everything up.
 */
import type { Readable } from 'node:stream';
import { type Clock, unlessAborted, within } from '../clock.ts';
import { GatewayError, isGatewayError, messageOf } from '../errors.ts';
import { reachable } from './faults.ts';
import { EnoughRead } from './outlet.ts';

/** Takes what comes. Returns a promise when it is full for now; throws when it wants no more. */
export interface Sink {
  write(chunk: Buffer): Promise<void> | undefined;
}

export interface TransferParts {
  readonly clock: Clock;
  /** Longest silence of the meter. */
  readonly timeoutMs: number;
  /** Longest time that a reader may take nothing. */
  readonly readerMs: number;
  /** Where the meter was told to connect to; undefined in passive mode. */
  readonly announced: string | undefined;
  /** The data connection, once it is there. */
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

async function receive(parts: TransferParts, sink: Sink, signal: AbortSignal): Promise<void> {
  const data = await inTime(parts, parts.timeoutMs, parts.arrived, noConnection(parts), signal);
  const drop = () => data.destroy(signal.reason);
  signal.addEventListener('abort', drop, { once: true });
  const watch = watchdog(parts, data);
  let began = false;
  try {
    signal.throwIfAborted();
    watch.expect();
    for await (const chunk of data) {
      began = true;
      const room = sink.write(chunk);
      if (room) {
        watch.rest();
        await inTime(parts, parts.readerMs, room, unread(parts.readerMs), signal);
      }
      watch.expect();
    }
  } catch (error) {
    signal.throwIfAborted();
    throw isGatewayError(error) || error instanceof EnoughRead ? error : broken(error, began);
  } finally {
    watch.rest();
    signal.removeEventListener('abort', drop);
  }
}

const unread = (ms: number) => () =>
  new GatewayError('FTP_FAILED', `The transfer was given up: nobody took the data for ${ms} ms.`);

function broken(error: unknown, began: boolean): GatewayError {
  const when = began ? 'in the middle of a transfer' : 'before its first byte';
  const detail = `The data connection of the meter broke ${when} (${messageOf(error)}).`;
  return new GatewayError(began ? 'FTP_FAILED' : 'FTP_DATA_CONNECTION', detail, { cause: error });
}

/** The data is through; the verdict may not be far. */
const closing = (parts: TransferParts, verdict: Promise<unknown>, signal: AbortSignal) =>
  inTime(
    parts,
    parts.timeoutMs,
    verdict,
    () => new GatewayError('DEVICE_TIMEOUT', `The meter did not confirm the transfer within ${parts.timeoutMs} ms.`),
    signal,
  );

const noConnection = (parts: TransferParts) => () =>
  new GatewayError(
    'FTP_DATA_CONNECTION',
    `There was no data connection from the meter within ${parts.timeoutMs} ms: ${reachable(parts.announced)}.`,
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

/** Drops the data connection when the meter sends nothing for too long while it is expected to. */
function watchdog({ clock, timeoutMs }: TransferParts, data: Readable) {
  let cancel = () => {};
  const stalled = () =>
    new GatewayError('DEVICE_TIMEOUT', `The meter sent nothing for ${timeoutMs} ms in the middle of a transfer.`);
  return {
    rest: () => cancel(),
    expect() {
      cancel();
      cancel = clock.after(timeoutMs, () => data.destroy(stalled()));
    },
  };
}
