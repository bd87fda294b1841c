/** Local ports of open connections outlive a computer that lost its power. */
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { OpenPlaces } from '../../lib/transport/open-places.ts';
import { tcpTransport } from '../../lib/transport/tcp.ts';

const forever = new AbortController().signal;

async function peer(t: Test) {
  const server = createServer();
  const sockets: Socket[] = [];
  server.on('connection', (socket) => sockets.push(socket.on('error', () => {})));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  t.teardown(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return { server, sockets, address: { host: '127.0.0.1', port: (server.address() as AddressInfo).port } };
}

t.test('a connection that was ended leaves nothing', async (t) => {
  const folder = join(t.testdir(), 'places');
  const { server, sockets, address } = await peer(t);
  const places = new OpenPlaces(folder);
  const accepted = once(server, 'connection');
  const stream = await tcpTransport({ places }).dial(address, forever);
  await accepted;
  await places.settled();
  t.equal(readdirSync(folder).length, 1, 'one file while it is open');
  stream.destroy('enough');
  const [socket] = sockets;
  while (socket && !socket.closed) await new Promise((resolve) => setImmediate(resolve));
  await new Promise((resolve) => setImmediate(resolve));
  await places.settled();
  t.same(readdirSync(folder), []);
  t.equal(new OpenPlaces(folder).take(address), undefined);
});

t.test('after a process that did not end it, the next one dials from the same local port, once', async (t) => {
  const folder = join(t.testdir(), 'places');
  const { sockets, address } = await peer(t);
  const { address: elsewhere } = await peer(t);
  // A port that is free: somebody had it a moment ago.
  const other = await peer(t);
  other.server.close();
  const before = new OpenPlaces(folder);
  before.opened(address, other.address.port);
  await before.settled();
  const places = new OpenPlaces(folder);
  const transport = tcpTransport({ places });
  const elsewhereStream = await transport.dial(elsewhere, forever);
  const first = await transport.dial(address, forever);
  const second = await transport.dial(address, forever);
  while (sockets.length < 2) await new Promise((resolve) => setImmediate(resolve));
  t.equal(sockets[0]?.remotePort, other.address.port);
  t.not(sockets[1]?.remotePort, other.address.port);
  for (const stream of [elsewhereStream, first, second]) stream.destroy('enough');
  await places.settled();
});

t.test('a port that is in use here, and a file that is no port, cost nothing', async (t) => {
  const folder = t.testdir({ '6e6f6e73656e7365': 'nonsense' });
  const { address } = await peer(t);
  const taken = await peer(t);
  const before = new OpenPlaces(folder);
  before.opened(address, taken.address.port);
  await before.settled();
  const places = new OpenPlaces(folder);
  const stream = await tcpTransport({ places }).dial(address, forever);
  t.equal(stream.ending, undefined);
  stream.destroy('enough');
  await places.settled();
});
