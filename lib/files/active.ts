/**
 * FTP active mode: the meter opens the data connection to a port of the gateway. (It refuses PASV with 502; field log
 * of an NL-43.)
 */
import { createServer, isIPv4, isIPv6, type Server, type Socket } from 'node:net';
import type { Readable } from 'node:stream';
import { GatewayError, messageOf } from '../errors.ts';

/** Both ports are part of the range. */
export interface PortRange {
  readonly first: number;
  readonly last: number;
}

interface ActiveOptions {
  /** Both ends of the control connection, from the socket. */
  readonly localAddress: string;
  readonly peerAddress: string;
  /** Sent to the meter in place of the local address: behind NAT, in a container. */
  readonly announcedAddress?: string | undefined;
  /** Ports to listen on; default: any free port. */
  readonly portRange?: PortRange | undefined;
  /** A connection from another address came and was closed. */
  readonly onForeignConnection: (address: string) => void;
}

export interface Listening {
  /** `PORT h1,h2,h3,h4,p1,p2` (RFC 959), `EPRT |2|address|port|` for IPv6 (RFC 2428). */
  readonly command: string;
  readonly announced: string;
  /** The first connection from the peer. Rejects when `close` comes first. */
  readonly arrived: Promise<Readable>;
  close(): void;
}

/** Rejects with FTP_DATA_CONNECTION when no port is free. */
export async function listenForMeter(options: ActiveOptions): Promise<Listening> {
  const address = plain(options.announcedAddress || options.localAddress);
  const server = createServer({ pauseOnConnect: true });
  const port = await listen(server, bindAddress(options), options.portRange);
  const { arrived, close } = acceptOne(server, options);
  return {
    command: isIPv6(address)
      ? `EPRT |2|${address}|${port}|`
      : `PORT ${[...address.split('.'), port >> 8, port & 255].join(',')}`,
    announced: isIPv6(address) ? `[${address}]:${port}` : `${address}:${port}`,
    arrived,
    close,
  };
}

/** An IPv4 address in IPv6 form is that IPv4 address; a zone (`%eth0`) has no meaning for the other side. */
export function plain(address: string): string {
  const bare = address.replace(/%.*$/, '').toLowerCase();
  const mapped = bare.replace(/^::ffff:/, '');
  return isIPv4(mapped) ? mapped : bare;
}

/**
 * With another announced address the interface is unknown, and a link-local address cannot be bound without its zone.
 * Then it listens on every interface.
 */
function bindAddress({ announcedAddress, localAddress }: ActiveOptions): string {
  const local = plain(localAddress);
  if (announcedAddress || local.startsWith('fe80:')) return isIPv4(plain(announcedAddress || local)) ? '0.0.0.0' : '::';
  return local;
}

async function listen(server: Server, host: string, range: PortRange | undefined): Promise<number> {
  for (const port of ports(range)) {
    try {
      await listenOn(server, host, port);
      const bound = server.address();
      return typeof bound === 'object' && bound ? bound.port : port;
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'EADDRINUSE'))
        throw new GatewayError(
          'FTP_DATA_CONNECTION',
          `The gateway cannot listen for the data connection of the meter (${messageOf(error)}).`,
          {
            cause: error,
          },
        );
    }
  }
  throw new GatewayError('FTP_DATA_CONNECTION', 'All ports of the range for FTP data connections are in use.');
}

let turn = 0;

/** Each time with the next port first: the modem of the meter may still hold a port that was just used. */
function ports(range: PortRange | undefined): number[] {
  if (!range || range.first === 0) return [0];
  const count = Math.max(1, range.last - range.first + 1);
  turn += 1;
  return Array.from({ length: count }, (_, index) => range.first + ((turn + index) % count));
}

function listenOn(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host, port, exclusive: true, backlog: 4 }, () => {
      server.off('error', reject);
      resolve();
    });
  });
}

function acceptOne(server: Server, { peerAddress, onForeignConnection }: ActiveOptions) {
  const { promise, resolve, reject } = Promise.withResolvers<Readable>();
  // A waiting caller gets the rejection; if nobody waits, it must not end the process.
  promise.catch(() => {});
  let accepted: Socket | undefined;
  let foreign = 0;
  const close = () => {
    server.close();
    accepted?.destroy();
    // An error costs as much as a small transfer, and nobody would get it after a connection.
    if (!accepted) reject(new Error('the data connection is closed'));
  };
  // A connection that was reset before the check has no address. While the gateway waits for the meter, it most likely
  // belongs to the meter.
  const gone = (socket: Socket) => {
    socket.destroy();
    reject(
      new GatewayError('FTP_DATA_CONNECTION', 'The data connection of the meter was reset as soon as it was open.'),
    );
  };
  server.on('error', close);
  server.on('connection', (socket) => {
    socket.on('error', () => {});
    if (socket.remoteAddress === undefined) return gone(socket);
    const from = plain(socket.remoteAddress);
    if (accepted || from !== plain(peerAddress)) {
      socket.destroy();
      foreign += 1;
      // One line in the log per session, whatever the number of connections.
      if (!accepted && foreign === 1) onForeignConnection(from);
      return;
    }
    accepted = socket;
    // The reader of the socket gets the error later.
    accepted.on('error', () => {});
    server.close();
    resolve(accepted);
  });
  return { arrived: promise, close };
}
