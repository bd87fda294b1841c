/** Limits for a caller: slowness, connections, WebSocket messages. Bad HTTP and bad handshakes, too. */
import { once } from 'node:events';
import t from 'tap';
import { WebSocket } from 'ws';
import type { Client, SocketRoute } from '../../lib/http/contract.ts';
import { VirtualClock } from '../../simulator/clock.ts';
import { ending, open, request, send } from '../support/raw.ts';
import { BASE, route, type Served, serve } from './serve.ts';

const path = `${BASE}/roof/thing`;
const socket = (part: Partial<SocketRoute> = {}): SocketRoute => ({
  path: '/{unit_id}/live',
  access: 'viewer',
  summary: 'Frames',
  messages: [],
  errors: [],
  admit() {},
  open() {},
  ...part,
});
const live = ({ http }: Served) => `${http.origin.replace('http', 'ws')}${BASE}/roof/live`;
const HEAD = (line: string) => `${line} HTTP/1.1\r\nHost: localhost\r\n`;

async function watcher(t: Parameters<typeof serve>[0], part: Partial<SocketRoute> = {}, clock = new VirtualClock()) {
  const served = await serve(t, { sockets: [socket(part)], clock });
  const client = new WebSocket(live(served), { autoPong: true });
  client.on('error', () => {});
  const closed = once(client, 'close').then(([code]) => code as number);
  await once(client, 'open');
  return { client, closed, clock };
}
t.test('a request that does not arrive whole in time is ended, head or body', async (t) => {
  const { http } = await serve(t, { routes: [route({ method: 'POST' })], settings: { receiveTimeoutMs: 100 } });
  const slow = {
    head: HEAD(`GET ${path}`),
    body: `${HEAD(`POST ${path}`)}Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{"a":`,
    chunked: `${HEAD(`POST ${path}`)}Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n{"a":`,
    'first chunk': `${HEAD(`POST ${path}`)}Transfer-Encoding: chunked\r\n\r\n`,
  };
  for (const [what, bytes] of Object.entries(slow)) {
    const answer = await send(http.port, bytes);
    t.match(answer, { status: 408, body: { code: 'REQUEST_TIMEOUT' } }, what);
    t.equal(answer.headers['x-content-type-options'], 'nosniff');
  }
});

t.test('text that is no HTTP is refused with 400, and the connection is closed', async (t) => {
  const { http } = await serve(t, { routes: [route({})] });
  const bad = [
    'nonsense\r\n\r\n',
    `${HEAD(`GET ${path}`)}X: a\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n`,
    `${HEAD(`POST ${path}`)}Content-Length: 1\r\nContent-Length: 2\r\n\r\n{}`,
    `${HEAD(`GET ${path}`)}Bad Header: x\r\n\r\n`,
    `${HEAD(`POST ${path}`)}Transfer-Encoding: chunked\r\n\r\nzz\r\n`,
    Buffer.from([0x16, 0x03, 0x01, 0x02, 0x00, 0x01]),
  ];
  for (const bytes of bad) {
    const answer = await send(http.port, bytes);
    t.equal(answer.status, 400, String(bytes).slice(0, 80));
    t.match(answer.body, { code: 'MALFORMED_REQUEST', detail: String });
  }
  t.equal((await request(http.port, 'GET /health', { Host: 'localhost' })).status, 200, 'and others are served');
});

t.test('a bad handshake is refused as JSON', async (t) => {
  const served = await serve(t, { routes: [route({})], sockets: [socket()] });
  const upgrade = { Host: 'localhost', Connection: 'Upgrade', Upgrade: 'websocket' };
  for (const headers of [
    upgrade,
    { ...upgrade, 'Sec-WebSocket-Version': '12', 'Sec-WebSocket-Key': 'dGhlIHNhbXBsZSBub25jZQ==' },
    { ...upgrade, 'Sec-WebSocket-Version': '13', 'Sec-WebSocket-Key': 'short' },
  ]) {
    const answer = await request(served.http.port, `GET ${BASE}/roof/live`, headers);
    t.match(answer, { status: 400, body: { code: 'MALFORMED_REQUEST' } }, JSON.stringify(headers));
  }
  const post = await request(served.http.port, `POST ${path}`, upgrade);
  t.match(post, { status: 400 }, 'and no other method slips by under cover of an upgrade');
});

t.test('a client that offers HTTP/2 in passing is answered', async (t) => {
  const served = await serve(t, {});
  const h2c = { Host: 'localhost', Connection: 'Upgrade, HTTP2-Settings', Upgrade: 'h2c', 'HTTP2-Settings': '' };
  const socket = open(served.http.port);
  const lines = Object.entries(h2c).map(([name, value]) => `${name}: ${value}`);
  socket.write(['GET /health HTTP/1.1', ...lines, '', ''].join('\r\n'));
  const [first] = await once(socket, 'data');
  t.match(String(first), /^HTTP\/1\.1 200/);
  socket.destroy();
});

t.test('an Origin behind a thousand other headers is seen', async (t) => {
  const { http } = await serve(t, { routes: [route({})] });
  const many = Object.fromEntries(Array.from({ length: 2_100 }, (_, n) => [`a${n}`, '']));
  const headers = { Host: 'localhost', ...many, Origin: 'https://evil.example' };
  t.match(await request(http.port, `GET ${path}`, headers), { body: { code: /^(FOREIGN_ORIGIN|HEADERS_TOO_LARGE)$/ } });
  const some = Object.fromEntries(Object.entries(many).slice(0, 1_500));
  const fewer = { Host: 'localhost', ...some, Origin: 'https://evil.example' };
  t.match(await request(http.port, `GET ${path}`, fewer), { status: 403, body: { code: 'FOREIGN_ORIGIN' } });
});

t.test('one address gets so many connections and no more, and a closed connection makes room', async (t) => {
  const { http } = await serve(t, { settings: { connectionsPerAddress: 3 } });
  const held = [open(http.port), open(http.port), open(http.port)];
  await Promise.all(held.map((one) => once(one, 'connect')));
  const tried = await send(http.port, `${HEAD('GET /health')}\r\n`);
  t.equal(tried.status, 0, 'the fourth is closed without a word');
  const [first] = held;
  first?.end(`${HEAD('GET /health')}Connection: close\r\n\r\n`);
  if (first) t.match(await ending(first), /^HTTP\/1\.1 200/, 'those that are open are served');
  t.equal((await request(http.port, 'GET /health', { Host: 'localhost' })).status, 200);
  for (const one of held) one.destroy();
});

t.test('a listed proxy is not counted, and all together get so many connections', async (t) => {
  const settings = { connectionsPerAddress: 1, connectionLimit: 3, trustedProxies: ['127.0.0.1'] };
  const { http } = await serve(t, { settings });
  const held = [open(http.port), open(http.port), open(http.port)];
  await Promise.all(held.map((one) => once(one, 'connect')));
  t.equal((await send(http.port, `${HEAD('GET /health')}\r\n`)).status, 0);
  for (const one of held) one.destroy();
});

t.test('pings count, too, whether the pongs are waited for or not', async (t) => {
  const patient = await watcher(t);
  const pinged = patient.closed.then((code) => t.equal(code, 1008));
  for (let count = 0; count < 101; count++) {
    patient.client.ping();
    await Promise.race([once(patient.client, 'pong'), patient.closed]);
  }
  await pinged;
  const hasty = await watcher(t);
  for (let count = 0; count < 5_000; count++) hasty.client.ping();
  t.match(String(await hasty.closed), /^100[68]$/);
});

t.test('pongs that nobody asked for count, too', async (t) => {
  const { client, closed } = await watcher(t);
  for (let count = 0; count < 103; count++) client.pong();
  t.equal(await closed, 1008);
});

t.test('a client that sends requests ahead and reads no answer is cut off', async (t) => {
  const { http } = await serve(t, { routes: [route({ handle: () => new Promise(() => {}) })] });
  const held = open(http.port);
  const gone = once(held, 'close');
  held.on('error', () => {});
  held.resume();
  held.write(`${HEAD(`GET ${BASE}/roof/thing`)}\r\n`.repeat(17));
  await gone;
  t.equal((await request(http.port, 'GET /health', { Host: 'localhost' })).status, 200, 'others are not concerned');
});

t.test('a client that says a little now and then stays', async (t) => {
  const { client, clock } = await watcher(t);
  for (let minute = 0; minute < 6; minute++) {
    for (let count = 0; count < 99; count++) client.send('x');
    client.ping();
    await once(client, 'pong');
    await clock.advance(10_000);
  }
  t.equal(client.readyState, client.OPEN);
  client.terminate();
});

t.test('a stream ends with 1008 on the first ping after its key is no longer good', async (t) => {
  const clock = new VirtualClock();
  let valid = true;
  const opened = Promise.withResolvers<Client>();
  const served = await serve(t, {
    sockets: [socket({ open: opened.resolve })],
    clock,
    authenticator: ({ address }) => ({
      name: 'x',
      keyId: '0',
      role: 'viewer',
      units: null,
      address,
      stillValid: () => valid,
    }),
  });
  const client = new WebSocket(live(served));
  const closed = once(client, 'close');
  await opened.promise;
  await clock.advance(25_000);
  valid = false;
  await clock.advance(25_000);
  const [code, reason] = await closed;
  t.strictSame([code, String(reason)], [1008, 'the API key is no longer valid']);
});

t.test(
  'a request that arrives while the gateway stops is refused, with the time after which to ask again',
  async (t) => {
    const { http } = await serve(t, { routes: [route({})] });
    const late = open(http.port);
    const refused = ending(late);
    late.write(HEAD(`GET ${path}`));
    await once(late, 'connect');
    // One more request shows that its first half has arrived.
    await fetch(`${http.origin}/health`);
    http.refuse();
    late.write('\r\n');
    t.match(await refused, /^HTTP\/1\.1 503 (.|\n|\r)*Retry-After: 5\r\n(.|\n|\r)*"code":"STOPPING"/);
  },
);
