/** Peers that mean harm, and what must hold after each of them: the process alive and prompt, its memory flat. */
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { Test } from 'tap';
import type { World } from '../../support/world.ts';

export interface Hostile {
  readonly config: { readonly host: string; readonly tcp_port: number; readonly ftp_enabled: false };
  /** Connections that are open now, and all there were. */
  readonly open: () => number;
  readonly connects: () => number;
  /** Bytes that the gateway sent. */
  readonly heard: () => string;
  /** Called with each command line, or chunk, from now on. */
  act: (socket: Socket, line: string) => void;
}

/** Answers well until the test turns it. */
export async function hostileMeter(t: Test, greet: (socket: Socket) => void = () => {}): Promise<Hostile> {
  const sockets = new Set<Socket>();
  let connects = 0;
  let heard = '';
  const server = createServer((socket) => {
    connects += 1;
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => sockets.delete(socket));
    socket.on('data', (bytes) => {
      heard += bytes.toString('latin1');
      for (const line of bytes.toString('latin1').split('\r\n').filter(Boolean)) peer.act(socket, line);
    });
    greet(socket);
  });
  const peer: Hostile = {
    config: { host: '127.0.0.1', tcp_port: 0, ftp_enabled: false },
    open: () => sockets.size,
    connects: () => connects,
    heard: () => heard,
    act: (socket) => void socket.write('R+0000\r\n$'),
  };
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return Object.assign(peer, { config: { ...peer.config, tcp_port: (server.address() as AddressInfo).port } });
}

/** Writes as fast as the other side takes it, until it has gone. */
export function pour(socket: Socket, chunk: Uint8Array | string): void {
  const bytes = Buffer.from(chunk);
  const more = () => {
    while (!socket.destroyed && socket.writable && socket.write(bytes));
  };
  socket.on('drain', more);
  more();
}

/** A flood that was kept would be more. */
const MOST_MB = 24;

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

/** MB that are in use after everything that is garbage has gone. */
export function memoryMb(): number {
  // Buffers go with the second time.
  collect();
  collect();
  return withGarbageMb();
}

function withGarbageMb(): number {
  const { heapUsed, external } = process.memoryUsage();
  return (heapUsed + external) / 1_048_576;
}

/** Alive, prompt for everybody else (time stands still meanwhile), and no larger than before. */
export async function holds(t: Test, world: World, beforeMb: number): Promise<void> {
  const health = await fetch(new URL('/health', world.base));
  await health.text();
  t.equal(health.status, 200, 'the process answers at once');
  // Collecting takes long: what is small with its garbage is small.
  const rough = withGarbageMb() - beforeMb;
  const grown = rough < MOST_MB ? rough : memoryMb() - beforeMb;
  t.ok(grown < MOST_MB, `memory is flat: ${grown.toFixed(1)} MB more`);
}
