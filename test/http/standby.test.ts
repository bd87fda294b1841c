/** A server that waits passes on to an instance that falls silent: its connections stay open, and nothing comes any more. */
import { once } from 'node:events';
import { ClientRequest, createServer, type IncomingMessage } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import t from 'tap';
import { WebSocket, WebSocketServer } from 'ws';
import { systemClock } from '../../lib/clock.ts';
import type { SocketRoute } from '../../lib/http/contract.ts';
import { type Owner, startStandby } from '../../lib/http/standby.ts';
import { createLog } from '../../lib/log.ts';
import { VirtualClock } from '../../simulator/clock.ts';
import { selfSigned } from '../support/certificate.ts';
import { send } from '../support/send.ts';
import { BASE, route, SETTINGS, serve } from './serve.ts';

const parts = (owner: () => Owner) => ({
  ...{ settings: SETTINGS, version: '0.0.0', clock: systemClock, log: createLog('silent') },
  ...{ troubles: () => [], asked: [], owner },
});

t.test('a wrong address that leads back to this instance passes a request on once, not round and round', async (t) => {
  let passed = 0;
  const own: Owner = { id: 'north', epoch: 3, address: '', proof: { 'slm-proof': 'by south' } };
  let address = '';
  const standby = await startStandby(
    parts(() => {
      passed += 1;
      return { ...own, address };
    }),
  );
  t.teardown(() => standby.drained(0));
  address = standby.origin;
  const { status, json } = await send(new URL('/roof/live', address), { method: 'GET' });
  t.equal(status, 503);
  t.match(json, { code: 'OWNER_CHANGING', detail: /passed this on .* instance_address/ });
  t.equal(passed, 2);
  const viewer = new WebSocket(`${address.replace('http', 'ws')}/_live`);
  const [error] = await once(viewer, 'error');
  t.match(error.message, /503/);
  t.equal(passed, 4);
});

t.test('an instance that is not reached is told in words, and so that it is no moment', async (t) => {
  const clock = new VirtualClock(undefined, { timersOnly: true });
  const gone = createServer();
  gone.listen(0, '127.0.0.1');
  await once(gone, 'listening');
  const address = `http://127.0.0.1:${(gone.address() as AddressInfo).port}`;
  await once(gone.close(), 'close');
  const owner: Owner = { id: 'north', epoch: 3, address, proof: {} };
  const standby = await startStandby({ ...parts(() => owner), clock });
  t.teardown(() => standby.drained(0));
  const ask = () => send(new URL('/roof/live', standby.origin), { method: 'POST' });
  t.match((await ask()).json, { code: 'OWNER_CHANGING', detail: /has the meters is not reached from this one/ });
  t.notOk(standby.isUnreached, 'it may be about to start');
  await clock.pass(31_000);
  await ask();
  t.ok(standby.isUnreached);
  standby.follow({ ...owner, epoch: 4 });
  t.notOk(standby.isUnreached, 'nothing is known of the next one');
});

t.test('an address that is none is told like one where nobody is, and ends no process', async (t) => {
  const clock = new VirtualClock(undefined, { timersOnly: true });
  // A port has five digits at most, and none is above 65535.
  const owner: Owner = { id: 'north', epoch: 3, address: 'http://127.0.0.1:81000', proof: {} };
  const standby = await startStandby({ ...parts(() => owner), clock });
  t.teardown(() => standby.drained(0));
  standby.follow(owner);
  const ask = () => send(new URL('/roof/live', standby.origin), { method: 'POST' });
  t.match((await ask()).json, { code: 'OWNER_CHANGING', detail: /has the meters is not reached from this one/ });
  const viewer = new WebSocket(`${standby.origin.replace('http', 'ws')}/_live`);
  const [error] = await once(viewer, 'error');
  t.match(error.message, /503/);
  await clock.pass(31_000);
  standby.follow(owner);
  t.ok(standby.isUnreached);
});

t.test('what an instance passes on is no program that takes all connections of one address', async (t) => {
  const most = { connectionsPerAddress: 3 };
  const watched: SocketRoute = {
    ...{ path: '/_live', access: 'viewer', summary: 'Frames', messages: [], errors: [], admit() {}, open() {} },
  };
  const slowly = async () => {
    for (let turns = 0; turns < 100; turns += 1) await nextTurn();
    return {};
  };
  const isProved = ({ headers }: IncomingMessage) => headers['slm-proof'] === 'by south';
  const { http } = await serve(t, {
    ...{ settings: most, routes: [route({ handle: slowly })], sockets: [watched] },
    passedOn: (request) => (isProved(request) ? { byProxy: true } : undefined),
  });
  const owner: Owner = { id: 'north', epoch: 3, address: http.origin, proof: { 'slm-proof': 'by south' } };
  const settings = { ...SETTINGS, ...most, trustedProxies: ['127.0.0.1'] };
  const standby = await startStandby({ ...parts(() => owner), settings });
  t.teardown(() => standby.drained(0));
  const ask = () => send(new URL(`${BASE}/roof/thing`, standby.origin), { method: 'GET' });
  const answers = await Promise.all(Array.from({ length: 20 }, ask));
  t.strictSame([...new Set(answers.map(({ status }) => status))], [200], 'those that come at once');
  for (let viewers = 0; viewers < 8; viewers += 1) {
    const viewer = new WebSocket(`${standby.origin.replace('http', 'ws')}${BASE}/_live`);
    await once(viewer, 'open');
    t.teardown(() => viewer.terminate());
  }
  const own = Array.from({ length: 5 }, () => send(new URL('/health', http.origin), { method: 'GET' }));
  const served = (await Promise.allSettled(own)).filter(({ status }) => status === 'fulfilled');
  t.equal(served.length, 3, 'callers are counted as before');
});

t.test('it is told although nobody asks for anything: the other one is asked for a sign of life', async (t) => {
  const clock = new VirtualClock(undefined, { timersOnly: true });
  let failed = Promise.withResolvers<void>();
  const log = createLog('debug', {
    write: (line: string) => {
      if (line.includes('gives no sign of life')) failed.resolve();
    },
  });
  let isDead = false;
  const asked: (string | undefined)[] = [];
  const other = createServer((request, response) => {
    asked.push(request.url);
    if (isDead) request.socket.destroy();
    else response.end('{}');
  });
  t.teardown(() => other.close());
  await once(other.listen(0, '127.0.0.1'), 'listening');
  const { port } = other.address() as AddressInfo;
  const owner: Owner = { id: 'north', epoch: 3, address: `http://127.0.0.1:${port}`, proof: {} };
  const standby = await startStandby({ ...parts(() => owner), clock, log });
  t.teardown(() => standby.drained(0));
  const said = once(other, 'request');
  standby.follow(owner);
  await said;
  await clock.pass(14_999);
  standby.follow(owner);
  t.strictSame(asked, ['/livez'], 'each quarter of a minute, and not more often');
  isDead = true;
  for (const waitMs of [1, 15_000]) {
    failed = Promise.withResolvers();
    await clock.pass(waitMs);
    standby.follow(owner);
    await failed.promise;
  }
  await clock.pass(29_999);
  t.notOk(standby.isUnreached);
  await clock.pass(1);
  t.ok(standby.isUnreached);
  isDead = false;
  standby.follow(owner);
  while (standby.isUnreached) await nextTurn();
  t.strictSame(asked, ['/livez', '/livez', '/livez', '/livez']);
});

t.test('an instance whose certificate is not accepted, and one that speaks only one of http and https', async (t) => {
  const secure = createTlsServer(selfSigned('north'), (_, response) => response.end());
  const plain = createServer((_, response) => response.end());
  for (const server of [secure, plain]) {
    await once(server.listen(0, '127.0.0.1'), 'listening');
    t.teardown(() => server.close());
  }
  const [tlsPort, plainPort] = [secure, plain].map((server) => (server.address() as AddressInfo).port);
  const told = async (address: string, asked: number) => {
    const clock = new VirtualClock(undefined, { timersOnly: true });
    const standby = await startStandby({ ...parts(() => ({ id: 'north', epoch: 3, address, proof: {} })), clock });
    t.teardown(() => standby.drained(0));
    const details: string[] = [];
    for (let times = 0; times < asked; times += 1) {
      const { status, json } = await send(new URL('/roof/live', standby.origin), { method: 'GET' });
      t.equal(status, 503);
      details.push(json.detail);
    }
    await clock.pass(31_000);
    return { detail: details.at(-1), isUnreached: standby.isUnreached };
  };
  t.match(await told(`https://127.0.0.1:${tlsPort}`, 1), { detail: /accept the certificate/, isUnreached: true });
  t.match(await told(`https://127.0.0.1:${plainPort}`, 1), { detail: /is not reached/, isUnreached: true });
  const toPlain = await startStandby(
    parts(() => ({ id: 'north', epoch: 3, address: `https://127.0.0.1:${plainPort}`, proof: {} })),
  );
  t.teardown(() => toPlain.drained(0));
  const changing = await send(new URL('/roof/start', toPlain.origin), { method: 'POST' });
  t.match(changing.json, { code: 'OUTCOME_UNKNOWN' }, 'TLS that breaks off says nothing about what was done');
  const lost = { detail: /No instance has the meters at this moment/ };
  t.match(await told(`http://127.0.0.1:${tlsPort}`, 1), { ...lost, isUnreached: false }, 'once can be chance');
  t.match(await told(`http://127.0.0.1:${tlsPort}`, 2), { ...lost, isUnreached: true });
});

t.test('whoever waits for an instance that is silent is told as soon as another one has the meters', async (t) => {
  let come = 0;
  const { promise: bothCame, resolve: both } = Promise.withResolvers<void>();
  const silent = createServer(() => {
    come += 1;
    if (come === 2) both();
  });
  const viewers = new WebSocketServer({ server: silent });
  silent.listen(0, '127.0.0.1');
  await once(silent, 'listening');
  const address = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`;
  const owner: Owner = { id: 'north', epoch: 3, address, proof: {} };
  const standby = await startStandby(parts(() => owner));
  t.teardown(async () => {
    await standby.drained(0);
    for (const viewer of viewers.clients) viewer.terminate();
    silent.closeAllConnections();
    await once(silent.close(), 'close');
  });
  const url = (path: string) => new URL(path, standby.origin);
  const socket = new WebSocket(url('/_live').href.replace('http', 'ws'));
  const closed = once(socket, 'close');
  const seen = once(viewers, 'connection');
  const asked = ['GET', 'POST'].map((method) => send(url('/roof/start'), { method }));
  await once(socket, 'open');
  const [viewer] = await seen;
  const left = once(viewer, 'close');
  await bothCame;

  standby.follow(owner);
  t.equal(socket.readyState, WebSocket.OPEN, 'the same one: nothing is ended');
  standby.follow({ ...owner, epoch: 4 });
  const answers = await Promise.all(asked);
  t.match(answers, [
    { status: 503, json: { code: 'OWNER_CHANGING' } },
    { status: 502, json: { code: 'OUTCOME_UNKNOWN' } },
  ]);
  t.equal(answers[0]?.headers.get('retry-after'), '5');
  t.strictSame((await closed)[0], 1_006, 'without a word of the gateway');
  await left;
});

t.test('whoever asks by way of it waits as long as a handler may take', async (t) => {
  const { prototype } = ClientRequest;
  const limits = t.capture(prototype, 'setTimeout', prototype.setTimeout);
  const gateway = createServer((_request, response) => response.end('{}'));
  gateway.listen(0, '127.0.0.1');
  await once(gateway, 'listening');
  const address = `http://127.0.0.1:${(gateway.address() as AddressInfo).port}`;
  const standby = await startStandby({
    ...{ settings: SETTINGS, version: '0.0.0', clock: systemClock, log: createLog('silent') },
    ...{ troubles: () => [], asked: [], owner: () => ({ id: 'north', epoch: 3, address, proof: {} }) },
  });
  t.teardown(async () => {
    await standby.drained(0);
    gateway.closeAllConnections();
    await once(gateway.close(), 'close');
  });
  t.equal((await send(new URL('/roof/doctor', standby.origin), { method: 'GET' })).status, 200);
  t.strictSame(
    limits().map(({ args: [ms] }) => ms),
    [145_000],
    '140 s, and a little for the way',
  );
});
