import { EventEmitter, once } from 'node:events';
import t from 'tap';
import { WebSocket } from 'ws';
import { GatewayError } from '../../lib/errors.ts';
import type { Client, Request, SocketRoute } from '../../lib/http/contract.ts';
import { VirtualClock } from '../../simulator/clock.ts';
import { BASE, route, type Served, serve } from './serve.ts';

const socket = (part: Partial<SocketRoute> = {}): SocketRoute => ({
  path: '/{unit_id}/live',
  access: 'viewer',
  summary: 'Frames',
  messages: [{ type: 'object' }],
  errors: ['TCP_DISABLED'],
  admit() {},
  open() {},
  ...part,
});
const url = ({ http }: Served, path = '/roof/live') => `${http.origin.replace('http', 'ws')}${BASE}${path}`;

/** Status and body of a refused handshake. */
function refusal(address: string): Promise<{ status: number; body: unknown; type: string | undefined }> {
  return new Promise((resolve, reject) => {
    const client = new WebSocket(address);
    client.on('error', () => {});
    client.on('open', () => reject(new Error('was let in')));
    client.on('unexpected-response', async (_request, response) => {
      const chunks = await response.toArray();
      const body = JSON.parse(Buffer.concat(chunks).toString());
      resolve({ status: response.statusCode ?? 0, body, type: response.headers['content-type'] });
    });
  });
}

t.test('an admitted client gets JSON messages, and its end is reported', async (t) => {
  const left = Promise.withResolvers<void>();
  const requests: Request[] = [];
  const open = (client: Client, request: Request) => {
    requests.push(request);
    client.gone.addEventListener('abort', () => left.resolve());
    client.send({ seq: 1, lp: '48.3' });
  };
  const served = await serve(t, { sockets: [socket({ open })] });
  const client = new WebSocket(url(served));
  const [data] = await once(client, 'message');
  t.strictSame(JSON.parse(String(data)), { seq: 1, lp: '48.3' });
  t.equal(requests[0]?.unitId, 'roof');
  client.close(1000);
  const [code] = await once(client, 'close');
  t.equal(code, 1000);
  await left.promise;
  t.equal(requests[0]?.caller.signal.aborted, true, 'the caller ends with the client');
});

t.test('a refusal comes before the upgrade, with the status and body that a GET gets', async (t) => {
  const refuse = ({ unitId }: Request) => {
    if (unitId === 'off') throw new GatewayError('TCP_DISABLED', 'TCP is disabled for off');
    if (unitId === 'broken') throw new Error('inner secret');
  };
  const get = route({ path: '/{unit_id}/live', errors: ['TCP_DISABLED'], handle: (request) => refuse(request) ?? {} });
  const served = await serve(t, { routes: [get], sockets: [socket({ admit: refuse })] });
  for (const path of ['/off/live', '/-bad/live', '/nothing', '/roof/other']) {
    const refused = await refusal(url(served, path));
    const got = await served.ask('GET', `${BASE}${path}`);
    t.equal(refused.status, got.status, path);
    t.equal((refused.body as { code: string }).code, got.body.code, path);
    t.match(refused.type, /^application\/json/);
  }
  const broken = await refusal(url(served, '/broken/live'));
  t.equal(broken.status, 500);
  t.notMatch(JSON.stringify(broken.body), /inner secret/);
});

t.test('a fault in a handshake ends the connection and is in the log', async (t) => {
  let broken = false;
  class Clock extends VirtualClock {
    override elapsed(): number {
      if (broken) throw new Error('the clock fell off the wall');
      return super.elapsed();
    }
  }
  const served = await serve(t, { sockets: [socket()], clock: new Clock() });
  broken = true;
  const client = new WebSocket(url(served));
  await once(client, 'error');
  broken = false;
  t.match(served.log.join(''), /"level":"error".*the clock fell off the wall.*a handshake failed/);
});

t.test('a path that is no stream is 404 for an upgrade', async (t) => {
  const served = await serve(t, { routes: [route({})], sockets: [socket()] });
  const { status, body } = await refusal(url(served, '/roof/thing'));
  t.equal(status, 404);
  t.match(body, { code: 'NOT_FOUND' });
});

t.test('a GET without an upgrade is answered as GET, or says that the path is a WebSocket', async (t) => {
  const alone = await serve(t, { sockets: [socket()] });
  const got = await alone.ask('GET', `${BASE}/roof/live`);
  t.equal(`${got.status} ${got.body.code}`, '426 UPGRADE_REQUIRED');
  t.equal(got.headers.get('upgrade'), 'websocket');
  const both = await serve(t, { routes: [route({ path: '/{unit_id}/live' })], sockets: [socket()] });
  t.equal((await both.ask('GET', `${BASE}/roof/live`)).status, 200);
});

t.test('a stream that cannot be opened is closed with 1011', async (t) => {
  const open = () => {
    throw new Error('no feed');
  };
  const served = await serve(t, { sockets: [socket({ open })] });
  const [code] = await once(new WebSocket(url(served)), 'close');
  t.equal(code, 1011);
});

t.test('the gateway closes with code and reason, cut at a whole character, and sends nothing afterwards', async (t) => {
  const reasons = {
    'the config was deleted': 'the config was deleted',
    ['x'.repeat(123)]: 'x'.repeat(123),
    ['x'.repeat(124)]: `${'x'.repeat(120)}...`,
    [`${'x'.repeat(119)}${'\u00e9'.repeat(9)}`]: `${'x'.repeat(119)}...`,
    ['\u{1F50A}'.repeat(40)]: `${'\u{1F50A}'.repeat(30)}...`,
  };
  for (const [given, expected] of Object.entries(reasons)) {
    const open = (client: Client) => {
      client.close(1008, given);
      client.send({ late: true });
    };
    const served = await serve(t, { sockets: [socket({ open })] });
    const client = new WebSocket(url(served));
    client.on('message', () => t.fail('a message after the close'));
    const [code, reason] = await once(client, 'close');
    t.equal(`${code} ${reason}`, `1008 ${expected}`);
  }
});

t.test('a message above the limit ends the connection, a small message is dropped', async (t) => {
  const served = await serve(t, { sockets: [socket()] });
  const client = new WebSocket(url(served));
  await once(client, 'open');
  client.send('hello');
  client.send('x'.repeat(300));
  const [code] = await once(client, 'close');
  t.equal(code, 1009);
});

t.test('messages of a client arrive checked, and a wrong message gets an error', async (t) => {
  const heard: unknown[] = [];
  const open = (client: Client) => {
    client.onMessage((message) => {
      heard.push(message);
      if ((message as { hz?: number }).hz === 9) throw new Error('inner secret');
      client.send({ heard: heard.length });
    });
  };
  const accepts = {
    type: 'object',
    properties: {
      units: { type: 'array', items: { type: 'string' } },
      hz: { type: 'integer', minimum: 1, maximum: 10 },
    },
  };
  const served = await serve(t, { sockets: [socket({ accepts, open })] });
  const client = new WebSocket(url(served));
  await once(client, 'open');
  const answerTo = async (sent: string | Buffer) => {
    client.send(sent, { binary: typeof sent !== 'string' });
    const [data] = await once(client, 'message');
    return JSON.parse(String(data));
  };
  t.strictSame(await answerTo('{"units":["roof"],"hz":2}'), { heard: 1 });
  t.match(await answerTo('{"hzz":2}'), { code: 'INVALID', errors: [{ path: '/hzz', message: /did you mean hz/ }] });
  t.match(await answerTo('{"hz":11}'), { code: 'INVALID', detail: /^[A-Z].*\.$/, errors: [{ path: '/hz' }] });
  t.match(await answerTo('subscribe'), { code: 'MALFORMED_JSON', detail: /JSON/ });
  t.match(await answerTo(Buffer.from('{"hz":2}')), { code: 'MALFORMED_JSON' });
  const fault = await answerTo('{"hz":9}');
  t.match(fault, { code: 'INTERNAL' });
  t.notMatch(JSON.stringify(fault), /inner secret/);
  t.strictSame(heard, [{ units: ['roof'], hz: 2 }, { hz: 9 }]);
  for (let sent = 0; sent < 101; sent++) client.send('{}');
  const [code] = await once(client, 'close');
  t.equal(code, 1008, 'a flood ends the connection');
});

t.test('a stream has a query, and path parameters, checked before the upgrade', async (t) => {
  const seen: Request[] = [];
  const open = (client: Client, request: Request) => {
    seen.push(request);
    client.close(1000, 'done');
  };
  const stream = socket({
    path: '/_live/{name}',
    params: { name: { type: 'string', pattern: '^[a-z]+$' } },
    query: { units: { type: 'string', default: '*' }, hz: { type: 'integer', minimum: 1, maximum: 10 } },
    filtersUnits: true,
    open: open as SocketRoute['open'],
  });
  const served = await serve(t, { sockets: [stream] });
  await once(new WebSocket(url(served, '/_live/all?hz=4&other=1')), 'close');
  t.match(seen, [{ params: { name: 'all' }, query: { units: '*', hz: 4 } }]);
  t.match(await refusal(url(served, '/_live/all?hz=11')), { status: 422, body: { errors: [{ path: '/hz' }] } });
  t.match(await refusal(url(served, '/_live/ALL')), { status: 404, body: { code: 'NOT_FOUND' } });
});

t.test('a refusal before the upgrade carries its status and headers', async (t) => {
  const admit = () => {
    throw new GatewayError('TOO_MANY_STREAMS', 'All streams are taken.', { headers: { 'Retry-After': '5' } });
  };
  const served = await serve(t, { sockets: [socket({ admit })] });
  const client = new WebSocket(url(served));
  client.on('error', () => {});
  const [, response] = await once(client, 'unexpected-response');
  response.resume();
  t.equal(response.statusCode, 503);
  t.equal(response.headers['retry-after'], '5');
});

t.test('a client that is silent for a minute is dropped; a pong and a message are signs of life', async (t) => {
  const clock = new VirtualClock();
  const opened = Promise.withResolvers<Client>();
  const heard = new EventEmitter();
  const open = (client: Client) => {
    client.onMessage(() => heard.emit('message'));
    opened.resolve(client);
  };
  const served = await serve(t, { sockets: [socket({ open, accepts: { type: 'object' } })], clock });
  const client = new WebSocket(url(served), { autoPong: false });
  const { gone } = await opened.promise;
  for (const sign of ['pong', 'message', 'none'] as const) {
    const pinged = once(client, 'ping');
    await clock.advance(25_000);
    await pinged;
    await clock.advance(29_999);
    t.notOk(gone.aborted, sign);
    const arrived = sign === 'message' && once(heard, 'message');
    if (sign === 'message') client.send('{}');
    if (sign === 'pong') client.pong();
    if (arrived) await arrived;
    // A pong is not told to anybody: its answer is the next round.
    else for (let turns = 0; sign === 'pong' && turns < 50; turns++) await new Promise((done) => setImmediate(done));
  }
  const closed = once(client, 'close');
  await clock.advance(1);
  const [code] = await closed;
  t.equal(code, 1006, 'without a close frame');
  if (!gone.aborted) await once(gone, 'abort');
  t.equal(clock.pending, 0, 'and no timer stays');
});

t.test('stopping ends streams with 1001 and refuses new ones', async (t) => {
  const served = await serve(t, { sockets: [socket()] });
  const client = new WebSocket(url(served));
  await once(client, 'open');
  const closed = once(client, 'close');
  served.http.refuse();
  const [code] = await closed;
  t.equal(code, 1001);
  await served.http.drained(1_000);
  await t.rejects(fetch(`${served.http.origin}/health`), 'nobody listens any more');
});
