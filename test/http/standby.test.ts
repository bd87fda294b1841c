/** The server of an instance that is not active: it says so to programs, browsers and probes, and where the active one is. */
import { once } from 'node:events';
import { connect } from 'node:net';
import t, { type Test } from 'tap';
import { startStandby } from '../../lib/http/standby.ts';
import { createLog } from '../../lib/log.ts';
import { VirtualClock } from '../../simulator/index.ts';
import { send } from '../support/send.ts';
import { SETTINGS } from './serve.ts';

async function open(t: Test, active: string | undefined) {
  const standby = await startStandby({
    settings: SETTINGS,
    version: '1',
    clock: new VirtualClock(),
    log: createLog('silent'),
    troubles: () => [],
    waits: () => 'This instance is a standby: north is active.',
    active: () => active,
  });
  t.teardown(() => standby.drained(0));
  const ask = (path: string, method = 'GET', headers: Record<string, string> = {}) =>
    send(new URL(path, standby.origin), { method, headers });
  return { standby, ask };
}

const NORTH = 'http://192.0.2.10:8100';

t.test('for a probe the standby lives and is not ready', async (t) => {
  const { ask } = await open(t, NORTH);
  t.equal((await ask('/livez')).status, 200);
  t.equal((await ask('/health')).json.status, 'ok');
  const ready = await ask('/readyz');
  t.match(ready, { status: 503, json: { code: 'NOT_READY', detail: /north is active/ } });
});

t.test('a program gets STANDBY with the address of the active instance, whatever it asks', async (t) => {
  const { ask } = await open(t, NORTH);
  for (const [method, path] of [
    ['GET', '/api/nl43/roof/live'],
    ['PUT', '/api/nl43/roof/config'],
    ['DELETE', '/'],
  ] as const) {
    const answer = await ask(path, method);
    t.match(answer, { status: 503, json: { code: 'STANDBY', active: NORTH } });
    t.equal(answer.headers.get('retry-after'), '5');
  }
});

t.test('while no instance is active, a request gets OWNER_CHANGING', async (t) => {
  const { ask } = await open(t, undefined);
  const answer = await ask('/api/nl43/roof/live');
  t.match(answer, { status: 503, json: { code: 'OWNER_CHANGING' } });
  t.notOk('active' in answer.json);
});

t.test('a browser gets a page that goes to the same page of the active instance', async (t) => {
  const { ask } = await open(t, NORTH);
  const page = await ask('/live?unit=roof', 'GET', { Accept: 'text/html' });
  t.equal(page.status, 503);
  t.match(page.headers.get('content-type'), /text\/html/);
  t.equal(page.headers.get('refresh'), `2; url=${NORTH}/live?unit=roof`);
  t.match(page.text, `<a href="${NORTH}/live?unit=roof">`);
  const changing = await (await open(t, undefined)).ask('/live', 'GET', { Accept: 'text/html' });
  t.equal(changing.headers.get('refresh'), '5');
});

t.test('a wrong address of another instance is not followed', async (t) => {
  const { ask } = await open(t, 'javascript:alert(1)//"><b>');
  const page = await ask('/', 'GET', { Accept: 'text/html' });
  t.notMatch(page.text, /javascript|<b>/);
  t.equal(page.headers.get('refresh'), '5');
  t.notMatch((await ask('/')).text, 'javascript');
});

t.test('a WebSocket is refused with the same code', async (t) => {
  const { standby } = await open(t, NORTH);
  const socket = connect(standby.port, '127.0.0.1');
  socket.write(
    'GET /api/nl43/roof/live HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n',
  );
  const [answer] = await once(socket, 'data');
  t.match(String(answer), /^HTTP\/1\.1 503 [\s\S]*"code":"STANDBY"/);
  socket.destroy();
});

t.test('the refusal does not wait for the body of a program', async (t) => {
  const { standby } = await open(t, NORTH);
  const socket = connect(standby.port, '127.0.0.1');
  socket.write('PUT /api/nl43/roof/config HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\n{');
  const [answer] = await once(socket, 'data');
  t.match(String(answer), /^HTTP\/1\.1 503 /);
  socket.destroy();
});
