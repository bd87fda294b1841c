/** People sign in with name and password, or with a key, and get a session. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { person } from '../../lib/access/people/commands.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Settings } from '../../lib/settings/index.ts';
import { deviceConfig } from '../support/config.ts';
import { type KeyedGateway, openKeyedGateway } from '../support/keyed-gateway.ts';
import { revokeKey, withKeys } from '../support/keys.ts';
import { FakeBrowser, makePeople, PASSWORD } from '../support/people.ts';

/** A person, made, changed or removed the way the command line does it. */
async function command(dataDir: string, clock: Clock, rest: string[], words: object = {}, password = PASSWORD) {
  const said: string[] = [];
  const say = (line: string) => void said.push(line);
  const io = { clock, say, note: () => {}, secret: async () => password };
  await withKeys(dataDir, (admin) => person({ rest, ...words }, { ...io, admin }), clock);
  return said;
}

async function openPeople(t: Test, settings: Partial<Settings> = {}): Promise<KeyedGateway> {
  return openKeyedGateway(t, settings, (dataDir, clock) =>
    makePeople(dataDir, clock, [
      { name: 'Anna', role: 'operator' },
      { name: 'Max', role: 'admin' },
      { name: 'Eve', role: 'viewer', units: ['cellar'] },
    ]),
  );
}

const browser = (keyed: KeyedGateway): FakeBrowser => new FakeBrowser(keyed);

t.test('a person signs in by name and password, and signs out', async (t) => {
  const keyed = await openPeople(t);
  const page = browser(keyed);
  t.equal((await page.ask('GET', '/_session')).status, 401);
  const made = await page.signIn({ name: 'anna', password: PASSWORD });
  t.equal(made.status, 201);
  t.match(made.set, /^slm_session=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax$/);
  t.match(made.body.data, { name: 'Anna', role: 'operator', units: null, kind: 'person' });
  t.notOk(JSON.stringify(made.body).includes(page.cookie.split('=')[1] ?? '?'), 'the cookie is in no body');
  const { body } = await page.ask('GET', '/_session');
  t.match(body.data, { name: 'Anna', role: 'operator', until: /^\d{4}-/ });
  t.equal((await page.ask('GET', '/roof/status')).status, 200);
  t.equal((await page.ask('DELETE', '/roof/config')).status, 403, 'the role counts');
  const out = await page.ask('DELETE', '/_session');
  t.match(out.headers.get('set-cookie'), /^slm_session=; Path=\/; HttpOnly; SameSite=Lax; Max-Age=0$/);
  t.equal((await page.ask('GET', '/roof/status')).status, 401, 'the old cookie opens nothing');
});

t.test('a key opens a session with its rights, and ends it when it is revoked', async (t) => {
  const keyed = await openPeople(t);
  const key = await keyed.key({ name: 'office', role: 'viewer' });
  const page = browser(keyed);
  t.equal((await page.signIn({ key: key.text })).status, 201);
  t.match((await page.ask('GET', '/_session')).body.data, { name: 'office', role: 'viewer', kind: 'key' });
  t.equal((await page.signIn({ key: key.text, name: 'Anna' })).body.errors[0].path, '/key');
  t.equal((await page.signIn({ key: `slm_00000000_${'x'.repeat(43)}` })).status, 401);
  const byKey = await keyed.ask('GET', '/_session', { headers: key.headers });
  t.match(byKey.body.data, { name: 'office', kind: 'key', session: null, until: null });
  await revokeKey(keyed.dataDir, key, keyed.clock);
  await keyed.clock.advance(1_000);
  t.equal((await page.ask('GET', '/_session')).status, 401);
});

t.test('a wrong name and a wrong password get the same answer after the same work, and are slowed down', async (t) => {
  const keyed = await openPeople(t);
  const page = browser(keyed);
  const tries = [
    { name: 'Anna', password: 'wrong wrong wrong' },
    { name: 'Nobody', password: 'wrong wrong wrong' },
    { name: '__proto__', password: PASSWORD },
  ];
  const answers = [];
  for (const one of tries) answers.push(await page.signIn(one));
  t.strictSame(
    answers.map(({ status, set }) => [status, set]),
    tries.map(() => [401, '']),
  );
  t.equal(new Set(answers.map(({ body }) => JSON.stringify({ ...body, request_id: '' }))).size, 1, 'in the same words');
  // At once: each counts before the next is looked at.
  const many = await Promise.all(tries.map((one) => page.signIn(one)));
  t.strictSame(many.map(({ status }) => status).sort(), [401, 401, 429]);
  const right = await page.signIn({ name: 'Anna', password: PASSWORD });
  t.equal(right.status, 429, 'a right password too');
  t.ok(Number(right.headers.get('retry-after')) >= 1);
  t.equal(
    (await keyed.ask('GET', '/roof/status', { headers: (await keyed.key({ name: 'k' })).headers })).status,
    200,
    'a key of the same address is not',
  );
  await keyed.clock.advance(300_000);
  t.equal((await page.signIn({ name: 'ANNA', password: PASSWORD })).status, 201);
  await keyed.clock.advance(60_000);
  t.match(keyed.log.join(''), /a name and a password that do not belong together/);
  t.notMatch(keyed.log.join(''), /wrong wrong|nine quiet/, 'no password is in the log');
});

t.test(
  'sign-in and every change need the Origin of the gateway; a sign-in makes a new session and ends the old one',
  async (t) => {
    const keyed = await openPeople(t);
    const json = { name: 'Anna', password: PASSWORD };
    const page = browser(keyed);
    for (const Origin of ['https://evil.example', 'null', `${page.origin}.evil.example`, 'http://127.0.0.1:1']) {
      t.equal((await page.signIn(json, { Origin })).body.code, 'FOREIGN_ORIGIN', Origin);
    }
    t.equal((await keyed.post('/_session', json, {})).body.code, 'FOREIGN_ORIGIN', 'none');
    await page.signIn(json);
    const planted = page.cookie;
    const Cookie = planted;
    for (const [method, path] of [
      ['POST', '/roof/start'],
      ['PUT', '/roof/clock'],
      ['DELETE', '/_session'],
    ] as const)
      t.equal(
        (await keyed.ask(method, path, { headers: { Cookie } })).body.code,
        'FOREIGN_ORIGIN',
        `${method} without an Origin`,
      );
    t.equal((await keyed.ask('GET', '/roof/status', { headers: { Cookie } })).status, 200, 'reading needs none');
    const [without, own] = [await keyed.upgrade('/_live', { Cookie }), await keyed.upgrade('/_live', page.headers)];
    t.strictSame([without.status, own.status], [403, 101]);
    own.socket.terminate();
    await page.signIn({ name: 'Max', password: PASSWORD });
    t.not(page.cookie, planted);
    t.equal((await keyed.ask('GET', '/roof/status', { headers: { Cookie } })).status, 401, 'the one before has ended');
    const twice = `${page.cookie}; ${planted}`;
    t.equal(
      (await keyed.ask('GET', '/roof/status', { headers: { Cookie: twice } })).status,
      401,
      'two cookies, one for another path: none counts',
    );
  },
);

t.test(
  'a lowered role, a new password and a removal of the person end sessions at once, with their WebSockets',
  async (t) => {
    const keyed = await openPeople(t);
    const changes = [
      [['role', 'anna'], { role: 'viewer' }],
      [['password', 'Anna'], {}],
      [['remove', 'Anna'], {}],
    ] as const;
    for (const [rest, words] of changes) {
      const page = browser(keyed);
      await page.signIn({ name: 'Anna', password: PASSWORD });
      const { socket, status } = await keyed.upgrade('/_live', page.headers);
      t.equal(status, 101);
      const closed = new Promise((resolve) => socket.once('close', (code) => resolve(code)));
      await command(keyed.dataDir, keyed.clock, [...rest], words);
      await keyed.clock.advance(1_000);
      t.equal(await closed, 1008, rest[0]);
      t.equal((await page.ask('GET', '/_session')).status, 401, rest[0]);
    }
    await command(keyed.dataDir, keyed.clock, ['add'], { name: 'Anna', role: 'admin' });
    await keyed.clock.advance(1_000);
    t.equal(
      (await browser(keyed).signIn({ name: 'Anna', password: PASSWORD })).status,
      201,
      'another person of that name',
    );
  },
);

t.test('a session ends without use, and at the latest after its time', async (t) => {
  const keyed = await openPeople(t, { session_idle_minutes: 60, session_hours: 3 });
  const page = browser(keyed);
  await page.signIn({ name: 'Anna', password: PASSWORD });
  const began = keyed.clock.now();
  const { data } = (await page.ask('GET', '/_session')).body;
  t.strictSame(
    [data.until, data.idle_until].map((at) => (Date.parse(at) - began) / 60_000),
    [180, 60],
  );
  for (let count = 0; count < 3; count++) {
    await keyed.clock.advance(59 * 60_000);
    t.equal((await page.ask('GET', '/_session')).status, 200, 'used in time');
  }
  await keyed.clock.advance(3 * 60_000);
  t.equal((await page.ask('GET', '/_session')).status, 401, 'three hours are over');
  await page.signIn({ name: 'Anna', password: PASSWORD });
  await keyed.clock.advance(60 * 60_000);
  t.equal((await page.ask('GET', '/_session')).status, 401, 'an hour without use');
});

t.test('everybody sees and ends their own sessions, an admin all, and people are listed for admins', async (t) => {
  const keyed = await openPeople(t);
  const [anna, max, eve] = [browser(keyed), browser(keyed), browser(keyed)];
  await anna.signIn({ name: 'Anna', password: PASSWORD });
  await max.signIn({ name: 'Max', password: PASSWORD });
  await eve.signIn({ name: 'Eve', password: PASSWORD });
  const names = async (page: typeof anna) =>
    (await page.ask('GET', '/_sessions')).body.data.map(({ name }: { name: string }) => name).sort();
  t.strictSame(await names(anna), ['Anna']);
  t.strictSame(await names(eve), ['Eve']);
  t.strictSame(await names(max), ['Anna', 'Eve', 'Max']);
  const { body } = await max.ask('GET', '/_sessions');
  const idOf = (name: string) => body.data.find((one: { name: string }) => one.name === name).id;
  t.equal((await anna.ask('DELETE', `/_sessions/${idOf('Max')}`)).body.code, 'SESSION_NOT_FOUND', 'of somebody else');
  t.equal((await max.ask('DELETE', `/_sessions/${idOf('Anna')}`)).status, 200);
  t.equal((await anna.ask('GET', '/_session')).status, 401);
  t.equal((await eve.ask('DELETE', `/_sessions/${idOf('Eve')}`)).status, 200);
  t.equal((await eve.ask('GET', '/_people')).status, 401);
  const { data } = (await max.ask('GET', '/_people')).body;
  t.match(
    data.find((one: { name: string }) => one.name === 'Max'),
    { role: 'admin', sessions: 1, has_password: true },
  );
  t.notMatch(JSON.stringify(data) + JSON.stringify(body), /scrypt|stamp|hash/);
});

t.test(
  'the audit log has sign-ins, the first failure of a minute, and the end of a session by somebody else',
  async (t) => {
    const keyed = await openPeople(t);
    const [anna, max] = [browser(keyed), browser(keyed)];
    for (let count = 0; count < 3; count++) await anna.signIn({ name: 'anna', password: 'wrong wrong wrong' });
    await keyed.clock.advance(60_000);
    await anna.signIn({ name: 'nine quiet owls', password: 'Anna' });
    await anna.signIn({ name: 'Anna', password: PASSWORD });
    await max.signIn({ name: 'Max', password: PASSWORD });
    const { data } = (await max.ask('GET', '/_sessions')).body;
    const idOf = (name: string) => data.find((one: { name: string }) => one.name === name).id;
    await max.ask('DELETE', `/_sessions/${idOf('Anna')}`);
    await max.ask('DELETE', `/_sessions/${idOf('Max')}`);
    await max.signIn({ name: 'Max', password: PASSWORD });
    const { records } = (await max.ask('GET', '/_audit')).body;
    const signIns = records.map(({ who, route, status, code }: Record<string, unknown>) => [who, route, status, code]);
    t.strictSame(
      signIns.filter(([, route]: string[]) => route?.startsWith('/_session')).toReversed(),
      [
        ['Anna', '/_session', 401, 'UNAUTHENTICATED'],
        ['anybody', '/_session', 401, 'UNAUTHENTICATED'],
        ['Anna', '/_session', 201, null],
        ['Max', '/_session', 201, null],
        ['Max', '/_sessions/{id}', 200, null],
        ['Max', '/_session', 201, null],
      ],
      'the own session that somebody ends is not among them',
    );
    t.match(records.find(({ route }: { route: string }) => route === '/_sessions/{id}').before, { name: 'Anna' });
    t.notMatch(JSON.stringify(records), /owls|wrong wrong/);
  },
);

t.test('notes and the audit log have the name of the person', async (t) => {
  const keyed = await openPeople(t);
  const page = browser(keyed);
  await page.signIn({ name: 'Anna', password: PASSWORD });
  const note = { from: '2024-01-01T00:00:00Z', to: null, kind: 'note', reason: 'other', text: 'wind' };
  const made = await keyed.post('/roof/notes', note, page.headers);
  t.match(made.body, { data: { by: 'Anna' } }, JSON.stringify(made.body));
  await page.signIn({ name: 'Max', password: PASSWORD });
  const { body } = await page.ask('GET', '/_audit?unit=roof');
  t.match(body.records[0], { who: 'Anna', key_id: null, route: '/{unit_id}/notes' });
});

t.test('an acknowledgement has the name of the person', async (t) => {
  const keyed = await openPeople(t, { allow_loopback_meters: true });
  const page = browser(keyed);
  await page.signIn({ name: 'Max', password: PASSWORD });
  const unreachable = deviceConfig({ host: '127.0.0.1', tcpPort: 1 });
  await keyed.gateway.store.configs.change('roof', () => unreachable);
  const lost = { name: 'Lost', units: ['roof'], kind: 'device', condition: 'unreachable', for: '10s', targets: [] };
  const made = await keyed.post('/_alerts/rules', { ...lost, severity: 'warning' }, page.headers);
  t.equal(made.status, 201, JSON.stringify(made.body));
  const events = async () => (await page.ask('GET', '/_alerts/events')).body.data;
  while ((await events()).length === 0) await keyed.clock.advance(1_000);
  const { body } = await keyed.post('/_alerts/events/1/ack', { note: 'On my way.' }, page.headers);
  t.match(body, { status: 'ok' });
  const [event] = await events();
  t.match(event.ack, { by: 'Max', note: 'On my way.' });
});

t.test('sessions outlive a restart, their uses too, and no file has the cookie', async (t) => {
  const keyed = await openPeople(t);
  const [anna, max] = [browser(keyed), browser(keyed)];
  await anna.signIn({ name: 'Anna', password: PASSWORD });
  await max.signIn({ name: 'Max', password: PASSWORD });
  await keyed.clock.advance(3_600_000);
  const used = keyed.clock.now();
  t.equal((await anna.ask('GET', '/_session')).status, 200);
  await keyed.restart();
  const { body } = await anna.ask('GET', '/_sessions');
  t.match(body.data, [{ name: 'Anna', last_used_at: new Date(keyed.clock.now()).toISOString() }]);
  t.ok(keyed.clock.now() >= used);
  await command(keyed.dataDir, keyed.clock, ['role', 'Max'], { role: 'viewer' });
  t.equal((await max.ask('GET', '/_session')).status, 401);
  const value = anna.cookie.split('=')[1] ?? '?';
  const files = readdirSync(keyed.dataDir).filter((name) => name.startsWith('gateway.db'));
  t.ok(files.length > 0);
  for (const name of files) t.notOk(readFileSync(join(keyed.dataDir, name)).includes(value), name);
});
