/**
 * The chunks that a file comes in. Node reads at most 64 KB at a time, into memory that is new each time: more than half of what a
 * download cost. Here a read takes up to 256 KB, into memory that is used again as soon as the reader has given it back.
 */
import { Socket, type SocketConstructorOpts } from 'node:net';

const CHUNK_BYTES = 262_144;
/** A chunk of fewer bytes is copied: a slow meter sends a kilobyte at a time, and each would hold a quarter of a megabyte. */
const WORTH_KEEPING = 65_536;
/** Kept for the next reads, of all downloads together. */
const MOST_SPARE = 4;
const spare: ArrayBuffer[] = [];

/**
 * Takes back the memory of a chunk that nobody reads any more. The chunk is empty then: a late reader never sees bytes of another
 * file. Memory that is not used again is freed at once: the garbage collector would let about 50 MB collect. A chunk that shares its memory
 * is left as it is.
 */
export function release({ buffer, byteLength }: Uint8Array): void {
  if (!(buffer instanceof ArrayBuffer) || byteLength === 0) return;
  if (buffer.byteLength === CHUNK_BYTES && spare.length < MOST_SPARE) spare.push(buffer.transfer());
  else if (buffer.byteLength === CHUNK_BYTES || buffer.byteLength === byteLength) buffer.transfer(0);
}

/**
 * The same connection, paused, with 'data' events of large chunks. Node has such reads for sockets that it opens (`onread`), not for
 * those that it accepts: the connection is handed over to a socket of the other kind.
 */
export function inLargeChunks(accepted: Socket): Socket {
  const old = accepted as unknown as { _handle: unknown };
  let next = room();
  const read = (bytes: number): Buffer => {
    const chunk = next.subarray(0, bytes);
    if (bytes < WORTH_KEEPING) return Buffer.from(chunk);
    next = room();
    return chunk;
  };
  const onread = { buffer: () => next, callback: (bytes: number) => socket.emit('data', read(bytes)) };
  const socket = new Socket({ handle: old._handle, pauseOnCreate: true, onread } as SocketConstructorOpts);
  socket.once('close', () => release(next));
  old._handle = null;
  accepted.destroy();
  return socket;
}

const room = (): Buffer => Buffer.from(spare.pop() ?? new ArrayBuffer(CHUNK_BYTES));
