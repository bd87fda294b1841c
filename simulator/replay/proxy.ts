/**
 * The recording proxy: one client at a time, bytes untouched and in their segments both ways, ends and resets passed on. A
 * second client is reset, because a meter has one place as well. Knows no protocol.
 */
import { connect, createServer, type Server, type Socket } from 'node:net';
import type { Recorder } from './recorder.ts';
import type { Side } from './transcript.ts';

/** Both ends of the proxy. */
interface ProxyOptions {
  /** Where the meter is. */
  readonly to: { readonly host: string; readonly port: number };
  /** Default 127.0.0.1. */
  readonly host?: string;
  /** 0 takes any free port. */
  readonly port: number;
  readonly recorder: Recorder;
}

/** A port that records until it is closed. */
export interface Proxy {
  readonly port: number;
  /** Ends the present session and closes the port. The recorder stays open. */
  close(): Promise<void>;
}

/** Rejects where the port is taken. */
export async function startProxy(options: ProxyOptions): Promise<Proxy> {
  let present: Socket | null = null;
  const server = createServer({ allowHalfOpen: true, noDelay: true, pauseOnConnect: true }, (client) => {
    client.on('error', () => {});
    if (present) return void client.resetAndDestroy();
    present = client;
    client.once('close', () => {
      present = null;
    });
    relay(client, options);
  });
  await listen(server, options.port, options.host ?? '127.0.0.1');
  const address = server.address();
  return {
    port: typeof address === 'object' && address ? address.port : options.port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        present?.resetAndDestroy();
      }),
  };
}

/** A sleeping radio link needs some seconds; after that the meter counts as not there. */
const CONNECT_MS = 10_000;

function listen(server: Server, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve();
    });
  });
}

function relay(client: Socket, { to, recorder }: ProxyOptions): void {
  recorder.event('client', 'connects');
  const meter = connect({ ...to, allowHalfOpen: true, noDelay: true });
  meter.setTimeout(CONNECT_MS, () => meter.destroy(new Error(`no answer within ${CONNECT_MS} ms`)));
  meter.once('connect', () => {
    meter.setTimeout(0);
    pass(client, meter, 'client', recorder);
    pass(meter, client, 'meter', recorder);
    client.resume();
  });
  meter.on('error', (error: NodeJS.ErrnoException) => {
    if (meter.connecting || meter.bytesRead + meter.bytesWritten === 0) {
      recorder.comment(`the meter was not reached: ${error.code ?? error.message}`);
    }
    client.resetAndDestroy();
  });
  client.once('close', () => meter.destroy());
}

/** One direction, at the pace of the receiver. */
function pass(from: Socket, to: Socket, side: Side, recorder: Recorder): void {
  from.on('data', (bytes: Buffer) => {
    recorder.bytes(side, bytes);
    if (!to.write(bytes)) from.pause();
  });
  to.on('drain', () => from.resume());
  from.once('end', () => {
    recorder.event(side, 'ends');
    to.end();
  });
  from.once('error', () => {
    recorder.event(side, 'resets');
    to.resetAndDestroy();
  });
}
