/** Bytes into a data connection, no faster than they are taken, and the breaks that a test asked for. */
import { once } from 'node:events';
import type { Socket } from 'node:net';

/** Where a transfer breaks, as a test asked. */
export interface Breaks {
  /** After this many bytes; null for never. */
  readonly cutAfterBytes: number | null;
  readonly stallAfterBytes: number | null;
  /** How long a slow card needs for this many bytes. */
  wait?(bytes: number): Promise<void> | undefined;
}

/**
 * - `complete`: everything was taken and the connection ended properly
 * - `cut`: the break was reached; the connection is still open, its end is the caller's
 * - `lost`: the client left, the content broke, or the signal aborted; the connection is destroyed
 */
export type Outcome = 'complete' | 'cut' | 'lost';

/** Resolves with how it ended: complete, cut, or lost with its connection. */
export async function transfer(
  socket: Socket,
  content: Iterable<Uint8Array>,
  breaks: Breaks,
  signal: AbortSignal,
): Promise<Outcome> {
  const left = new AbortController();
  const leave = () => left.abort();
  socket.once('close', leave);
  if (socket.destroyed) leave();
  socket.resume(); // or the client's end would never be seen
  try {
    return await pump(socket, content, breaks, AbortSignal.any([signal, left.signal]));
  } catch {
    socket.destroy();
    return 'lost';
  } finally {
    socket.removeListener('close', leave);
  }
}

/** Rejects when the signal aborts. */
async function pump(
  socket: Socket,
  content: Iterable<Uint8Array>,
  { cutAfterBytes, stallAfterBytes, wait }: Breaks,
  signal: AbortSignal,
): Promise<'complete' | 'cut'> {
  const cut = cutAfterBytes ?? Infinity;
  const stall = stallAfterBytes ?? Infinity;
  let left = Math.min(cut, stall);
  for (const piece of content) {
    signal.throwIfAborted();
    const part = piece.length > left ? piece.subarray(0, left) : piece;
    left -= part.length;
    await wait?.(part.length);
    if (part.length > 0) await taken(socket, part, signal);
    if (left > 0) continue;
    if (cut < stall) return 'cut';
    await once(signal, 'abort');
    signal.throwIfAborted();
  }
  await ended(socket, signal);
  return 'complete';
}

/** Resolves when the system has the bytes, and not before the event loop has been round. */
async function taken(socket: Socket, bytes: Uint8Array, signal: AbortSignal): Promise<void> {
  await settled(signal, (done) => socket.write(bytes, done));
  await new Promise((resolve) => setImmediate(resolve));
}

const ended = (socket: Socket, signal: AbortSignal): Promise<void> =>
  settled(signal, (done) => socket.end(() => done()));

function settled(signal: AbortSignal, begin: (done: (error?: Error | null) => void) => void): Promise<void> {
  signal.throwIfAborted();
  return new Promise((resolve, reject) => {
    const abandon = () => reject(signal.reason);
    signal.addEventListener('abort', abandon, { once: true });
    begin((error) => {
      signal.removeEventListener('abort', abandon);
      if (error) reject(error);
      else resolve();
    });
  });
}
