/** One WebSocket client, after the handshake. */
import type { RawData, WebSocket } from 'ws';
import type { Clock } from '../clock.ts';
import { GatewayError } from '../errors.ts';
import { guarded } from '../guarded.ts';
import type { Log } from '../log.ts';
import type { ValueCheck } from './checks.ts';
import type { Client } from './contract.ts';

/** Messages, pings and pongs within `SPAN_MS`. A dashboard that sends one message a second stays well below. */
const MOST = 100;
const SPAN_MS = 10_000;
/** Pongs within `SPAN_MS` that answer our own pings. */
const ANSWERS = 2;
/** Limit for the text of a close frame (RFC 6455, 5.5.1); a longer text is an error of the socket. */
const MOST_REASON_BYTES = 123;

/** Pings show whether a client is still connected. */
export interface Heartbeat {
  readonly clock: Clock;
  /** Time between two pings, ms. */
  readonly pingMs: number;
  /** Silence after which the client counts as gone, ms; above `pingMs`. */
  readonly deadMs: number;
}

interface ClientParts {
  /** Aborts when the connection has closed, whoever closed it. */
  readonly gone: AbortSignal;
  readonly heartbeat: Heartbeat;
  /** Asked on every ping: a client whose key was revoked or has expired is closed with 1008. */
  readonly stillValid: () => boolean;
  /** Check of messages of the client. Undefined: the messages are dropped. */
  readonly checkMessage: ValueCheck | undefined;
  readonly log: () => Log;
}

/** For a socket whose handshake is over. */
export function createClient(socket: WebSocket, parts: ClientParts): Client {
  const { heartbeat, stillValid, gone } = parts;
  socket.once('close', keepAlive(socket, heartbeat, stillValid));
  socket.once('close', limitMessageRate(socket, heartbeat.clock));
  const send = (message: object | string) => {
    if (socket.readyState !== socket.OPEN) return;
    socket.send(typeof message === 'string' ? message : JSON.stringify(message));
  };
  return {
    send,
    get buffered() {
      return socket.bufferedAmount;
    },
    onMessage(listener) {
      socket.on('message', (data, isBinary) => {
        if (socket.readyState === socket.OPEN && stillValid()) receive(data, isBinary, parts, send, listener);
      });
    },
    close: (code, reason) => socket.close(code, closeReason(reason)),
    gone,
  };
}

/** The answer to a wrong message names the fault. A listener that throws is a bug in the gateway. */
function receive(
  data: RawData,
  isBinary: boolean,
  { checkMessage, log }: ClientParts,
  send: (message: object) => void,
  listener: (message: unknown) => void,
): void {
  if (!checkMessage) return;
  const take = () => {
    const message = isBinary ? notJson() : parsed(String(data));
    checkMessage(message);
    return listener(message);
  };
  guarded(take, (error) => {
    if (error instanceof GatewayError) {
      send({ detail: error.message, code: error.code, ...(error.errors && { errors: error.errors }) });
      return;
    }
    log().error({ err: error }, 'a message of a client could not be handled');
    send({ detail: 'The gateway could not handle this message; its log has the reason.', code: 'INTERNAL' });
  })();
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return notJson();
  }
}

function notJson(): never {
  throw new GatewayError('MALFORMED_JSON', 'A message must be JSON, sent as text.');
}

/** Pings at fixed intervals and drops a client that has been silent for too long: a client that vanished sends no close. */
function keepAlive(socket: WebSocket, { clock, pingMs, deadMs }: Heartbeat, stillValid: () => boolean): () => void {
  let cancelPing = () => {};
  let cancelDeath = () => {};
  const ping = () => {
    if (!stillValid()) socket.close(1008, 'the API key is no longer valid');
    if (socket.readyState === socket.OPEN) socket.ping();
    cancelPing = clock.after(pingMs, ping);
  };
  const heard = () => {
    cancelDeath();
    cancelDeath = clock.after(deadMs, () => socket.terminate());
  };
  socket.on('pong', heard);
  socket.on('message', heard);
  heard();
  cancelPing = clock.after(pingMs, ping);
  return () => {
    cancelPing();
    cancelDeath();
    socket.off('pong', heard);
    socket.off('message', heard);
  };
}

/** Counts messages, pings and pongs, whether the stream reads messages or drops them: each costs time. Returns a function that removes the limit. */
function limitMessageRate(socket: WebSocket, clock: Clock): () => void {
  let began = clock.elapsed();
  let count = 0;
  let pongs = 0;
  const heard = () => {
    const now = clock.elapsed();
    if (now - began >= SPAN_MS) {
      began = now;
      count = 0;
      pongs = 0;
    }
    count++;
    if (count === MOST + 1) socket.close(1008, `more than ${MOST} messages in ${SPAN_MS / 1_000} s`);
    if (count > 2 * MOST) socket.terminate();
  };
  const answered = () => {
    if (++pongs > ANSWERS) heard();
  };
  socket.on('message', heard);
  socket.on('ping', heard);
  socket.on('pong', answered);
  return () => {
    socket.off('message', heard);
    socket.off('ping', heard);
    socket.off('pong', answered);
  };
}

/** The reason, cut at a whole character if it is too long: it has unit ids and words of a meter. */
function closeReason(text: string): string {
  if (Buffer.byteLength(text) <= MOST_REASON_BYTES) return text;
  const cut = Buffer.from(text)
    .subarray(0, MOST_REASON_BYTES - 3)
    .toString('utf8');
  return `${cut.replace(/\uFFFD+$/u, '')}...`;
}
