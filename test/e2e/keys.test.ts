/** API keys by the API: an admin makes, lists and ends them; nobody else, and no key is ever shown twice. */
import t from 'tap';
import { openKeyedGateway } from '../support/keyed-gateway.ts';
import { openWorld } from '../support/world.ts';

const bearer = (text: string) => ({ headers: { Authorization: `Bearer ${text}` } });

t.test('a key is made, works at once, is listed without its text, and is revoked at once', async (t) => {
  const keyed = await openKeyedGateway(t);
  const admin = await keyed.key({ name: 'boss', role: 'admin' });
  const make = (json: object, text = admin.text) => keyed.post('/_keys', json, bearer(text).headers);
  const wanted = { name: 'site office', role: 'operator', units: ['roof'], expires_at: '2027-01-31T00:00:00+01:00' };
  const made = await make(wanted);
  t.equal(made.status, 201);
  const { key, data } = made.body;
  t.match(data, { name: 'site office', role: 'operator', units: ['roof'], standing: 'good', last_used_at: null });
  t.equal(data.expires_at, '2027-01-30T23:00:00.000Z');
  t.equal((await keyed.ask('GET', '/roof/config', bearer(key))).status, 200, 'without waiting');
  t.equal((await keyed.ask('GET', '/cellar/config', bearer(key))).status, 403);

  const list = (await keyed.ask('GET', '/_keys', bearer(admin.text))).body;
  t.match(
    list.data.find(({ id }: { id: string }) => id === data.id),
    { standing: 'good', last_used_at: String },
  );
  t.notOk(JSON.stringify(list).includes(key) || JSON.stringify(list).includes('hash'));
  t.match((await make(wanted)).body, { errors: [{ path: '/name', message: /has this name/ }] });

  t.equal((await keyed.ask('DELETE', `/_keys/${data.id}`, bearer(admin.text))).body.data.standing, 'revoked');
  t.equal((await keyed.ask('GET', '/roof/config', bearer(key))).status, 401, 'at once');
  t.equal((await make(wanted)).status, 201, 'the name is free again');
  const audit = (await keyed.ask('GET', '/_audit', bearer(admin.text))).body;
  t.strictSame(
    audit.records.slice(0, 4).map(({ method, status }: { method: string; status: number }) => `${method} ${status}`),
    ['POST 201', 'DELETE 200', 'POST 422', 'POST 201'],
  );
  t.match(audit.records[1], { route: '/_keys/{id}', before: { id: data.id } });
  t.notOk(JSON.stringify(audit).includes(key), 'the audit log does not have it');
  t.notOk(keyed.log.join('').includes(key), 'nor has the log');
});

t.test('acts with keys that are refused to an admin', async (t) => {
  const keyed = await openKeyedGateway(t);
  const [boss, other] = [
    await keyed.key({ name: 'boss', role: 'admin' }),
    await keyed.key({ name: 'b', role: 'viewer' }),
  ];
  const own = await keyed.key({ name: 'of roof', role: 'admin', units: 'roof' });
  const ask = (method: string, path: string, text: string, json?: object) =>
    json ? keyed.post(path, json, bearer(text).headers) : keyed.ask(method, path, bearer(text));
  t.equal((await ask('GET', '/_keys', other.text)).status, 403, 'only admins');
  t.equal((await ask('POST', '/_keys', other.text, { name: 'x', role: 'viewer' })).status, 403);
  for (const units of [null, ['cellar'], ['roof', 'cellar']])
    t.equal((await ask('POST', '/_keys', own.text, { name: 'x', role: 'viewer', units })).status, 403, `${units}`);
  t.equal((await ask('POST', '/_keys', own.text, { name: 'x', role: 'viewer' })).status, 403, 'all units is more');
  t.equal((await ask('POST', '/_keys', own.text, { name: 'x', role: 'admin', units: ['roof'] })).status, 201);
  const seen = (await ask('GET', '/_keys', own.text)).body.data;
  t.strictSame(new Set(seen.map(({ name }: { name: string }) => name)), new Set(['of roof', 'x']));
  t.equal((await ask('DELETE', `/_keys/${boss.id}`, own.text)).body.code, 'KEY_NOT_FOUND', 'as if there was none');
  t.match((await ask('DELETE', `/_keys/${boss.id}`, boss.text)).body, { errors: [{ path: '/id' }] }, 'not its own');
  t.equal((await ask('DELETE', '/_keys/00000000', boss.text)).status, 404);
  const wrong: readonly (readonly [object, string])[] = [
    [{ name: '', role: 'viewer' }, '/name'],
    [{ name: 'a\nb', role: 'viewer' }, '/name'],
    [{ name: 'y', role: 'root' }, '/role'],
    [{ name: 'y', role: 'viewer', units: [] }, '/units'],
    [{ name: 'y', role: 'viewer', units: ['../x'] }, '/units/0'],
    [{ name: 'y', role: 'viewer', expires_at: '2020-01-01T00:00:00Z' }, '/expires_at'],
    [{ name: 'y', role: 'viewer', expires_at: '2027-01-01' }, '/expires_at'],
  ];
  for (const [body, path] of wrong)
    t.match((await ask('POST', '/_keys', boss.text, body)).body, { errors: [{ path }] }, JSON.stringify(body));
});

t.test('the first key of an open gateway needs the role admin', async (t) => {
  const world = await openWorld(t);
  t.match((await world.post('/_keys', { name: 'a', role: 'viewer' })).body, { errors: [{ path: '/role' }] });
  t.equal((await world.get('/sim-1/config')).status, 200, 'still open');
  const { status, body } = await world.post('/_keys', { name: 'a', role: 'admin' });
  t.equal(status, 201);
  t.equal((await world.get('/sim-1/config')).status, 401, 'from now on everybody needs one');
  t.equal((await world.get('/sim-1/config', bearer(body.key))).status, 200);
});
