/** People by the API: invited by a link, changed, ended and removed; access by tag; the first admin by the code of the log. */
import t, { type Test } from 'tap';
import type { Settings } from '../../lib/settings/index.ts';
import { type KeyedGateway, openKeyedGateway } from '../support/keyed-gateway.ts';
import { FakeBrowser, makePeople, PASSWORD, type WantedPerson } from '../support/people.ts';

const THREE_DAYS_MS = 3 * 86_400_000;

async function openPeople(t: Test, more: readonly WantedPerson[] = [], settings: Partial<Settings> = {}) {
  const people = [{ name: 'Max', role: 'admin' as const }, ...more];
  const keyed = await openKeyedGateway(t, settings, (dataDir, clock) => makePeople(dataDir, clock, people));
  return { keyed, admin: await signedIn(keyed, 'Max') };
}

async function signedIn(keyed: KeyedGateway, name: string): Promise<FakeBrowser> {
  const page = new FakeBrowser(keyed);
  const { status } = await page.signIn({ name, password: PASSWORD });
  if (status !== 201) throw new Error(`${name} cannot sign in: ${status}`);
  return page;
}

const tokenOf = ({ body }: { body: { link: string } }): string => body.link.split('#')[1] ?? '';

/** Sets the tags of a unit. */
async function tag(keyed: KeyedGateway, unitId: string, ...tags: string[]): Promise<void> {
  await keyed.gateway.store.configs.change(unitId, (present) => {
    if (!present) throw new Error(`there is no ${unitId}`);
    return { ...present, tags };
  });
}

t.test(
  'a person who opens an invitation chooses name and password, is signed in, and sees the units of the tag',
  async (t) => {
    const { keyed, admin } = await openPeople(t);
    await tag(keyed, 'roof', 'harbour');
    const invited = await admin.post('/_invitations', { role: 'viewer', tags: ['harbour'] });
    t.match(invited, {
      status: 201,
      body: { link: /^\/invitation#[\w-]{43}$/, data: { units: ['roof'], made_by: 'Max' } },
    });
    const token = tokenOf(invited);

    const page = new FakeBrowser(keyed);
    const looked = await page.post('/_invitation', { token });
    t.match(looked.body.data, { role: 'viewer', units: ['roof'], tags: ['harbour'], first_admin: false });
    const accept = (json: object, by = page) =>
      by.post('/_invitation/person', { token, name: 'Carla', password: PASSWORD, ...json });
    t.match((await accept({ password: 'too short' })).body.errors, [{ path: '/password', message: /12 to 256/ }]);
    t.match((await accept({ password: 'Carla', name: 'Carla' })).body.errors, [{ path: '/password' }]);
    t.match((await accept({ name: 'max' })).body.errors, [{ path: '/name', message: /of this name/ }]);
    t.match((await accept({ name: '<b>' })).body.errors, [{ path: '/name' }]);
    t.equal(
      (await keyed.post('/_invitation/person', { token, name: 'Eve', password: PASSWORD }, {})).body.code,
      'FOREIGN_ORIGIN',
    );
    const made = await accept({});
    t.match(made, { status: 201, body: { data: { name: 'Carla', role: 'viewer', units: ['roof'], kind: 'person' } } });
    t.equal((await page.ask('GET', '/roof/config')).status, 200, 'signed in');
    t.equal((await page.ask('GET', '/cellar/config')).status, 403);
    const again = new FakeBrowser(keyed);
    t.equal((await accept({ name: 'Eve' }, again)).body.code, 'INVITATION_NOT_FOUND', 'one use');
    t.equal((await again.post('/_invitation', { token })).body.code, 'INVITATION_NOT_FOUND');

    await tag(keyed, 'cellar', 'harbour');
    t.equal((await page.ask('GET', '/cellar/config')).status, 200, 'a unit with the tag is there at once');
    t.strictSame((await page.ask('GET', '/_session')).body.data.units.toSorted(), ['cellar', 'roof']);
    await tag(keyed, 'roof');
    t.equal((await page.ask('GET', '/roof/config')).status, 403, 'and without the tag it is gone');

    const audit = (await admin.ask('GET', '/_audit')).body;
    const lines = audit.records.map(({ method, route, who }: Record<string, string>) => `${who}: ${method} ${route}`);
    t.strictSame(
      lines.filter((line: string) => /invitation/.test(line)),
      ['anybody: POST /_invitation/person', 'Carla: POST /_invitation/person', 'Max: POST /_invitations'],
    );
    for (const secret of [token, PASSWORD]) {
      t.notOk(JSON.stringify(audit).includes(secret), 'no secret is in the audit log');
      t.notOk(keyed.log.join('').includes(secret), 'nor in the log');
    }
  },
);

t.test('two requests with one invitation at once make one person', async (t) => {
  const { keyed, admin } = await openPeople(t);
  const token = tokenOf(await admin.post('/_invitations', { role: 'viewer' }));
  const both = ['Carla', 'Dora'].map((name) =>
    new FakeBrowser(keyed).post('/_invitation/person', { token, name, password: PASSWORD }),
  );
  t.strictSame((await Promise.all(both)).map(({ status }) => status).toSorted(), [201, 404]);
  t.equal((await admin.ask('GET', '/_people')).body.data.length, 2);
});

t.test(
  'an invitation ends after three days, or when an admin takes it back; wrong ones slow their address down',
  async (t) => {
    const { keyed, admin } = await openPeople(t, [], { session_idle_minutes: 10_000 });
    const first = await admin.post('/_invitations', { role: 'viewer', units: ['roof'] });
    const page = new FakeBrowser(keyed);
    const look = (token: string) => page.post('/_invitation', { token });
    t.equal((await look(tokenOf(first))).status, 200);
    t.match((await admin.ask('GET', '/_invitations')).body.data, [{ id: first.body.data.id, units: ['roof'] }]);
    t.notOk(JSON.stringify(await admin.ask('GET', '/_invitations')).includes(tokenOf(first)));
    t.equal((await admin.ask('DELETE', `/_invitations/${first.body.data.id}`)).status, 200);
    t.equal((await look(tokenOf(first))).body.code, 'INVITATION_NOT_FOUND');
    const second = await admin.post('/_invitations', { role: 'viewer' });
    await keyed.clock.advance(THREE_DAYS_MS - 1_000);
    t.equal((await look(tokenOf(second))).status, 200);
    await keyed.clock.advance(1_000);
    t.equal((await look(tokenOf(second))).body.code, 'INVITATION_NOT_FOUND');
    t.strictSame((await admin.ask('GET', '/_invitations')).body.data, []);
    for (let n = 0; n < 4; n++) await look(`wrong-${n}`);
    t.match(await look('wrong'), { status: 429 }, 'the sixth wrong one within a quarter of an hour waits');
  },
);

t.test('an admin changes, ends, signs out and removes a person', async (t) => {
  const { keyed, admin } = await openPeople(t, [{ name: 'Anna Lee', role: 'viewer' }]);
  const put = (name: string, json: object) =>
    keyed.ask('PUT', `/_people/${encodeURIComponent(name)}`, {
      body: JSON.stringify(json),
      headers: { ...admin.headers, 'Content-Type': 'application/json' },
    });
  const anna = await signedIn(keyed, 'Anna Lee');
  t.match((await put('anna lee', { role: 'operator', units: ['roof'] })).body.data, {
    role: 'operator',
    units: ['roof'],
  });
  t.equal((await anna.ask('GET', '/_session')).status, 401, 'a change ends the sessions');
  const later = await signedIn(keyed, 'Anna Lee');
  t.equal((await later.ask('GET', '/cellar/config')).status, 403);
  t.equal((await admin.ask('DELETE', '/_people/Anna%20Lee/sessions')).status, 200);
  t.equal((await later.ask('GET', '/_session')).status, 401, 'signed out everywhere');

  const end = new Date(keyed.clock.now() + 60_000).toISOString();
  t.match((await put('Anna Lee', { until: end })).body.data, { until: end, units: ['roof'] });
  const last = await signedIn(keyed, 'Anna Lee');
  await keyed.clock.advance(60_000);
  t.equal((await last.ask('GET', '/_session')).status, 401, 'the session ends with the person');
  t.equal((await new FakeBrowser(keyed).signIn({ name: 'Anna Lee', password: PASSWORD })).status, 401);
  t.match((await put('Anna Lee', { until: end })).body.errors, [{ path: '/until' }], 'an end in the past');
  t.equal((await put('Anna Lee', { until: null })).status, 200);
  await signedIn(keyed, 'Anna Lee');

  t.match((await put('Max', { role: 'viewer' })).body.errors, [{ path: '/name' }], 'an admin remains');
  t.match((await admin.ask('DELETE', '/_people/Max')).body.errors, [{ path: '/name' }]);
  t.equal((await put('Nobody', { role: 'viewer' })).body.code, 'PERSON_NOT_FOUND');
  t.match((await put('Anna Lee', { units: ['roof'], tags: ['harbour'] })).body.errors, [{ path: '/tags' }]);
  t.equal((await admin.ask('DELETE', '/_people/Anna%20Lee')).status, 200);
  t.strictSame(
    (await admin.ask('GET', '/_people')).body.data.map(({ name }: { name: string }) => name),
    ['Max'],
  );
});

t.test('an admin of some units, or by tag, gives no more access than their own', async (t) => {
  const { keyed } = await openPeople(t, [
    { name: 'Rita', role: 'admin', units: ['roof'] },
    { name: 'Tom', role: 'admin', tags: ['harbour'] },
    { name: 'Vera', role: 'viewer', tags: ['harbour', 'club'] },
  ]);
  await tag(keyed, 'roof', 'harbour');
  const [rita, tom] = [await signedIn(keyed, 'Rita'), await signedIn(keyed, 'Tom')];
  const invite = async (by: FakeBrowser, choice: object) =>
    (await by.post('/_invitations', { role: 'viewer', ...choice })).status;
  for (const choice of [{}, { units: ['cellar'] }, { tags: ['harbour'] }, { tags: ['club'] }])
    t.equal(await invite(rita, choice), 403, `units: ${JSON.stringify(choice)}`);
  t.equal(await invite(rita, { units: ['roof'] }), 201);
  for (const choice of [{}, { units: ['cellar'] }, { tags: ['club'] }, { tags: ['harbour', 'club'] }])
    t.equal(await invite(tom, choice), 403, `tags: ${JSON.stringify(choice)}`);
  t.equal(await invite(tom, { tags: ['harbour'] }), 201);
  for (const by of [rita, tom]) {
    t.equal((await by.post('/_people', { name: 'x', role: 'viewer' })).status, 403);
    t.equal((await by.post('/_keys', { name: 'x', role: 'viewer', tags: ['club'] })).status, 403);
    for (const name of ['Max', 'Vera'])
      t.equal((await by.ask('DELETE', `/_people/${name}`)).body.code, 'PERSON_NOT_FOUND');
  }
  t.equal((await tom.post('/_keys', { name: 'x', role: 'viewer', tags: ['harbour'] })).status, 201);
});

t.test('a key by tag reads the units of the tag, also one that gets it later', async (t) => {
  const { keyed, admin } = await openPeople(t);
  const { key } = (await admin.post('/_keys', { name: 'client', role: 'viewer', tags: ['harbour'] })).body;
  const get = (path: string) => keyed.ask('GET', path, { headers: { Authorization: `Bearer ${key}` } });
  t.equal((await get('/roof/config')).status, 403, 'no unit has the tag');
  t.strictSame((await get('/_status')).body.data, []);
  await tag(keyed, 'roof', 'harbour');
  t.equal((await get('/roof/config')).status, 200);
  t.equal((await get('/_keys')).status, 403);
});

t.test('where everybody may call, the first person is an admin who can sign in', async (t) => {
  const keyed = await openKeyedGateway(t);
  const page = new FakeBrowser(keyed);
  const wanted = { name: 'Max', role: 'admin', password: PASSWORD };
  for (const wrong of [{ role: 'viewer' }, { units: ['roof'] }, { tags: ['a'] }, { password: null }])
    t.match(
      (await page.post('/_people', { ...wanted, ...wrong })).body.errors,
      [{ path: '/role' }],
      JSON.stringify(wrong),
    );
  t.match((await page.post('/_invitations', { role: 'admin' })).body.errors, [{ path: '/role' }]);
  t.equal((await page.post('/_people', wanted)).status, 201);
  t.equal((await page.ask('GET', '/roof/config')).status, 401);
  t.equal((await page.signIn({ name: 'Max', password: PASSWORD })).status, 201);
});

t.test(
  'a gateway on the network without keys starts closed, and the code of its log makes the first admin once',
  async (t) => {
    const keyed = await openKeyedGateway(t, { host: '0.0.0.0' });
    const line = keyed.log.find((one) => one.includes('makes the first admin')) ?? '';
    const { code } = JSON.parse(line);
    t.match(code, /^[A-Z2-9]{4}(-[A-Z2-9]{4}){3}$/);
    t.equal(keyed.gateway.about().firstCode, code);
    const page = new FakeBrowser(keyed);
    t.match((await page.ask('GET', '/_session/ways')).body.data, { first_admin: true, password: false });
    for (const path of ['/roof/config', '/_people', '/_status'])
      t.equal((await page.ask('GET', path)).status, 401, path);
    const accept = (token: string) => page.post('/_invitation/person', { token, name: 'Max', password: PASSWORD });
    t.equal((await accept('AAAA-AAAA-AAAA-AAAA')).body.code, 'INVITATION_NOT_FOUND');
    t.match((await page.post('/_invitation', { token: code })).body.data, {
      role: 'admin',
      units: null,
      first_admin: true,
    });
    t.equal((await accept(code.toLowerCase().replaceAll('-', ' '))).status, 201, 'as people type it');
    t.equal((await page.ask('GET', '/_people')).status, 200);
    t.equal((await page.ask('GET', '/_session/ways')).body.data.first_admin, false);
    t.equal((await new FakeBrowser(keyed).post('/_invitation', { token: code })).body.code, 'INVITATION_NOT_FOUND');
    t.equal(keyed.gateway.about().firstCode, undefined);
    await keyed.restart();
    t.equal(keyed.log.filter((one) => one.includes('makes the first admin')).length, 1, 'no further code');
  },
);
