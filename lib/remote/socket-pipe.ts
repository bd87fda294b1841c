/** A message pipe between two instances over a WebSocket. Who is silent for too long counts as gone: a computer that died sends no end. */
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { type RawData, WebSocket, WebSocketServer } from 'ws';
import type { Clock } from '../clock.ts';
import { messageOf } from '../errors.ts';
import type { MessagePipe } from './contract.ts';

/** Time between two pings, ms. */
const PING_MS = 5_000;
/** Silence after which the other instance counts as gone, ms. */
const DEAD_MS = 20_000;
/** Of one message, bytes: what was kept for two minutes comes in pieces that are smaller. */
const MOST_BYTES = 8_000_000;
/** A peer that does not answer our close frame is dropped after this time, ms. */
const CLOSE_MS = 2_000;

const OPTIONS = { perMessageDeflate: false, maxPayload: MOST_BYTES, closeTimeout: CLOSE_MS } as const;

/** `url`: ws://HOST:PORT/PATH or wss://. Rejects where it is not opened, or with the reason of the signal. */
export function dialPipe(
  url: string,
  headers: Readonly<Record<string, string>>,
  clock: Clock,
  signal: AbortSignal,
): Promise<MessagePipe> {
  if (signal.aborted) return Promise.reject(signal.reason);
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(url, { ...OPTIONS, headers });
    const abandon = () => {
      socket.terminate();
      reject(signal.reason);
    };
    signal.addEventListener('abort', abandon, { once: true });
    socket.once('error', reject);
    socket.once('open', () => {
      signal.removeEventListener('abort', abandon);
      resolve(new SocketPipe(socket, clock));
    });
  });
}

/** Takes handshakes that others have let in. */
export class PipeDoor {
  readonly #server = new WebSocketServer({ ...OPTIONS, noServer: true });
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** `opened` gets the pipe when the handshake is over; a handshake that is no WebSocket is refused. */
  open(request: IncomingMessage, socket: Duplex, head: Buffer, opened: (pipe: MessagePipe) => void): void {
    this.#server.handleUpgrade(request, socket, head, (webSocket) => opened(new SocketPipe(webSocket, this.#clock)));
  }
}

class SocketPipe implements MessagePipe {
  readonly ended: Promise<string>;
  readonly #socket: WebSocket;
  /** Messages that came before anybody listened. */
  #early: unknown[] | undefined = [];
  #listener: (message: unknown) => void = (message) => this.#early?.push(message);
  #reason: string | undefined;

  constructor(socket: WebSocket, clock: Clock) {
    this.#socket = socket;
    this.ended = new Promise((resolve) => {
      socket.once('close', (_code, text) => {
        stop();
        resolve(this.#reason ?? (String(text) || 'the other instance has ended the connection'));
      });
    });
    socket.on('error', (error) => {
      this.#reason ??= messageOf(error);
    });
    const stop = this.#keepAlive(clock);
    socket.on('message', (data, isBinary) => this.#take(data, isBinary));
  }

  get waiting(): number {
    return this.#socket.bufferedAmount;
  }

  send(message: object): void {
    if (this.#socket.readyState === WebSocket.OPEN) this.#socket.send(JSON.stringify(message));
  }

  receive(listener: (message: unknown) => void): void {
    const early = this.#early ?? [];
    this.#early = undefined;
    this.#listener = listener;
    for (const message of early) listener(message);
  }

  close(reason: string): void {
    this.#reason ??= reason;
    this.#socket.close(1000);
  }

  #take(data: RawData, isBinary: boolean): void {
    try {
      if (isBinary) throw new Error('a message is no text');
      this.#listener(JSON.parse(String(data)));
    } catch (error) {
      this.#reason ??= messageOf(error);
      this.#socket.terminate();
    }
  }

  /** Returns what ends it. */
  #keepAlive(clock: Clock): () => void {
    const socket = this.#socket;
    let cancelPing = () => {};
    let heardAt = clock.elapsed();
    const heard = () => {
      heardAt = clock.elapsed();
    };
    const ping = () => {
      if (clock.elapsed() - heardAt >= DEAD_MS) {
        this.#reason ??= 'the other instance is silent';
        socket.terminate();
        return;
      }
      if (socket.readyState === WebSocket.OPEN) socket.ping();
      cancelPing = clock.after(PING_MS, ping);
    };
    socket.on('pong', heard);
    socket.on('message', heard);
    cancelPing = clock.after(PING_MS, ping);
    return () => cancelPing();
  }
}
