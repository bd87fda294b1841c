/** One WebSocket client, after the handshake: JSON text out, silence noticed. What the client sends is read and dropped. */
import type { WebSocket } from 'ws';
import type { Clock } from '../clock.ts';
import type { Client } from './contract.ts';

export interface Pulse {
  readonly clock: Clock;
  /** Time between two pings, ms. */
  readonly pingMs: number;
  /** Silence after which the client counts as gone, ms; above `pingMs`. */
  readonly deadMs: number;
}

/** `gone` aborts when the connection has closed, whoever closed it. */
export function createClient(socket: WebSocket, gone: AbortSignal, pulse: Pulse): Client {
  socket.once('close', keepAlive(socket, pulse));
  return {
    send(message) {
      if (socket.readyState === socket.OPEN) socket.send(JSON.stringify(message));
    },
    get buffered() {
      return socket.bufferedAmount;
    },
    close: (code, reason) => socket.close(code, reason),
    gone,
  };
}

/** Pings on a fixed beat and drops a client that has not been heard for too long: a vanished one sends no close. */
function keepAlive(socket: WebSocket, { clock, pingMs, deadMs }: Pulse): () => void {
  let cancelPing = () => {};
  let cancelDeath = () => {};
  const beat = () => {
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
