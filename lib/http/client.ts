/** One WebSocket client, after the handshake: JSON text out, silence noticed. What the client sends is read and dropped. */
import type { WebSocket } from 'ws';
import type { Clock } from '../clock.ts';
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

/**
 * `gone` aborts when the connection has closed, whoever closed it. `welcome` is asked on every ping: a client that no
 * longer is, since its key was revoked or has expired, is closed with 1008.
 */
export function createClient(
  socket: WebSocket,
  gone: AbortSignal,
  heartbeat: Heartbeat,
  welcome: () => boolean,
): Client {
  socket.once('close', keepAlive(socket, heartbeat, welcome));
  socket.once('close', limitMessageRate(socket, heartbeat.clock));
  return {
    send(message) {
      if (socket.readyState === socket.OPEN) socket.send(JSON.stringify(message));
    },
    get buffered() {
      return socket.bufferedAmount;
    },
    close: (code, reason) => socket.close(code, closeReason(reason)),
    gone,
  };
}

/** Pings on a fixed beat and drops a client that has not been heard for too long: a vanished one sends no close. */
function keepAlive(socket: WebSocket, { clock, pingMs, deadMs }: Heartbeat, welcome: () => boolean): () => void {
  let cancelPing = () => {};
  let cancelDeath = () => {};
  const beat = () => {
    if (!welcome()) socket.close(1008, 'the API key is no longer valid');
    if (socket.readyState === socket.OPEN) socket.ping();
    cancelPing = clock.after(pingMs, beat);
  };
  const heard = () => {
    cancelDeath();
    cancelDeath = clock.after(deadMs, () => socket.terminate());
  };
  socket.on('pong', heard);
  socket.on('message', heard);
  heard();
  cancelPing = clock.after(pingMs, beat);
  return () => {
    cancelPing();
    cancelDeath();
    socket.off('pong', heard);
    socket.off('message', heard);
  };
}
