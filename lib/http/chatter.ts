/**
 * A WebSocket client has little to say: what it sends is dropped. This counts it, pings included, since each costs a pong,
 * and closes the connection of one that floods.
 */
import type { WebSocket } from 'ws';
import type { Clock } from '../clock.ts';

/** Messages and pings within `SPAN_MS`. A dashboard that says hello every second stays well below. */
const MOST = 100;
const SPAN_MS = 10_000;

/** Gives back what unhooks it. */
export function limitChatter(socket: WebSocket, clock: Clock): () => void {
  let began = clock.elapsed();
  let count = 0;
  const heard = () => {
    const now = clock.elapsed();
    if (now - began >= SPAN_MS) {
      began = now;
      count = 0;
    }
    count++;
    if (count === MOST + 1) socket.close(1008, `more than ${MOST} messages in ${SPAN_MS / 1_000} s`);
    if (count > 2 * MOST) socket.terminate();
  };
  socket.on('message', heard);
  socket.on('ping', heard);
  return () => {
    socket.off('message', heard);
    socket.off('ping', heard);
  };
}
