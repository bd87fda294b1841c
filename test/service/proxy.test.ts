/** HAProxy with the file of `deploy` in front of two instances: whom it asks, what it says of the caller, and WebSockets. */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import t, { type Test } from 'tap';
import { WebSocket, WebSocketServer } from 'ws';

const FILE = fileURLToPath(new URL('../../deploy/haproxy.cfg', import.meta.url));
const MISSING = hasHaproxy() ? false : 'haproxy is not here: apt-get install haproxy';

function hasHaproxy(): boolean {
  try {
    execFileSync('haproxy', ['-v'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/** Answers like an active instance or a standby, with its name and the request. */
async function instance(t: Test, name: string) {
  const state = { ready: false, alive: true };
  const server = createServer((asked, answer) => {
    const ok = asked.url === '/readyz' ? state.ready : asked.url === '/livez' ? state.alive : true;
    const { host, 'x-forwarded-for': by, 'x-forwarded-proto': proto, 'x-forwarded-host': named } = asked.headers;
    answer.writeHead(ok ? 200 : 503).end(JSON.stringify({ name, host, by, proto, named, method: asked.method }));
  });
  const sockets = new WebSocketServer({ server });
  sockets.on('connection', (socket) => socket.on('message', (message) => socket.send(`${name}: ${message}`)));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const stop = async () => {
    for (const socket of sockets.clients) socket.terminate();
    server.closeAllConnections();
    if (server.listening) await new Promise((resolve) => server.close(resolve));
  };
  t.teardown(stop);
  return { state, stop, address: `127.0.0.1:${(server.address() as AddressInfo).port}` };
}

async function openProxy(t: Test) {
  const [north, south] = [await instance(t, 'north'), await instance(t, 'south')];
  // The path of a socket has at most 108 characters.
  const folder = mkdtempSync(join(tmpdir(), 'slm-proxy-'));
  const socketPath = join(folder, 'http');
  const env = {
    PATH: process.env.PATH,
    SLM_PROXY_BIND: `unix@${socketPath}`,
    SLM_NORTH: north.address,
    SLM_SOUTH: south.address,
  };
  execFileSync('haproxy', ['-c', '-f', FILE], { env, stdio: 'pipe' });
  const proxy = spawn('haproxy', ['-db', '-f', FILE], { env, stdio: 'ignore' });
  const ended = once(proxy, 'exit');
  t.teardown(async () => {
    proxy.kill('SIGKILL');
    await ended;
    rmSync(folder, { recursive: true, force: true });
  });
  const ask = async (method = 'GET', path = '/api/nl43/_about') => {
    const answer = await new Promise<IncomingMessage>((resolve, reject) => {
      const headers = { host: 'slm.example.org', 'x-forwarded-for': '192.0.2.99', 'x-forwarded-host': 'other.example' };
      request({ socketPath, path, method, headers, agent: false }, resolve).on('error', reject).end();
    });
    return { status: answer.statusCode, headers: answer.headers, body: JSON.parse((await text(answer)) || '{}') };
  };
  /** Asks until this one answers: its checks take their time. The limit of the test ends it. */
  const until = async (name: string) => {
    for (;;) {
      const found = await ask().catch(() => undefined);
      if (found?.body.name === name) return found;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  };
  return { north, south, ask, until, socketPath };
}

t.test('the active instance is asked, and gets the address of the caller', { skip: MISSING }, async (t) => {
  const { north, south, ask, until, socketPath } = await openProxy(t);
  south.state.ready = true;
  const { body } = await until('south');
  t.match(body, { host: 'slm.example.org', named: 'slm.example.org', proto: 'http' });
  t.not(body.by, '192.0.2.99', 'what a caller says of itself does not count');
  t.equal((await ask('POST')).body.method, 'POST');

  const socket = new WebSocket(`ws+unix://${socketPath}:/api/nl43/roof/live`);
  t.teardown(() => socket.terminate());
  await once(socket, 'open');
  socket.send('hello');
  const [heard] = await once(socket, 'message');
  t.equal(String(heard), 'south: hello', 'a WebSocket passes');

  south.state.ready = false;
  north.state.ready = true;
  await until('north');
  socket.send('still there');
  t.equal(String((await once(socket, 'message'))[0]), 'south: still there', 'what is open stays where it is');
});

t.test('while no instance is active, a living instance answers', { skip: MISSING }, async (t) => {
  const { north, south, until, ask } = await openProxy(t);
  await north.stop();
  await until('south');
  t.equal((await ask()).status, 200);
  south.state.ready = true;
  t.equal((await until('south')).status, 200);
});

t.test('while its checks have found no living instance, it answers like a gateway', { skip: MISSING }, async (t) => {
  const { north, south, until, ask } = await openProxy(t);
  north.state.ready = true;
  await until('north');
  await Promise.all([north.stop(), south.stop()]);
  const { status, headers, body } = await ask();
  t.match([status, body.code], [503, 'OWNER_CHANGING'], 'a program reads JSON in each answer');
  t.match(body.detail, 'Ask again in a few seconds.');
  t.match(headers, { 'retry-after': '5', 'content-type': 'application/json' });
});
