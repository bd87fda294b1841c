/** SLMM had no login. Here its routes and sockets ask for the same keys, roles and units as all others. */
import t from 'tap';
import { handshake, openKeyedGateway } from '../support/keyed-gateway.ts';
import { BASE } from './world.ts';

t.test('without a key nothing is shown, and a key counts by its role and its units', async (t) => {
  const keyed = await openKeyedGateway(t, { slmm: true });
  const origin = new URL(keyed.gateway.baseUrl).origin;
  const keys = {
    viewer: await keyed.key({ name: 'reads', role: 'viewer' }),
    operator: await keyed.key({ name: 'works', role: 'operator' }),
    limited: await keyed.key({ name: 'roof only', role: 'admin', units: 'roof' }),
  };
  const status = async (method: string, path: string, key?: keyof typeof keys, body?: object) => {
    const headers = { ...(key && keys[key].headers), 'Content-Type': 'application/json' };
    const answer = await fetch(origin + BASE + path, { method, headers, ...(body && { body: JSON.stringify(body) }) });
    return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
  };
  t.match(await status('GET', '/roster'), { status: 401, body: { detail: String } });
  t.same((await status('GET', '/roster', 'viewer')).body.total, 2);
  t.match((await status('GET', '/roster', 'limited')).body, { total: 1, devices: [{ unit_id: 'roof' }] });
  t.equal((await status('GET', '/cellar/config', 'limited')).status, 403);
  t.equal((await status('POST', '/roof/start', 'viewer')).status, 403);
  t.equal((await status('POST', '/roof/start', 'operator')).status, 403, 'let in; TCP is off in its config');
  t.match(await status('POST', '/roof/start', 'operator'), { body: { detail: /TCP/ } });
  t.equal((await status('PUT', '/roof/config', 'operator', { host: '192.0.2.1' })).status, 403);
  t.equal((await status('PUT', '/roof/config', 'limited', { web_enabled: true })).status, 200);
  const made = await status('POST', '/roster', 'limited', { unit_id: 'attic', host: '192.0.2.1' });
  t.equal(made.status, 403, 'a key of one unit makes no other');
  t.equal(keyed.gateway.store.configs.get('attic'), undefined);
  t.equal((await status('POST', '/cellar/alerts/rules', 'limited', { threshold_db: 70 })).status, 403);
  const socket = `${origin.replace('http', 'ws')}${BASE}/roof/monitor`;
  t.match(await handshake(socket, {}), { status: 401 });
  const upgraded = await handshake(socket, keys.viewer.headers);
  t.equal(upgraded.status, 101);
  upgraded.socket.terminate();
});

t.test('one socket too many is refused before it is opened', async (t) => {
  const keyed = await openKeyedGateway(t, { slmm: true, plugin_settings: { slmm: { streams: 1 } } });
  const socket = `${new URL(keyed.gateway.baseUrl).origin.replace('http', 'ws')}${BASE}/roof/monitor`;
  const first = await handshake(socket, {});
  t.equal(first.status, 101);
  t.match(await handshake(socket, {}), { status: 503, body: { code: 'TOO_MANY_STREAMS' } });
  first.socket.terminate();
});

t.test('while it is off, its routes are missing', async (t) => {
  const keyed = await openKeyedGateway(t);
  const origin = new URL(keyed.gateway.baseUrl).origin;
  t.equal((await fetch(`${origin}${BASE}/roster`)).status, 404);
  t.match(await handshake(`${origin.replace('http', 'ws')}${BASE}/roof/stream`, {}), { status: 404 });
});
