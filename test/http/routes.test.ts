import t from 'tap';
import { GatewayError } from '../../lib/errors.ts';
import { anybody } from '../../lib/http/arrival.ts';
import type { Request } from '../../lib/http/contract.ts';
import { BASE, route, serve } from './serve.ts';

const seen: Request[] = [];
const remember = (request: Request) => {
  seen.push(request);
  return {};
};
const unit = `${BASE}/roof/thing`;

t.beforeEach(() => void seen.splice(0));

t.test('a route answers with status ok and its own properties', async (t) => {
  const { ask } = await serve(t, { routes: [route({ answer: { n: { type: 'integer' } }, handle: () => ({ n: 7 }) })] });
  const { status, body, headers } = await ask('GET', unit);
  t.equal(status, 200);
  t.strictSame(body, { status: 'ok', n: 7 });
  t.match(headers.get('x-request-id'), /^[0-9a-f-]{36}$/);
  t.equal(headers.get('x-content-type-options'), 'nosniff');
});

t.test('HEAD is answered where GET is, without a body', async (t) => {
  const { ask } = await serve(t, { routes: [route({})] });
  const { status, body } = await ask('HEAD', unit);
  t.equal(status, 200);
  t.equal(body, '');
});

t.test('an unknown path is a JSON 404', async (t) => {
  const { ask } = await serve(t, { routes: [route({})] });
  for (const path of ['/', '/nothing', BASE, `${BASE}/roof`, `${BASE}/roof/thing/more`, `${BASE}//thing`]) {
    const { status, body } = await ask('GET', path);
    t.equal(status, 404, path);
    t.equal(body.code, 'NOT_FOUND', path);
  }
});

t.test('a wrong method is 405 and Allow names the right methods', async (t) => {
  const { ask } = await serve(t, { routes: [route({}), route({ method: 'PUT' })] });
  for (const method of ['POST', 'DELETE', 'PATCH', 'OPTIONS']) {
    const { status, body, headers } = await ask(method, unit);
    t.equal(status, 405, method);
    t.equal(body.code, 'METHOD_NOT_ALLOWED');
    t.equal(headers.get('allow'), 'GET, HEAD, PUT');
  }
});

t.test('a malformed unit_id is an unknown unit, and invalid if the path would create it', async (t) => {
  const routes = [route({ handle: remember }), route({ method: 'PUT', createsUnit: true, handle: remember })];
  const { ask } = await serve(t, { routes });
  for (const id of ['.x', '-x', 'a%20b', 'a%0Ab', 'a%00', '%zz', 'x'.repeat(65), '__proto__', '%2e%2e%2f']) {
    const got = await ask('GET', `${BASE}/${id}/thing`);
    t.equal(`${got.status} ${got.body.code}`, '404 UNIT_NOT_FOUND', id);
    const put = await ask('PUT', `${BASE}/${id}/thing`);
    t.equal(`${put.status} ${put.body.code}`, '422 INVALID', id);
    t.equal(put.body.errors[0].path, '/unit_id');
  }
  t.equal(seen.length, 0, 'no handler ran');
});

t.test('the handler gets the unit_id and a caller whose wait the caller may shorten', async (t) => {
  const { ask } = await serve(t, { routes: [route({ handle: remember })] });
  await ask('GET', `${BASE}/Roof_1.a-b/thing`);
  await ask('GET', unit, { headers: { 'Request-Timeout': '2.5' } });
  await ask('GET', unit, { headers: { 'Request-Timeout': '900' } });
  await ask('GET', `${unit}?timeout_s=1.5`);
  await ask('GET', `${unit}?timeout_s=4`, { headers: { 'Request-Timeout': '3' } });
  t.equal(seen[0]?.unitId, 'Roof_1.a-b');
  t.strictSame(
    seen.map(({ caller }) => caller.deadlineMs),
    [30_000, 2_500, 30_000, 1_500, 3_000],
  );
  for (const wrong of ['0', '-1', 'soon', '1e3', '5s']) {
    const { status, body } = await ask('GET', unit, { headers: { 'Request-Timeout': wrong } });
    t.equal(`${status} ${body.errors?.[0]?.path}`, '422 /Request-Timeout', wrong);
  }
  for (const wrong of ['', '0', '-1', 'soon', '1e3', '5s', '1&timeout_s=2']) {
    const { status, body } = await ask('GET', `${unit}?timeout_s=${wrong}`);
    t.equal(`${status} ${body.errors?.[0]?.path}`, '422 /timeout_s', wrong);
  }
});

t.test('query parameters are read as their type, and those that are not known are ignored', async (t) => {
  const query = {
    channel: { enum: ['Main', 'Sub1'], default: 'Main' },
    n: { type: 'integer', minimum: 0 },
    deep: { type: 'boolean' },
  };
  const { ask } = await serve(t, { routes: [route({ query, handle: remember })] });
  await ask('GET', unit);
  await ask('GET', `${unit}?channel=Sub1&n=12&deep=true`);
  await ask('GET', `${unit}?utm_source=x&other=1&other=2&__proto__=1&constructor=1&n=0`);
  t.strictSame(
    seen.map((request) => request.query),
    [{ channel: 'Main' }, { channel: 'Sub1', n: 12, deep: true }, { channel: 'Main', n: 0 }],
  );
  seen.splice(0);
  const wrong = {
    'channel=Main%0D%0AMeasure,Stop': '/channel',
    'channel=main': '/channel',
    'channel=': '/channel',
    'channel=Main&channel=Main': '/channel',
    'n=0x10': '/n',
    'n=-1': '/n',
    'n=1.5': '/n',
    'deep=1': '/deep',
  };
  for (const [text, path] of Object.entries(wrong)) {
    const { status, body } = await ask('GET', `${unit}?${text}`);
    t.equal(`${status} ${body.code} ${body.errors?.[0]?.path}`, `422 INVALID ${path}`, text);
  }
  const broken = await ask('GET', `${unit}?n=1&name=%ff`);
  t.equal(`${broken.status} ${broken.body.code}`, '400 MALFORMED_REQUEST', 'an escape that is no UTF-8');
  t.equal(seen.length, 0, 'no handler ran');
});

t.test('an error of the table becomes its status, code and text, with its headers', async (t) => {
  const handle = () => {
    throw new GatewayError('DEVICE_BUSY', 'too many wait', { headers: { 'Retry-After': '3' } });
  };
  const { ask } = await serve(t, { routes: [route({ errors: ['DEVICE_BUSY'], handle })] });
  const { status, body, headers } = await ask('GET', unit);
  t.equal(status, 503);
  t.strictSame(body, { detail: 'too many wait', code: 'DEVICE_BUSY' });
  t.equal(headers.get('retry-after'), '3');
});

t.test('a gateway that stops or changes owner says after how many seconds to ask again', async (t) => {
  for (const code of ['STOPPING', 'OWNER_CHANGING'] as const) {
    const handle = () => {
      throw new GatewayError(code, 'not now', { headers: { Connection: 'close' } });
    };
    const { ask } = await serve(t, { routes: [route({ errors: [code], handle })] });
    const { status, headers } = await ask('GET', unit);
    t.equal(`${status} ${headers.get('retry-after')} ${headers.get('connection')}`, '503 5 close', code);
  }
});

t.test('a fault is 500 with the request id alone; the log has the reason', async (t) => {
  const handle = () => {
    throw new Error('secret at /home/someone/key');
  };
  const { ask, log } = await serve(t, { routes: [route({ handle })] });
  const { status, body, headers } = await ask('GET', unit, { headers: { 'X-Request-Id': 'my-own.id' } });
  t.equal(status, 500);
  t.equal(body.code, 'INTERNAL');
  t.equal(headers.get('x-request-id'), 'my-own.id');
  t.match(body.detail, /my-own\.id/);
  t.notMatch(JSON.stringify(body), /secret|home|routes\.test/);
  t.ok(log.some((line) => line.includes('secret at') && line.includes('my-own.id')));
});

t.test('a request id that is no plain word is replaced', async (t) => {
  const { ask } = await serve(t, { routes: [route({})] });
  for (const id of ['a b', 'x'.repeat(65), '{"a":1}']) {
    const { headers } = await ask('GET', unit, { headers: { 'X-Request-Id': id } });
    t.match(headers.get('x-request-id'), /^[0-9a-f-]{36}$/, id);
  }
});

t.test('every endpoint passes the authenticator with what its route declares', async (t) => {
  const visits: string[] = [];
  const { ask } = await serve(t, {
    routes: [route({ handle: remember }), route({ method: 'POST', path: '/', access: 'admin' })],
    authenticator: ({ access, method, unitId, upgrade, scope, address }) => {
      visits.push([access, method, unitId, upgrade, scope, address].join(' '));
      if (unitId === 'cellar') throw new GatewayError('UNIT_NOT_FOUND', 'not for you');
      return anybody(address);
    },
  });
  t.equal((await ask('GET', unit)).status, 200);
  t.equal((await ask('POST', BASE)).status, 200);
  t.equal((await ask('GET', `${BASE}/cellar/thing?wrong=1`)).status, 404, 'refused before the input is looked at');
  t.strictSame(visits, [
    'viewer GET roof false unit 127.0.0.1',
    'admin POST  false all 127.0.0.1',
    'viewer GET cellar false unit 127.0.0.1',
  ]);
  t.equal(seen.length, 1);
});

t.test('health and the OpenAPI document are there without any route', async (t) => {
  const { ask } = await serve(t, {});
  const health = await ask('GET', '/health');
  t.match(health.body, { status: 'ok', version: '1.2.3', uptime_s: 0 });
  const { body } = await ask('GET', `${BASE}/openapi.json`);
  t.equal(body.openapi, '3.1.0');
});

t.test('a part that does not work is named in /health, and /readyz says that the gateway is not ready', async (t) => {
  const problems = [{ part: 'plugin live', detail: 'The plugin live failed at step register.' }];
  let troubles: typeof problems = [];
  const { ask } = await serve(t, { troubles: () => troubles });
  t.match(await ask('GET', '/readyz'), { status: 200, body: { status: 'ok' } });
  troubles = problems;
  t.match((await ask('GET', '/health')).body, { status: 'degraded', problems });
  t.match(await ask('GET', '/readyz'), { status: 503, body: { code: 'NOT_READY', detail: problems[0]?.detail } });
  t.match(await ask('GET', '/livez'), { status: 200, body: { status: 'ok' } }, 'a restart would not help');
});
