/** The typed client where things flow: frames, downloads, and a connection that comes back. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { type WebSocket, WebSocketServer } from 'ws';
import { Client } from '../../client/index.ts';
import { makeKey } from '../support/keys.ts';
import { openWorld } from '../support/world.ts';

const world = await openWorld(t);
const client = new Client({ baseUrl: world.gateway.baseUrl });

t.test('frames of a meter come one after another, with levels as numbers', async (t) => {
  const frames: unknown[] = [];
  const watching = (async () => {
    for await (const frame of client.frames('sim-1', { hz: 10 })) if (frames.push(frame) === 3) break;
  })();
  await world.passing(watching);
  for (const frame of frames) t.match(frame, { time: String, missed: 0, counter: Number, lp: Number, leq: Number });
});

t.test('a download is a stream with a length, and goes on from any byte of the same file', async (t) => {
  await world.ftpOn();
  const [folder] = await world.passing(client.files('sim-1', '/NL-43'));
  const files = await world.passing(client.files('sim-1', folder?.path ?? ''));
  const path = files.find(({ is_dir, size }) => !is_dir && size > 100)?.path ?? '';
  const bytesOf = async (more: object) => {
    const { bytes, ...about } = await client.open('/sim-1/ftp/file', { query: { path }, ...more });
    return { about, bytes: Buffer.from(await new Response(bytes).arrayBuffer()) };
  };
  const whole = await world.passing(bytesOf({}));
  t.match(whole.about, { start: 0, size: whole.bytes.length, etag: String, name: path.split('/').at(-1) });
  const rest = await world.passing(bytesOf({ from: 50, etag: whole.about.etag }));
  t.match(rest.about, { start: 50, size: whole.bytes.length });
  t.same(rest.bytes, whole.bytes.subarray(50));
  const other = await world.passing(bytesOf({ from: 50, etag: '"another"' }));
  t.equal(other.about.start, 0, 'another file is sent from its start');
  await t.rejects(world.passing(client.open('/sim-1/ftp/file', { query: { path: '/none' } })), {
    code: 'FILE_NOT_FOUND',
  });
});

t.test('the lists of rules and profiles do not end at a hundred', async (t) => {
  const numbers = Array.from({ length: 101 }, (_, number) => number);
  const settings = { frequency_weighting: 'A' };
  await world.passing(Promise.all(numbers.map((n) => client.saveProfile(`p-${n}`, { description: '', settings }))));
  t.equal((await world.passing(client.profiles())).length, 101);
  const rule = { tag: 'none', kind: 'device', condition: 'unreachable', severity: 'info', targets: [] } as const;
  await world.passing(Promise.all(numbers.map((n) => client.addAlertRule({ ...rule, name: `r-${n}` }))));
  t.equal((await world.passing(client.alertRules())).length, 101);
});

const HELLO = JSON.stringify({ event: 'hello', time: '2026-11-21T00:00:00Z', missed: 0, data: [] });

/** A gateway that says `hello` to each connection, and then what `greet` sends. */
async function gatewayOf(t: Test, greet: (socket: WebSocket, connection: number) => void) {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
  await once(server, 'listening');
  t.teardown(() => server.close());
  let connections = 0;
  server.on('connection', (socket) => {
    connections += 1;
    socket.send(HELLO);
    greet(socket, connections);
  });
  return new Client({ baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
}

t.test('a connection that breaks is opened again, and each change has its event', async (t) => {
  const client = await gatewayOf(t, (socket, connection) => connection === 1 && socket.terminate());
  const states: string[] = [];
  let hellos = 0;
  const connection = (state: string) => void states.push(state);
  for await (const _event of client.events({ connection })) {
    hellos += 1;
    if (hellos === 2) break;
  }
  t.strictSame(states, ['open', 'lost', 'open']);
});

/** A gateway at a port, with the answer that a client asks for before it tries again. */
async function gatewayAt(port: number) {
  const server = createServer((_request, response) => response.end('{"data":{}}'));
  const sockets = new WebSocketServer({ server });
  sockets.on('connection', (socket) => socket.send(HELLO));
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const stop = () => {
    for (const socket of sockets.clients) socket.terminate();
    server.close();
    server.closeAllConnections();
  };
  return { port: (server.address() as AddressInfo).port, stop };
}

t.test('after a gateway refused connections for a while, its events come again', async (t) => {
  let gateway = await gatewayAt(0);
  t.teardown(() => gateway.stop());
  const client = new Client({ baseUrl: `http://127.0.0.1:${gateway.port}` });
  const states: string[] = [];
  let back: Promise<unknown> = Promise.resolve();
  const connection = (state: string) => {
    // The second time a handshake was tried, and failed.
    if (states.push(state) === 3) back = gatewayAt(gateway.port).then((again) => (gateway = again));
  };
  for await (const _event of client.events({ connection })) {
    if (states.length > 1) break;
    gateway.stop();
  }
  await back;
  t.strictSame(states, ['open', 'lost', 'lost', 'open']);
});

const numbered = (event: string, seq: number) => JSON.stringify({ event, unit_id: 'roof', seq, missed: 0, data: {} });

t.test(
  'a slow loop loses the oldest frames and readings, gets their number, and loses nothing of other kinds',
  async (t) => {
    let allThere: Promise<unknown> = Promise.resolve();
    const client = await gatewayOf(t, (socket) => {
      socket.send(numbered('alert', 1));
      for (let seq = 2; seq <= 12_000; seq += 1) socket.send(numbered(seq % 2 ? 'frame' : 'reading', seq));
      allThere = once(socket, 'pong');
      socket.ping();
    });
    const got: { seq: number; missed: number }[] = [];
    for await (const event of client.events()) {
      if (event.event === 'hello') await allThere;
      else if (got.push(event) && event.seq === 12_000) break;
    }
    t.match(got[0], { event: 'alert', seq: 1, missed: 0 });
    t.equal(got.length, 10_000, 'so many wait');
    t.equal(
      got.reduce((sum, { missed }) => sum + missed, 0),
      2_000,
      'and so many were left out',
    );
    t.match(got[1], { seq: 2_002, missed: 2_000 });
  },
);

t.test(
  'a loop that leaves too much unread that must not be lost gets what waits, and then a new connection',
  async (t) => {
    let closed: Promise<unknown> = Promise.resolve();
    const client = await gatewayOf(t, (socket, connection) => {
      for (let seq = 1; connection === 1 && seq <= 12_000; seq += 1) socket.send(numbered('alert', seq));
      closed = once(socket, 'close');
    });
    const states: string[] = [];
    const numbers: number[] = [];
    for await (const event of client.events({ connection: (state) => void states.push(state) })) {
      if (event.event === 'hello' && states.length > 1) break;
      if (event.event === 'hello') await closed;
      else numbers.push(event.seq);
    }
    t.strictSame(states, ['open', 'lost', 'open']);
    t.ok(numbers.length >= 10_000 && numbers.length < 12_000, `${numbers.length} were kept`);
    t.ok(
      numbers.every((seq, index) => seq === index + 1),
      'without a gap',
    );
  },
);

t.test('misses that another message reports are added to those of the next frame', async (t) => {
  const client = await gatewayOf(t, (socket) => {
    socket.send(numbered('feed', 1).replace('"missed":0', '"missed":3'));
    socket.send(numbered('frame', 2).replace('"missed":0', '"missed":2'));
    socket.send(numbered('frame', 3));
  });
  const missed: number[] = [];
  for await (const frame of client.frames('roof')) if (missed.push(frame.missed) === 2) break;
  t.strictSame(missed, [5, 0]);
});

t.test('without a key, events end with the reason when the gateway needs one by now', async (t) => {
  const world = await openWorld(t);
  const client = new Client({ baseUrl: world.gateway.baseUrl });
  const watching = (async () => {
    for await (const { event } of client.events())
      if (event === 'hello') await makeKey(join(world.dataDir, 'data'), { name: 'first' }, world.clock);
  })();
  await t.rejects(world.passing(watching), { status: 401, code: 'UNAUTHENTICATED' });
});
