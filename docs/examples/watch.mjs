import { WebSocket } from 'ws';

/** Prints every frame and every change of the stream of one meter. It connects again by itself; call the result to leave. */
export function watch(url, { key, say = console.log } = {}) {
  const socket = new WebSocket(url, { headers: key ? { Authorization: `Bearer ${key}` } : {} });
  let refused = false;
  let leave = () => socket.close(1000);
  socket.on('message', (data) => {
    const message = JSON.parse(data);
    if ('feed_status' in message) say(`the stream is ${message.feed_status}: ${message.detail}`);
    else if ('reachability' in message) say(`the meter is ${message.reachability}: ${message.reason}`);
    else say(`${message.timestamp} ${message.lp} dB${message.missed > 0 ? ` (${message.missed} missed)` : ''}`);
  });
  socket.on('unexpected-response', (_request, response) => {
    say(`refused with ${response.statusCode}`);
    refused = response.statusCode < 500;
    socket.terminate();
  });
  socket.on('error', (error) => say(error.message));
  socket.on('close', (code, reason) => {
    say(`closed with ${code} ${reason}`);
    if (refused || code === 1000 || code === 1008) return;
    const again = setTimeout(() => {
      leave = watch(url, { key, say });
    }, 5_000);
    leave = () => clearTimeout(again);
  });
  return () => leave();
}
