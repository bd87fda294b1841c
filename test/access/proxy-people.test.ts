/** A proxy in front of the gateway signs people in, and names them in a header. */
import t, { type Test } from 'tap';
import type { Settings } from '../../lib/settings/index.ts';
import { openKeyedGateway } from '../support/keyed-gateway.ts';
import { withKeys } from '../support/keys.ts';
import { FakeBrowser, makePeople, PASSWORD } from '../support/people.ts';

const PROXY = { trusted_proxies: ['127.0.0.1'], proxy_user_header: 'Remote-User' } as const;

const open = (t: Test, settings: Partial<Settings>) =>
  openKeyedGateway(t, settings, (dataDir, clock) =>
    makePeople(dataDir, clock, [
      { name: 'Jörg', role: 'operator', units: ['roof'], noPassword: true },
      { name: 'Anna', role: 'viewer' },
    ]),
  );

/** As proxies send it: the bytes of UTF-8. */
const named = (name: string) => ({ 'Remote-User': Buffer.from(name).toString('latin1') });

t.test('the person that a trusted proxy names has the role and units of the list of people', async (t) => {
  const keyed = await open(t, PROXY);
  const headers = named('jörg');
  const { body } = await keyed.ask('GET', '/_session', { headers });
  t.match(body.data, { name: 'Jörg', role: 'operator', units: ['roof'], kind: 'proxy', session: null });
  t.equal((await keyed.ask('GET', '/cellar/status', { headers })).status, 403);
  for (const name of ['Nobody', 'Anna, Jörg', ''])
    t.equal((await keyed.ask('GET', '/_session', { headers: named(name) })).status, 401, name);
  t.equal((await keyed.ask('GET', '/_session')).status, 401, 'without the header nobody is anybody');
  const basic = { ...headers, Authorization: 'Basic YTpi' };
  for (let count = 0; count < 6; count++)
    t.equal(
      (await keyed.ask('GET', '/_session', { headers: basic })).status,
      200,
      'a password for the proxy itself is no wrong key',
    );
  const key = await keyed.key({ name: 'office', role: 'viewer' });
  const both = await keyed.ask('GET', '/_session', { headers: { ...headers, ...key.headers } });
  t.equal(both.body.data.name, 'office', 'a program behind the proxy uses its key');
});

t.test('changes and WebSockets need the Origin, and streams end with the person', async (t) => {
  const keyed = await open(t, PROXY);
  const headers = named('Jörg');
  const page = new FakeBrowser(keyed);
  t.equal((await keyed.ask('POST', '/roof/start', { headers })).body.code, 'FOREIGN_ORIGIN');
  t.not(
    (await keyed.ask('POST', '/roof/start', { headers: { ...headers, ...page.headers } })).body.code,
    'FOREIGN_ORIGIN',
  );
  t.equal((await keyed.upgrade('/_live', headers)).status, 403);
  const { socket, status } = await keyed.upgrade('/_live', { ...headers, ...page.headers });
  t.equal(status, 101);
  const closed = new Promise((resolve) => socket.once('close', resolve));
  await withKeys(keyed.dataDir, (admin) => admin.removePerson('Jörg'), keyed.clock);
  await keyed.clock.advance(1_000);
  t.equal(await closed, 1008);
  t.equal((await keyed.ask('GET', '/_session', { headers })).status, 401);
});

t.test('a lowered role counts within a second, and ends the WebSockets', async (t) => {
  const keyed = await open(t, PROXY);
  const headers = { ...named('Jörg'), ...new FakeBrowser(keyed).headers };
  t.not((await keyed.ask('POST', '/roof/start', { headers })).body.code, 'FORBIDDEN');
  const { socket, status } = await keyed.upgrade('/_live', headers);
  t.equal(status, 101);
  const closed = new Promise((resolve) => socket.once('close', resolve));
  await withKeys(keyed.dataDir, (admin) => admin.changePerson('Jörg', { role: 'viewer' }), keyed.clock);
  await keyed.clock.advance(1_000);
  t.equal(await closed, 1008);
  t.equal((await keyed.ask('POST', '/roof/start', { headers })).body.code, 'FORBIDDEN');
  t.match((await keyed.ask('GET', '/_session', { headers })).body.data, { role: 'viewer' });
});

t.test('from another address the header has no effect', async (t) => {
  for (const settings of [{ ...PROXY, trusted_proxies: ['192.0.2.1'] }, { trusted_proxies: ['127.0.0.1'] }]) {
    const keyed = await open(t, settings);
    t.equal((await keyed.ask('GET', '/_session', { headers: named('Jörg') })).status, 401);
  }
  await t.rejects(open(t, { proxy_user_header: 'Remote-User' }), /proxy_user_header: .*trusted_proxies/);
  for (const name of ['Cookie', 'authorization', 'X-Forwarded-For', 'Host'])
    await t.rejects(open(t, { ...PROXY, proxy_user_header: name }), /proxy_user_header: .* for something else/);
});

t.test('a person without a password cannot sign in by password', async (t) => {
  const keyed = await open(t, PROXY);
  const page = new FakeBrowser(keyed);
  t.equal((await page.signIn({ name: 'Jörg', password: PASSWORD })).status, 401);
  t.equal((await page.signIn({ name: 'Anna', password: PASSWORD })).status, 201);
});
