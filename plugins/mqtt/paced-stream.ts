/**
 * The connection to the broker in small pieces. The MQTT library works through all that it is given before anything else has its
 * turn, and one read of a socket brings up to 64 KB: sixteen thousand confirmations.
 */
import { connect, isIP, type Socket } from 'node:net';
import { Duplex, Readable } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import { connect as connectByTls } from 'node:tls';
import type { IClientOptions } from 'mqtt';

/** Bytes that are worked through in one turn: at most 512 confirmations. */
const PIECE_BYTES = 1_024;

/** A new connection; what is wrong with it comes as the event `error`. */
export function pacedStream({ protocol, host = '', port = 0, ca, cert, key }: IClientOptions): Duplex {
  const name = isIP(host) === 0 ? { servername: host } : {};
  const own = { ...(ca && { ca }), ...(cert && { cert }), ...(key && { key }) };
  const socket = protocol === 'mqtts' ? connectByTls({ host, port, ...name, ...own }) : connect({ host, port });
  const stream = Duplex.from({ readable: Readable.from(piecesOf(socket), { objectMode: false }), writable: socket });
  socket.once('error', (error) => stream.destroy(error));
  // Half of a connection is of no use to MQTT.
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
