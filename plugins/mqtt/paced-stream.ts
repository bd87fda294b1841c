/**
 * The connection to the broker in small parts. The MQTT library parses all bytes of a read before other code can run. One
 * read of a socket brings up to 64 KB: sixteen thousand confirmations.
 */
import { connect, isIP, type Socket } from 'node:net';
import { Duplex, Readable } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import { connect as connectByTls } from 'node:tls';
import type { IClientOptions } from 'mqtt';

/** Bytes that are parsed in one turn: at most 512 confirmations. */
const PIECE_BYTES = 1_024;

/** A new connection; its errors come as the event `error`. */
export function pacedStream({ protocol, host = '', port = 0, ca, cert, key }: IClientOptions): Duplex {
  const name = isIP(host) === 0 ? { servername: host } : {};
  const own = { ...(ca && { ca }), ...(cert && { cert }), ...(key && { key }) };
  const socket = protocol === 'mqtts' ? connectByTls({ host, port, ...name, ...own }) : connect({ host, port });
  const stream = Duplex.from({ readable: Readable.from(piecesOf(socket), { objectMode: false }), writable: socket });
  socket.once('error', (error) => stream.destroy(error));
  // MQTT cannot use one half of a connection.
  stream.once('end', () => stream.destroy());
  return stream;
}

async function* piecesOf(socket: Socket): AsyncGenerator<Buffer> {
  for await (const chunk of socket as AsyncIterable<Buffer>) {
    for (let at = 0; at < chunk.length; at += PIECE_BYTES) {
      yield chunk.subarray(at, at + PIECE_BYTES);
      if (at + PIECE_BYTES < chunk.length) await turn();
    }
  }
}
