import t from 'tap';
import type { Context } from '../../lib/http/context.ts';
import { knownHost } from '../../lib/http/origin.ts';
import type { HttpSettings } from '../../lib/http/server.ts';
import { request, send } from '../support/raw.ts';
import { standIn } from '../support/stand-in.ts';
import { BASE, route, type Served, type Serving, serve } from './serve.ts';

const path = `${BASE}/roof/thing`;
const SERVING: Serving = { routes: [route({}), route({ method: 'POST' })] };
const served = (t: Parameters<typeof serve>[0], settings: Partial<HttpSettings> = {}) =>
  serve(t, { ...SERVING, settings });

const as = ({ http }: Served, line: string, headers: Record<string, string>) =>
  request(http.port, line, { Host: `127.0.0.1:${http.port}`, ...headers });

const outcome = ({ status, body }: { status: number; body?: { code?: string } }) =>
  `${status} ${body?.code ?? ''}`.trim();

t.test('bound to loopback the gateway accepts loopback names and listed names', async (t) => {
  const at = await served(t, { allowedHosts: ['Gateway.example.org', '2001:db8::7'] });
  const good = [
    'localhost',
    'localhost:8100',
    'LOCALHOST.',
    'app.localhost',
    '127.0.0.1',
    '127.8.9.10:1',
    '[::1]:8100',
  ];
  for (const host of [...good, 'gateway.EXAMPLE.org:443', '[2001:db8::7]']) {
    t.equal(outcome(await as(at, `GET ${path}`, { Host: host })), '200', host);
  }
  const wrong = [
    ...['evil.example', 'localhost.evil.example', '127.0.0.1.evil.example', 'evil.example:8100', '0.0.0.0', '[::]'],
    ...['192.168.1.7', '[fe80::1]', '', ' ', 'a b', 'localhost:port', 'localhost:1:2', 'user@localhost', 'localhost/'],
  ];
  for (const host of wrong) {
    t.equal(outcome(await as(at, `GET ${path}`, { Host: host })), '421 WRONG_HOST', JSON.stringify(host));
    for (const probe of ['/health', '/livez', '/readyz']) {
      t.equal(outcome(await as(at, `GET ${probe}`, { Host: host })), '200', 'but those who look after it may ask');
    }
  }
});

t.test('bound to the network it accepts addresses and the name of the machine, too', async (t) => {
  const asked = async (host: string) => {
    const check = knownHost({ host: '0.0.0.0', allowedHosts: [] }, 'BOX');
    const context = standIn<Context>({ path: '/', state: { peer: { host } }, req: { rawHeaders: ['Host', host] } });
    return check(context);
  };
  for (const host of ['192.168.1.7:8100', '[2001:db8::7]', 'localhost', 'box', 'Box.local:8100']) {
    await t.resolves(asked(host), host);
  }
  for (const host of ['evil.example', 'box.evil.example', '']) {
    await t.rejects(asked(host), { code: 'WRONG_HOST' }, host);
  }
});

t.test('two Host headers, or none, are refused', async (t) => {
  const at = await served(t);
  const two = await as(at, `GET ${path}`, { Host: 'localhost\r\nHost: evil.example' });
  t.equal(outcome(two), '421 WRONG_HOST');
  t.equal(outcome(await request(at.http.port, `GET ${path}`)), '400 MALFORMED_REQUEST', 'HTTP/1.1 asks for one');
  const old = await send(at.http.port, `GET ${path} HTTP/1.0\r\n\r\n`);
  t.equal(outcome(old), '421 WRONG_HOST', 'HTTP/1.0 does not, the gateway does');
});

t.test('a request without Host is refused, also with an upgrade, an expectation or a proxy', async (t) => {
  const at = await served(t, { trustedProxies: ['127.0.0.1'] });
  const upgrade = {
    Connection: 'Upgrade',
    Upgrade: 'websocket',
    'Sec-WebSocket-Version': '13',
    'Sec-WebSocket-Key': 'dGhlIHNhbXBsZSBub25jZQ==',
  };
  const named = { 'X-Forwarded-Host': 'localhost' };
  for (const headers of [upgrade, named, { ...upgrade, ...named }, { Expect: '100-continue', ...named }]) {
    const { text } = await request(at.http.port, `GET ${path}`, headers as Record<string, string>);
    t.match(text, /HTTP\/1\.1 400 [\s\S]*"code":"MALFORMED_REQUEST"/, JSON.stringify(headers));
    t.notMatch(text, / 200 OK/);
  }
});

t.test('an expectation that nobody knows is 417 as JSON', async (t) => {
  const at = await served(t);
  const answer = await as(at, `POST ${path}`, { Expect: '200-maybe' });
  t.equal(outcome(answer), '417 EXPECTATION_FAILED');
  t.match(answer, { body: { detail: /100-continue/ }, headers: { 'x-content-type-options': 'nosniff' } });
});

t.test('a page of another origin gets nothing, whatever the method', async (t) => {
  const at = await served(t);
  const own = `http://127.0.0.1:${at.http.port}`;
  for (const method of ['GET', 'POST', 'PUT', 'DELETE', 'OPTIONS']) {
    for (const origin of ['https://evil.example', 'null', own.replace('http', 'https'), 'http://localhost:3000', 'x']) {
      const answer = await as(at, `${method} ${path}`, { Origin: origin });
      t.equal(outcome(answer), '403 FOREIGN_ORIGIN', `${method} ${origin}`);
      t.notOk(
        Object.keys(answer.headers).some((name) => name.startsWith('access-control')),
        'and no CORS',
      );
    }
  }
  t.equal(outcome(await as(at, `POST ${path}`, { Origin: own })), '200', 'our own page');
  t.equal(outcome(await as(at, `POST ${path}`, {})), '200', 'no browser');
});

t.test('a browser that says a request comes from another site is believed', async (t) => {
  const at = await served(t);
  const site = (site: string, mode = 'no-cors', dest = 'image') =>
    as(at, `GET ${path}`, { 'Sec-Fetch-Site': site, 'Sec-Fetch-Mode': mode, 'Sec-Fetch-Dest': dest });
  t.equal(outcome(await site('cross-site')), '403 FOREIGN_ORIGIN', 'an image');
  t.equal(outcome(await site('same-site')), '403 FOREIGN_ORIGIN', 'a coordinator port');
  t.equal(outcome(await site('cross-site', 'navigate', 'iframe')), '403 FOREIGN_ORIGIN', 'a frame');
  t.equal(outcome(await site('cross-site', 'navigate', 'document')), '200', 'a link that is followed');
  t.equal(outcome(await site('same-origin')), '200');
  t.equal(outcome(await site('none')), '200', 'typed by hand');
});

t.test('a listed origin may call, and is answered with its own name alone', async (t) => {
  const at = await served(t, { allowedOrigins: ['https://dash.example'] });
  const good = await as(at, `POST ${path}`, { Origin: 'https://dash.example' });
  t.equal(good.status, 200);
  t.equal(good.headers['access-control-allow-origin'], 'https://dash.example');
  t.equal(good.headers.vary, 'Origin');
  t.notOk(good.headers['access-control-allow-credentials']);
  const preflight = await as(at, `OPTIONS ${path}`, {
    Origin: 'https://dash.example',
    'Access-Control-Request-Method': 'PUT',
    'Access-Control-Request-Headers': 'authorization, x-evil',
  });
  t.equal(preflight.status, 204);
  t.match(preflight.headers, {
    'access-control-allow-origin': 'https://dash.example',
    'access-control-allow-methods': /PUT/,
    'access-control-allow-headers': /Authorization/,
  });
  t.notMatch(preflight.text, /x-evil/, 'nothing is reflected');
  for (const origin of ['null', 'https://evil.example', 'https://dash.example.evil', 'http://dash.example']) {
    const answer = await as(at, `OPTIONS ${path}`, { Origin: origin, 'Access-Control-Request-Method': 'PUT' });
    t.equal(outcome(answer), '403 FOREIGN_ORIGIN', origin);
    t.notOk(answer.headers['access-control-allow-origin']);
  }
  t.equal(
    (await as(at, `GET ${BASE}/none/x/y`, { Origin: 'https://dash.example' })).headers['access-control-allow-origin'],
    'https://dash.example',
    'an error can be read, too',
  );
});

t.test('headers of a proxy count only if the proxy is listed', async (t) => {
  const seen: string[] = [];
  const authenticator: Serving['authenticator'] = ({ address }) => {
    seen.push(address);
    return { name: 'x', keyId: null, role: 'admin', units: null, address, stillValid: () => true };
  };
  const forwarded = {
    'X-Forwarded-For': '203.0.113.9, 198.51.100.4, 127.0.0.9',
    'X-Forwarded-Proto': 'https',
    'X-Forwarded-Host': 'gateway.example',
    Origin: 'https://gateway.example',
  };
  const stranger = await serve(t, { ...SERVING, authenticator });
  t.equal(outcome(await as(stranger, `POST ${path}`, forwarded)), '403 FOREIGN_ORIGIN');
  t.equal(outcome(await as(stranger, `POST ${path}`, { 'X-Forwarded-For': '203.0.113.9' })), '200');
  const settings = { trustedProxies: ['127.0.0.0/8'], allowedHosts: ['gateway.example'] };
  const trusting = await serve(t, { ...SERVING, authenticator, settings });
  const answer = await as(trusting, `POST ${path}`, forwarded);
  t.equal(outcome(answer), '200', 'its own page under the name of the proxy');
  t.match(answer.headers['strict-transport-security'], /max-age/);
  for (const hops of ['nonsense', '203.0.113.9, nonsense', '', '203.0.113.9:80']) {
    await as(trusting, `POST ${path}`, { 'X-Forwarded-For': hops });
  }
  t.strictSame(seen, ['127.0.0.1', '198.51.100.4', '127.0.0.1', '127.0.0.1', '127.0.0.1', '127.0.0.1']);
});

t.test('every answer forbids a browser to run, frame, guess or keep it, and names no server', async (t) => {
  const at = await served(t);
  const answers = [
    await as(at, `GET ${path}`, {}),
    await as(at, `GET ${BASE}/<script>`, {}),
    await as(at, 'GET /health', {}),
    await as(at, `GET ${path}`, { Host: 'evil.example' }),
    await as(at, 'BREW /pot', {}),
  ];
  for (const { headers, status } of answers) {
    t.match(
      headers,
      {
        'content-type': 'application/json; charset=utf-8',
        'x-content-type-options': 'nosniff',
        'cache-control': 'no-store',
        'referrer-policy': 'no-referrer',
        'content-security-policy': /default-src 'none'.*frame-ancestors 'none'/,
      },
      `${status}`,
    );
    t.notMatch(headers['content-security-policy'], 'unsafe');
    for (const name of ['server', 'x-powered-by', 'strict-transport-security', 'set-cookie'])
      t.notOk(headers[name], name);
  }
});

t.test('a path that is too long is 414, headers that are too large 431', async (t) => {
  const at = await served(t);
  t.equal(outcome(await as(at, `GET ${path}?x=${'a'.repeat(8_192)}`, {})), '414 URI_TOO_LONG');
  t.equal(outcome(await as(at, `GET ${path}`, { 'X-Large': 'a'.repeat(20_000) })), '431 HEADERS_TOO_LARGE');
  t.equal(outcome(await as(at, `GET ${path}?x=${'a'.repeat(20_000)}`, {})), '431 HEADERS_TOO_LARGE');
});
