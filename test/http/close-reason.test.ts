import type { AddressInfo } from 'node:net';
import t from 'tap';
import { WebSocket, WebSocketServer } from 'ws';
import { closeReason, createClient } from '../../lib/http/client.ts';
import { createLog } from '../../lib/log.ts';
import { VirtualClock } from '../../simulator/clock.ts';

t.test('a reason that fits a close frame is not changed', async (t) => {
  t.equal(closeReason('too slow'), 'too slow');
  t.equal(closeReason('x'.repeat(123)), 'x'.repeat(123));
});

t.test('a longer reason is cut at a whole character', async (t) => {
  t.equal(closeReason('x'.repeat(124)), `${'x'.repeat(120)}...`);
  t.equal(closeReason(`${'x'.repeat(119)}${'\u00e9'.repeat(9)}`), `${'x'.repeat(119)}...`);
  t.ok(Buffer.byteLength(closeReason('\u{1F50A}'.repeat(40))) <= 123);
});

t.test('a client with a long unit id is closed, and learns why, when its meter refuses the stream', async (t) => {
  const why = `The meter ${'x'.repeat(64)} refused "DRD?": it is not possible in its present state (R+0004).`;
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
  t.teardown(() => server.close());
  const heartbeat = { clock: new VirtualClock(), pingMs: 25_000, deadMs: 55_000 };
  const parts = {
    gone: new AbortController().signal,
    heartbeat,
    stillValid: () => true,
    checkMessage: undefined,
    log: () => createLog('silent'),
  };
  server.on('connection', (socket) => createClient(socket, parts).close(1011, why));
  await new Promise((resolve) => server.once('listening', resolve));
  const client = new WebSocket(`ws://127.0.0.1:${(server.address() as AddressInfo).port}`);
  const [code, reason] = await new Promise<[number, string]>((resolve) =>
    client.once('close', (code, reason) => resolve([code, String(reason)])),
  );
  t.equal(code, 1011);
  t.match(reason, /^The meter x+ refused "DRD\?": it is .*\.\.\.$/);
});
