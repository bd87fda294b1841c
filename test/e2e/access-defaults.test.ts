/** A gateway that nobody has set up: its open doors, and the settings with which it refuses to start. */
import { once } from 'node:events';
import { join } from 'node:path';
import t from 'tap';
import type { Settings } from '../../lib/settings/index.ts';
import { handshake, type KeyedGateway, openKeyedGateway, type Upgraded } from '../support/keyed-gateway.ts';
import { makeKey, revokeKey } from '../support/keys.ts';
import { request } from '../support/raw.ts';
import { openWorld } from '../support/world.ts';

/** Whether it is closed, and waits for the first admin. */
async function isClosed(keyed: KeyedGateway): Promise<boolean> {
  const isSaid = keyed.log.some((line) => line.includes('this code makes the first admin'));
  return (await keyed.ask('GET', '/roof/status')).status === 401 && isSaid;
}
const key = (dataDir: string, clock: Parameters<typeof makeKey>[2]) => makeKey(dataDir, { name: 'a' }, clock);

t.test('bound to loopback it runs without keys', async (t) => {
  for (const host of ['127.0.0.1', 'localhost']) {
    const keyed = await openKeyedGateway(t, { host });
    t.equal((await keyed.ask('GET', '/roof/status')).status, 200, host);
    t.match(await keyed.upgrade('/roof/live'), { status: 403, body: { code: 'TCP_DISABLED' } });
  }
});

t.test('without keys, a web page of another origin, or with a rebound name, gets nothing', async (t) => {
  const keyed = await openKeyedGateway(t);
  const { port, baseUrl } = keyed.gateway;
  const path = new URL(`${baseUrl}/roof/status`).pathname;
  const before = keyed.gateway.store.configs.get('roof');
  const page = { Host: `127.0.0.1:${port}`, Origin: 'https://evil.example' };
  const rebound = { Host: `evil.example:${port}`, Origin: `http://evil.example:${port}` };
  for (const headers of [page, rebound]) {
    for (const line of [
      `GET ${path}`,
      `DELETE ${path.replace('status', 'config')}`,
      `POST ${path.replace('status', 'start')}`,
    ]) {
      t.match((await request(port, line, headers)).status, /^(403|421)$/, `${line} ${headers.Host}`);
    }
    const upgrade = await handshake(`ws://127.0.0.1:${port}${path.replace('status', 'live')}`, headers);
    t.match(upgrade, { status: Number, body: { code: /^(FOREIGN_ORIGIN|WRONG_HOST)$/ } });
  }
  const form = { Host: `127.0.0.1:${port}`, 'Content-Type': 'text/plain', 'Content-Length': '2' };
  t.equal(
    (await request(port, `POST ${path.replace('status', 'start')}`, form, '{}')).status,
    415,
    'a form is no JSON',
  );
  t.same(keyed.gateway.store.configs.get('roof'), before, 'and nothing has changed');
});

t.test('bound to another address it asks everybody for a key, also before the first key is made', async (t) => {
  t.ok(await isClosed(await openKeyedGateway(t, { host: '0.0.0.0' })));
  const keyed = await openKeyedGateway(t, { host: '0.0.0.0' }, key);
  t.equal((await keyed.ask('GET', '/roof/status')).status, 401);
  t.notOk(await isClosed(keyed), 'with a key no code is made');
});

t.test('behind a proxy, loopback counts as the network', async (t) => {
  t.ok(await isClosed(await openKeyedGateway(t, { trusted_proxies: ['127.0.0.1'] })));
});

t.test('insecure_no_auth says clearly that everybody may call', async (t) => {
  const keyed = await openKeyedGateway(t, { host: '0.0.0.0', insecure_no_auth: true });
  t.equal((await keyed.ask('GET', '/roof/status')).status, 200);
  t.ok(keyed.log.some((line) => line.includes('everybody who reaches this address')));
});

t.test('insecure_no_auth has no effect once there is a key', async (t) => {
  const keyed = await openKeyedGateway(t, { host: '0.0.0.0', insecure_no_auth: true }, key);
  t.equal((await keyed.ask('GET', '/roof/status')).status, 401);
  t.ok(keyed.log.some((line) => line.includes('insecure_no_auth has no effect')));
});

t.test('the first key closes the keyed of a running gateway', async (t) => {
  const keyed = await openKeyedGateway(t);
  t.equal((await keyed.ask('GET', '/roof/status')).status, 200);
  const { headers } = await keyed.key({ name: 'first', role: 'admin' });
  t.equal((await keyed.ask('GET', '/roof/status')).status, 401);
  t.equal((await keyed.ask('GET', '/roof/status', { headers })).status, 200);
});

t.test('a stream ends when the key it was opened with is revoked, or the first key is made', async (t) => {
  const world = await openWorld(t);
  const dataDir = join(world.dataDir, 'data');
  const { clock } = world;
  const ended = ({ socket }: Upgraded) => world.passing(once(socket, 'close')).then(([code]) => code);
  const live = `${world.base.replace('http', 'ws')}/sim-1/live`;
  const open = await world.passing(handshake(live, {}));
  const [one, two] = [await makeKey(dataDir, { name: 'one' }, clock), await makeKey(dataDir, { name: 'two' }, clock)];
  t.equal(await ended(open), 1008);
  const [first, second] = [
    await world.passing(handshake(live, one.headers)),
    await world.passing(handshake(live, two.headers)),
  ];
  await revokeKey(dataDir, one, clock);
  t.equal(await ended(first), 1008);
  t.equal(second.socket.readyState, second.socket.OPEN, 'others go on');
});

t.test('auth: required asks for a key on loopback, too', async (t) => {
  t.ok(await isClosed(await openKeyedGateway(t, { auth: 'required' })));
  const keyed = await openKeyedGateway(t, { auth: 'required' }, key);
  t.equal((await keyed.ask('GET', '/roof/status')).status, 401);
});

t.test('a gateway whose keys have all expired still starts, says so, and lets nobody in', async (t) => {
  const settings: Partial<Settings> = { host: '0.0.0.0' };
  const keyed = await openKeyedGateway(t, settings, async (dataDir, clock) => {
    await makeKey(dataDir, { name: 'old', expires: '1h' }, clock);
    await clock.advance(3_600_000);
  });
  t.equal((await keyed.ask('GET', '/roof/status')).status, 401);
  t.ok(keyed.log.some((line) => line.includes('nobody can call')));
});
