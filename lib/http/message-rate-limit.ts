/**
 * Counts what a WebSocket client sends, pings and pongs included, since each costs time, whether the stream reads messages or
 * drops them. Closes the connection of a client that sends too much.
 */
import type { WebSocket } from 'ws';
import type { Clock } from '../clock.ts';

/** Messages, pings and pongs within `SPAN_MS`. A dashboard that sends one message a second stays well below. */
const MOST = 100;
const SPAN_MS = 10_000;
/** Pongs in that time that answer pings of our own. */
const ANSWERS = 2;

/** Returns a function that removes it. */
export function limitMessageRate(socket: WebSocket, clock: Clock): () => void {
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
