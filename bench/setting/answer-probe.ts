/**
 * Loaded into the gateway (`node --import`). Notes when each connection to a meter last brought bytes, and when the answer to
 * a request was written to its socket. On `SIGUSR2` it prints the times between the two, in ms, as a line of JSON, and starts
 * again.
 */
import { subscribe } from 'node:diagnostics_channel';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

let lastByteAt = Number.NaN;
let times: number[] = [];

subscribe('net.client.socket', (message) => {
  const { socket } = message as { socket: Socket };
  socket.prependListener('data', () => {
    lastByteAt = performance.now();
  });
});
subscribe('http.server.request.start', (message) => {
  const { request, response } = message as { request: IncomingMessage; response: ServerResponse };
  if (!request.url?.endsWith('/live')) return;
  const end = response.end.bind(response);
  response.end = ((...words: Parameters<typeof end>) => {
    const ended = end(...words);
    // The system has the first byte now.
    times.push(performance.now() - lastByteAt);
    return ended;
  }) as typeof end;
});
process.on('SIGUSR2', () => {
  process.stdout.write(`${JSON.stringify(times)}\n`);
  times = [];
});
