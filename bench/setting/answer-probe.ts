/**
 * Runs inside the gateway, before it (`node --import`): when each connection to a meter last brought bytes, and when the answer to a request
 * was written to its socket. On `SIGUSR2` it prints the times between the two, in ms, as a line of JSON, and begins anew.
 */
import { subscribe } from 'node:diagnostics_channel';
import type { Socket } from 'node:net';

let lastByteAt = Number.NaN;
let times: number[] = [];

subscribe('net.client.socket', (message) => {
  const { socket } = message as { socket: Socket };
  socket.prependListener('data', () => {
    lastByteAt = performance.now();
  });
});
subscribe('http.server.response.finish', (message) => {
  const { request } = message as { request: { url?: string } };
  if (request.url?.endsWith('/live')) times.push(performance.now() - lastByteAt);
});
process.on('SIGUSR2', () => {
  process.stdout.write(`${JSON.stringify(times)}\n`);
  times = [];
});
