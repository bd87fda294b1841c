import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import t, { type Test } from 'tap';
import { DialError } from '../../lib/transport/contract.ts';
import { tcpTransport } from '../../lib/transport/tcp.ts';
import { VirtualClock } from '../../simulator/clock.ts';
import { type FarEnd, type Stage, transportContract } from '../contract/transport.ts';
import { arrivals, socketEnd } from './far-ends.ts';

const patient = () => new AbortController().signal;

async function listening(t: Test, onSocket: (socket: Socket) => void, options = {}): Promise<number> {
  const sockets = new Set<Socket>();
  const server: Server = createServer(options, (socket) => {
    sockets.add(socket.on('error', () => {}));
    onSocket(socket);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

/** A port that was free a moment ago. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

async function stage(t: Test): Promise<Stage> {
  const far = arrivals<FarEnd>();
  const port = await listening(t, (socket) => far.add(socketEnd(socket)));
  return {
    transport: tcpTransport(),
    address: { host: '127.0.0.1', port },
    nobody: { host: '127.0.0.1', port: await freePort() },
    accept: far.next,
  };
}

transportContract(t, stage);

t.test('a host name whose addresses all refuse is refused', async (t) => {
  const dialled = tcpTransport().dial({ host: 'localhost', port: await freePort() }, patient());
  await t.rejects(dialled, { name: 'DialError', fault: 'refused' });
});

t.test('a name that no resolver can have is unresolved', async (t) => {
  const host = `${'a'.repeat(64)}.invalid`; // a label has 63 characters at most (RFC 1035)
  const error = await tcpTransport()
    .dial({ host, port: 2255 }, patient())
    .catch((error: unknown) => error);
  t.ok(error instanceof DialError);
  t.match(error, { fault: 'unresolved' });
});

t.test('a port that does not exist is a rejected dial, not an exception', async (t) => {
  const dialled = tcpTransport().dial({ host: '127.0.0.1', port: 70_000 }, patient());
  await t.rejects(dialled, { name: 'DialError', fault: 'failed' });
});

t.test('an IPv6 peer is named with brackets', async (t) => {
  await t.rejects(tcpTransport().dial({ host: '::1', port: await freePort() }, patient()), {
    message: /^\[::1\]:\d+ /,
  });
});

t.test('an aborted dial leaves no socket open', async (t) => {
  const sockets: Socket[] = [];
  const spoke = arrivals<Socket>();
  const port = await listening(t, (socket) => {
    sockets.push(socket);
    socket.once('data', () => spoke.add(socket));
    socket.resume();
  });
  const controller = new AbortController();
  const dialled = tcpTransport().dial({ host: '127.0.0.1', port }, controller.signal);
  controller.abort(new Error('gone'));
  await t.rejects(dialled, /gone/);
  const near = await tcpTransport().dial({ host: '127.0.0.1', port }, patient());
  near.send(Buffer.from('hello'));
  const speaker = await spoke.next();
  // Connections arrive in order. So if the aborted connection came through at all, it is here, and must close by itself.
  for (const other of sockets) if (other !== speaker && !other.closed) await once(other, 'close');
  t.equal(speaker.readyState, 'open');
});

t.test('a peer that never closes its side is dropped after the linger time', async (t) => {
  const clock = new VirtualClock();
  const arrived = arrivals<Socket>();
  const port = await listening(t, arrived.add, { allowHalfOpen: true });
  const transport = tcpTransport({ clock, lingerMs: 2_000 });
  const near = await transport.dial({ host: '127.0.0.1', port }, patient());
  const far = await arrived.next();
  far.resume();
  const broken = new Promise<Error>((resolve) => far.once('error', resolve));
  near.close('done');
  await once(far, 'end');
  await clock.advance(1_999);
  t.equal(far.readyState, 'writeOnly', 'the peer may still close properly');
  await clock.advance(1);
  // A socket that has read the end notices at its next write that the other side is gone.
  while (!far.errored) {
    far.write('anybody?');
    await new Promise((resolve) => setImmediate(resolve));
  }
  t.match(await broken, { code: /^(ECONNRESET|EPIPE)$/ });
  t.same(near.ending, { by: 'us', reason: 'done' });
});

t.test('a goodbye that is answered leaves no timer behind', async (t) => {
  const clock = new VirtualClock();
  const port = await listening(t, (socket) => socket.resume());
  const near = await tcpTransport({ clock }).dial({ host: '127.0.0.1', port }, patient());
  near.close('done');
  t.equal(clock.pending, 1);
  while (clock.pending > 0) await new Promise((resolve) => setImmediate(resolve));
  t.same(near.ending, { by: 'us', reason: 'done' });
});
