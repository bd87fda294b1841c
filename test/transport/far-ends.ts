/** The far end of the contract suite on raw sockets and in memory, and the wait for bytes of both. */
import type { Socket } from 'node:net';
import type { ByteStream } from '../../lib/transport/contract.ts';
import type { FarEnd } from '../contract/transport.ts';

/** Bytes that arrive, handed out in the pieces that the test asks for. */
function inbox() {
  let text = '';
  let wanted: { count: number; resolve: (text: string) => void } | undefined;
  const serve = () => {
    if (!wanted || text.length < wanted.count) return;
    const { count, resolve } = wanted;
    wanted = undefined;
    resolve(text.slice(0, count));
    text = text.slice(count);
  };
  return {
    put(chunk: Uint8Array): void {
      text += Buffer.from(chunk).toString('latin1');
      serve();
    },
    read: (count: number): Promise<string> =>
      new Promise((resolve) => {
        wanted = { count, resolve };
        serve();
      }),
  };
}

export function socketEnd(socket: Socket): FarEnd {
  const { put, read } = inbox();
  socket.on('data', put);
  const gone = new Promise<'closed' | 'reset'>((resolve) => {
    socket.once('end', () => resolve('closed'));
    socket.on('error', (error) => 'code' in error && error.code === 'ECONNRESET' && resolve('reset'));
  });
  return {
    read,
    gone,
    write: (text) => socket.write(text, 'latin1'),
    close: () => socket.end(),
    reset: () => socket.resetAndDestroy(),
  };
}

export function memoryEnd(connection: ByteStream): FarEnd {
  const { put, read } = inbox();
  connection.receive(put);
  return {
    read,
    gone: connection.ended.then(({ by }) => (by === 'peer' ? 'closed' : 'reset')),
    write: (text) => connection.send(Buffer.from(text, 'latin1')),
    close: () => connection.close('the test is over with it'),
    reset: () => connection.destroy('the test breaks it'),
  };
}

/** First come, first served, in either order. */
export function arrivals<T>() {
  const here: T[] = [];
  const waiting: ((item: T) => void)[] = [];
  return {
    add(item: T): void {
      const next = waiting.shift();
      if (next) next(item);
      else here.push(item);
    },
    next(): Promise<T> {
      const item = here.shift();
      return item === undefined ? new Promise((resolve) => waiting.push(resolve)) : Promise.resolve(item);
    },
  };
}
