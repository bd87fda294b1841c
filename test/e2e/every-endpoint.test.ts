/** Rules for every endpoint: unknown unit, disabled protocol, wrong input. */
import t, { type Test } from 'tap';
import { CONTROLS, ENDPOINTS, type Endpoint, nameOf } from '../support/endpoints.ts';
import { type Answer, openWorld, type World } from '../support/world.ts';

const ask = (world: World, { method, path, body }: Endpoint, unit = 'sim-1'): Promise<Answer> =>
  world.ask(method, `/${unit}${path}`, body ? { json: body } : {});

/** No byte and no connection came to the meter. */
const untouched = (t: Test, world: World, what: string) => {
  const touched = world.meter.log.events.filter(({ kind }) => kind === 'in' || kind === 'connect' || kind === 'ftp');
  t.same(touched, [], what);
};

t.test('an endpoint of a unit without config answers 404 UNIT_NOT_FOUND', async (t) => {
  const world = await openWorld(t);
  for (const endpoint of ENDPOINTS.filter(
    ({ method, path }) => nameOf({ method, path } as Endpoint) !== 'PUT /config',
  )) {
    for (const unit of ['nobody', 'constructor', '__proto__', 'sim-1%0d%0aMeasure,Start', '%00', 'a'.repeat(65)]) {
      const { status, body } = await ask(world, endpoint, unit);
      t.match(
        { status, body },
        { status: 404, body: { code: 'UNIT_NOT_FOUND', detail: String } },
        `${nameOf(endpoint)} ${unit}`,
      );
    }
  }
  untouched(t, world, 'and nothing reached the meter');
});

t.test('a config of a malformed unit_id is refused with 422 that names it', async (t) => {
  const world = await openWorld(t, { meters: 0 });
  for (const unit of ['__proto__', '.x', '-x', 'a'.repeat(65), 'a%20b', 'a%0d%0a', 'a%00', 'a,b', '%E4']) {
    const { status, body } = await world.put(`/${unit}/config`, { host: '127.0.0.1' });
    t.match({ status, body }, { status: 422, body: { code: 'INVALID', errors: [{ path: '/unit_id' }] } }, unit);
  }
  t.same((await world.get('')).body.units, [], 'and none is created');
});

t.test('a disabled protocol answers 403, and the rest goes on', async (t) => {
  const world = await openWorld(t);
  await world.put('/sim-1/config', { tcp_enabled: false, ftp_enabled: false });
  world.meter.log.clear();
  const codes = { control: 'TCP_DISABLED', card: 'FTP_DISABLED' } as const;
  for (const endpoint of ENDPOINTS.filter(({ kind }) => kind === 'control' || kind === 'card')) {
    const { status, body } = await ask(world, endpoint);
    const code = codes[endpoint.kind as 'control' | 'card'];
    t.match({ status, body }, { status: 403, body: { code, detail: /enabled/ } }, nameOf(endpoint));
  }
  t.equal((await world.get('/sim-1/status')).status, 200, 'GET /status');
  t.equal((await world.get('/sim-1/config')).status, 200, 'GET /config');
  untouched(t, world, 'and nothing reached the meter');
});

t.test('input that an endpoint does not take is 422 with its place, and puts no byte on the line', async (t) => {
  const world = await openWorld(t);
  for (const endpoint of ENDPOINTS) {
    for (const { query = '', body, at } of endpoint.bad ?? []) {
      const json = body ?? endpoint.body;
      const path = `/sim-1${endpoint.path}${query}`;
      const answer = await world.asked(endpoint.method, path, json === undefined ? {} : { json });
      const what = `${nameOf(endpoint)} ${query}${body ? JSON.stringify(body) : ''}`;
      t.match(answer, { status: 422, body: { code: 'INVALID', detail: /^[A-Z].*\.$/ } }, what);
      t.ok(
        answer.body.errors?.some(({ path }: { path: string }) => path === at),
        `${what} names ${at}`,
      );
    }
  }
  untouched(t, world, 'nothing reached the meter');
});

t.test('a body that cannot be read is 400, 415 or 413, and puts no byte on the line', async (t) => {
  const world = await openWorld(t);
  for (const { method, path } of ENDPOINTS.filter(
    (endpoint) => endpoint.method === 'PUT' || endpoint.method === 'POST',
  )) {
    const send = (raw: string, type = 'application/json') =>
      world.asked(method, `/sim-1${path}`, { raw, headers: { 'Content-Type': type } });
    t.match(await send('{"a":'), { status: 400, body: { code: 'MALFORMED_JSON' } }, `${method} ${path} malformed`);
    t.match(
      await send('a=b', 'application/x-www-form-urlencoded'),
      { status: 415, body: { code: 'NOT_JSON' } },
      `${path} form`,
    );
    t.match(await send('{}', 'text/plain'), { status: 415, body: { code: 'NOT_JSON' } }, `${method} ${path} text`);
    t.match(await send('[]'), { status: 422, body: { code: 'INVALID' } }, `${method} ${path} array`);
    t.match(await send('null'), { status: 422, body: { code: 'INVALID' } }, `${method} ${path} null`);
    const large = await send(JSON.stringify({ host: 'a'.repeat(70_000) }));
    t.match(large, { status: 413, body: { code: 'BODY_TOO_LARGE' } }, `${method} ${path} large`);
  }
  untouched(t, world, 'nothing reached the meter');
});

t.test('names that objects have of their own are no properties of a body', async (t) => {
  const world = await openWorld(t);
  // The JSON parser refuses `__proto__` by itself, the schemas refuse the others.
  const refusals = { __proto: 'INVALID', constructor: 'INVALID', toString: 'INVALID', ['__proto__']: 'INVALID' };
  for (const { method, path } of ENDPOINTS.filter(({ method }) => method === 'PUT' || method === 'POST')) {
    for (const [name, code] of Object.entries(refusals)) {
      const raw = `{"${name}":{"weighting":"A","preset":"1m"}}`;
      const { body } = await world.asked(method, `/sim-1${path}`, { raw });
      t.equal(body.code, code, `${method} ${path} ${name}`);
    }
  }
  untouched(t, world, 'nothing reached the meter');
});

t.test('a wrong method is 405 with Allow, a wrong path 404', async (t) => {
  const world = await openWorld(t, { meters: 0 });
  const { status, body, headers } = await world.ask('DELETE', '/sim-1/clock');
  t.match({ status, body }, { status: 405, body: { code: 'METHOD_NOT_ALLOWED' } });
  t.match(headers.get('allow'), /GET.*PUT/);
  t.match(await world.get('/sim-1/nothing'), { status: 404, body: { code: 'NOT_FOUND' } });
});

t.test('every endpoint answers 200 on a meter that is well', async (t) => {
  const world = await openWorld(t);
  const order = ['start', 'pause', 'resume', 'reset', 'stop', 'store']
    .map((name) => `POST /${name}`)
    .concat('GET /results');
  const rank = (endpoint: Endpoint) => (order.includes(nameOf(endpoint)) ? order.indexOf(nameOf(endpoint)) : -1);
  for (const endpoint of CONTROLS.toSorted((a, b) => rank(a) - rank(b))) {
    const { status, body } = await ask(world, endpoint);
    t.match({ status, body }, { status: 200, body: { status: 'ok' } }, nameOf(endpoint));
    if (endpoint.method !== 'GET') t.type(body.message, 'string', `${nameOf(endpoint)} says what happened`);
  }
  t.same(world.meter.log.spacingViolations(), [], 'with a rest between any two commands');
});
