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

const turn = () => new Promise((resolve) => setImmediate(resolve));

t.test('a connection that the other end has closed, too, leaves nothing', async (t) => {
  const folder = join(t.testdir(), 'places');
  const { server, sockets, address } = await peer(t);
  const places = new OpenPlaces(folder);
  const accepted = once(server, 'connection');
  const stream = await tcpTransport({ places }).dial(address, forever);
  await accepted;
  await places.settled();
  t.equal(readdirSync(folder).length, 1, 'one file while it is open');
  stream.close('enough');
  const [socket] = sockets;
  while (socket && !socket.closed) await turn();
  while (stream.ending === undefined || readdirSync(folder).length > 0) await turn();
  await places.settled();
  t.equal(new OpenPlaces(folder).left(address), undefined);
});

const isFree = (port = 0) =>
  new Promise<boolean>((resolve) => {
    const server = createServer().on('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });

t.test(
  'after an end that the other end may not know of, connections come from its port until one is served',
  async (t) => {
    const folder = join(t.testdir(), 'places');
    const { sockets, address } = await peer(t);
    const places = new OpenPlaces(folder);
    const transport = tcpTransport({ places });
    const opened = async () => {
      const before = sockets.length;
      const stream = await transport.dial(address, forever);
      while (sockets.length === before) await turn();
      const socket = sockets[before] as Socket;
      const { remotePort } = socket;
      const drop = async () => {
        stream.destroy('no answer');
        while (!socket.closed) await turn();
        await turn();
      };
      const answer = async () => {
        const heard = new Promise<void>((resolve) => stream.receive(() => resolve()));
        socket.write('x');
        await heard;
      };
      return { remotePort, drop, answer, stream, socket };
    };
    let first = await opened();
    await first.answer();
    await first.drop();
    // The system may have given the same port to a connection to somebody else: then another one is taken.
    while (!(await isFree(first.remotePort))) {
      places.ended(address);
      first = await opened();
      await first.answer();
      await first.drop();
    }
    const second = await opened();
    t.equal(second.remotePort, first.remotePort);
    const third = await opened();
    t.not(third.remotePort, first.remotePort, 'one at a time');
    await third.drop();
    await second.drop();
    await places.settled();
    t.equal(new OpenPlaces(folder).left(address), first.remotePort, 'a later process knows it, too');
    const fourth = await opened();
    t.equal(fourth.remotePort, first.remotePort);
    await fourth.answer();
    fourth.stream.close('enough');
    while (!fourth.socket.closed) await turn();
    await turn();
    await places.settled();
    t.equal(places.left(address), undefined);
    t.same(readdirSync(folder), []);
  },
);

t.test('a peer that refuses has no open connection', async (t) => {
  const folder = join(t.testdir(), 'places');
  const { server, address } = await peer(t);
  // A port that is free: somebody listened there a moment ago.
  const other = await peer(t);
  for (const { server: one } of [other, { server }]) await new Promise((resolve) => one.close(resolve));
  const before = new OpenPlaces(folder);
  before.opened(address, other.address.port);
  await before.settled();
  const places = new OpenPlaces(folder);
  await t.rejects(tcpTransport({ places }).dial(address, forever), { message: /refused the connection/ });
  await places.settled();
  t.equal(places.left(address), undefined);
  t.same(readdirSync(folder), []);
});

t.test('after a process that did not end it, the next one dials from the same local port', async (t) => {
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
