/** One WebSocket client, after the handshake: sends and reads JSON text, and notices when the client is gone. */
import type { RawData, WebSocket } from 'ws';
import type { Clock } from '../clock.ts';
import { GatewayError } from '../errors.ts';
import { guarded } from '../guarded.ts';
import type { Log } from '../log.ts';
import type { Check } from './checks.ts';
import { closeReason } from './close-reason.ts';
import type { Client } from './contract.ts';
import { limitMessageRate } from './message-rate-limit.ts';

export interface Heartbeat {
  readonly clock: Clock;
  /** Time between two pings, ms. */
  readonly pingMs: number;
  /** Silence after which the client counts as gone, ms; above `pingMs`. */
  readonly deadMs: number;
}

export interface ClientParts {
  /** Aborts when the connection has closed, whoever closed it. */
  readonly gone: AbortSignal;
  readonly heartbeat: Heartbeat;
  /** Asked on every ping: a client whose key was revoked or has expired is closed with 1008. */
  readonly stillValid: () => boolean;
  /** Of the messages of the client. Undefined: they are dropped. */
  readonly checkMessage: Check | undefined;
  readonly log: () => Log;
}

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

/** A message that does not fit is answered with what is wrong; a listener that throws is a bug in the gateway. */
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
