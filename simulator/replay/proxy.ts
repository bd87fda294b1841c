/**
 * The recording proxy: one client at a time, bytes untouched and in their segments both ways, ends and resets passed on. A
 * second client is reset, because a meter has one place as well. Knows no protocol.
 * The session does not depend on the file: if it cannot be written, or is too slow, the recording has a gap and a note about it.
 */
import { connect, createServer, type Socket } from 'node:net';
import type { Writable } from 'node:stream';
import type { Clock } from '../contract.ts';
import { listening } from '../sockets.ts';
import { type ConnectionEvent, type Entry, formatEntry, formatTranscript, HEAD, type Side } from './transcript.ts';

interface ProxyOptions {
  readonly to: { readonly host: string; readonly port: number };
  readonly port: number;
  readonly recorder: Recorder;
}

/** A port that records until it is closed. */
export interface Proxy {
  readonly port: number;
  /** Ends the present session and closes the port. The recorder stays open. */
  close(): Promise<void>;
}

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
  return {
    port: await listening(server, options.port, '127.0.0.1'),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        present?.resetAndDestroy();
      }),
  };
}

/** A sleeping radio link needs some seconds; after that the meter counts as not there. */
const CONNECT_MS = 10_000;

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

/** Text that waits for the file; more than this is lost. */
const MOST_WAITING = 8 * 1_048_576;

/** Never throws. */
interface Recorder {
  bytes(side: Side, bytes: Uint8Array): void;
  event(side: Side, what: ConnectionEvent): void;
  comment(text: string): void;
  /** Resolves when the file is complete, or will never be. */
  close(): Promise<void>;
  /** Segments and events that the file does not have. */
  readonly lost: number;
}

/** `failed` is called once, with the first reason for a gap. */
export function createRecorder(
  file: Writable,
  clock: Clock,
  title: string,
  failed: (reason: Error) => void = () => {},
): Recorder {
  const beganAt = clock.elapsed();
  const at = () => clock.elapsed() - beganAt;
  let broken = false;
  let lost = 0;
  let gap = 0;
  let told = false;
  const tell = (reason: Error) => {
    if (!told) failed(reason);
    told = true;
  };
  file.on('error', (reason) => {
    broken = true;
    tell(reason);
  });
  file.write(formatTranscript([...HEAD, title].map((text) => ({ kind: 'comment', text }))));

  const lose = () => {
    lost += 1;
    gap += 1;
    if (!broken) tell(new Error('the file does not keep up'));
  };
  const write = (entry: Entry) => {
    if (broken || file.writableLength > MOST_WAITING) return lose();
    if (gap > 0) file.write(gone(gap));
    gap = 0;
    file.write(formatEntry(entry));
  };
  return {
    get lost() {
      return lost;
    },
    bytes: (side, bytes) => write({ kind: 'bytes', side, at: at(), bytes }),
    event: (side, what) => write({ kind: 'event', side, at: at(), what }),
    comment: (text) => write({ kind: 'comment', text }),
    close: () =>
      new Promise((resolve) => {
        if (file.closed || file.destroyed) return resolve();
        file.once('close', resolve);
        file.end(gap > 0 ? gone(gap) : '');
      }),
  };
}

const gone = (entries: number) =>
  formatEntry({ kind: 'comment', text: `here ${entries} ${entries === 1 ? 'entry is' : 'entries are'} missing` });
