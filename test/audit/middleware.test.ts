/** The audit log behind the middleware: it has the name of the key, not its text. Only some roles may read it. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { openKeyedGateway } from '../support/keyed-gateway.ts';

t.test('a change is recorded under the name of the key that was used, and a ticket is no change', async (t) => {
  const keyed = await openKeyedGateway(t);
  const admin = await keyed.key({ name: 'site office', role: 'admin' });
  t.equal((await keyed.put('/roof/config', { web_enabled: true }, admin.headers)).status, 200);
  const { body: issued } = await keyed.post('/_tickets', { unit_id: 'roof' }, admin.headers);
  const { body } = await keyed.ask('GET', '/_audit', { headers: admin.headers });
  const config = body.records.find(({ route }: { route: string }) => route === '/{unit_id}/config');
  t.match(config, { who: 'site office', key_id: admin.id, address: '127.0.0.1', before: { web_enabled: false } });
  const folder = join(keyed.dataDir, 'audit');
  const texts = await Promise.all((await readdir(folder)).map((name) => readFile(join(folder, name), 'utf8')));
  t.notOk(texts.join('').includes(admin.text), 'the key is not in it');
  t.notOk(
    body.records.some(({ route }: { route: string }) => route === '/_tickets'),
    'a ticket changes nothing, and a viewer could fill the disk with them',
  );
  t.match(issued.ticket, /.{20,}/);
  t.notOk(texts.join('').includes(issued.ticket), 'nor the ticket');
});

t.test('a record names the rule and the span that the path and the query named', async (t) => {
  const keyed = await openKeyedGateway(t);
  const { headers } = await keyed.key({ name: 'site office', role: 'admin' });
  const span = { from: '2026-11-01T00:00:00Z', to: '2026-11-02T00:00:00Z' };
  await keyed.ask('DELETE', `/roof/history?${new URLSearchParams(span)}`, { headers });
  await keyed.ask('DELETE', '/_alerts/rules/7', { headers });
  await keyed.ask('DELETE', '/roof/config', { headers });
  const { records } = (await keyed.ask('GET', '/_audit?limit=3', { headers })).body;
  const told = records.map(({ route, params }: { route: string; params?: object }) => [route, params]);
  t.same(told.reverse(), [
    ['/{unit_id}/history', span],
    ['/_alerts/rules/{id}', { id: '7' }],
    ['/{unit_id}/config', undefined],
  ]);
});

t.test('the old value of a rule is never that of another rule', async (t) => {
  const keyed = await openKeyedGateway(t);
  const { headers } = await keyed.key({ name: 'site office', role: 'admin' });
  const rule = { name: 'Away', kind: 'device', condition: 'unreachable', units: ['roof'] };
  const { id } = (await keyed.post('/_alerts/rules', rule, headers)).body.data;
  t.equal((await keyed.ask('GET', `/_alerts/rules/${id}`, { headers })).status, 200);
  for (const one of [77, id]) t.equal((await keyed.put(`/_alerts/rules/${one}`, { name: 7 }, headers)).status, 422);
  const { records } = (await keyed.ask('GET', '/_audit?limit=2', { headers })).body;
  t.match(records, [
    { params: { id }, before: { data: { name: 'Away' } } },
    { params: { id: '77' }, before: null },
  ]);
});

t.test('the old value of a setting is not that of another meter with the same name', async (t) => {
  const keyed = await openKeyedGateway(t);
  const { headers } = await keyed.key({ name: 'site office', role: 'admin' });
  const put = (path: string, body: object) => keyed.put(path, body, headers);
  const mast = { host: '192.0.2.7', tcp_enabled: false };
  await put('/mast/config', { ...mast, poll_interval_seconds: 77 });
  t.equal((await keyed.ask('GET', '/mast/polling/config', { headers })).status, 200);
  await keyed.ask('DELETE', '/mast/config', { headers });
  await put('/mast/config', mast);
  t.equal((await put('/mast/polling/config', { poll_interval_seconds: 90 })).status, 200);
  const [record] = (await keyed.ask('GET', '/_audit?limit=1', { headers })).body.records;
  t.match(record, { route: '/{unit_id}/polling/config', before: null });
});

t.test('only admins read it, and an admin of some units reads records of these units', async (t) => {
  const keyed = await openKeyedGateway(t);
  const admin = await keyed.key({ name: 'all', role: 'admin' });
  const cellar = await keyed.key({ name: 'cellar only', role: 'admin', units: 'cellar' });
  for (const unit of ['roof', 'cellar']) await keyed.put(`/${unit}/config`, { web_enabled: true }, admin.headers);
  for (const role of ['viewer', 'operator']) {
    const { headers } = await keyed.key({ name: role, role });
    t.equal((await keyed.ask('GET', '/_audit', { headers })).status, 403, role);
  }
  t.equal((await keyed.ask('GET', '/_audit')).status, 401);
  const seen = await keyed.ask('GET', '/_audit', { headers: cellar.headers });
  t.same([...new Set(seen.body.records.map(({ unit_id }: { unit_id: string }) => unit_id))], ['cellar']);
  const other = await keyed.ask('GET', '/_audit?unit=roof', { headers: cellar.headers });
  t.same(other.body.records, []);
});

t.test('for a new unit the old value is null, also when it was there once', async (t) => {
  const keyed = await openKeyedGateway(t);
  const { headers } = await keyed.key({ name: 'site office', role: 'admin' });
  const config = '/mast/config';
  const put = () => keyed.put(config, { host: '192.0.2.7', tcp_enabled: false }, headers);
  t.equal((await put()).status, 200);
  t.equal((await keyed.ask('DELETE', config, { headers })).status, 200);
  t.equal((await keyed.ask('DELETE', config, { headers })).status, 404);
  t.equal((await put()).status, 200);
  const { body } = await keyed.ask('GET', '/_audit?unit=mast', { headers });
  const told = body.records.map(({ method, before }: { method: string; before: unknown }) => [method, before]);
  t.match(told.reverse(), [
    ['PUT', null],
    ['DELETE', { host: '192.0.2.7' }],
    ['DELETE', null],
    ['PUT', null],
  ]);
});
