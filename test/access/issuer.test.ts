/** People sign in by an issuer (OpenID Connect): who gets in, with which rights, and what an attacker gets. */
import t, { type Test } from 'tap';
import { settingsOf } from '../../lib/plugin/settings.ts';
import type { Settings } from '../../lib/settings/index.ts';
import plugin from '../../plugins/people/index.ts';
import { BegunSignIns } from '../../plugins/people/issuer.ts';
import { checkPeopleSettings, type PeopleSettings } from '../../plugins/people/settings.ts';
import { VirtualClock } from '../../simulator/clock.ts';
import { type FakeIssuer, openIssuer } from '../support/fake-issuer.ts';
import { type KeyedGateway, openKeyedGateway } from '../support/keyed-gateway.ts';
import { makeKey, withKeys } from '../support/keys.ts';
import { makePeople, type WantedPerson } from '../support/people.ts';
import { send } from '../support/send.ts';

const BY_GROUP = {
  role_claim: 'groups',
  roles: { admin: ['noise-admins'], operator: ['acoustics'], viewer: ['staff'] },
};

interface Scene {
  readonly keyed: KeyedGateway;
  readonly issuer: FakeIssuer;
}

async function open(
  t: Test,
  people: object = BY_GROUP,
  { wanted = [], settings = {} }: { wanted?: readonly WantedPerson[]; settings?: Partial<Settings> } = {},
): Promise<Scene> {
  const issuer = await openIssuer(t);
  const keyed = await openKeyedGateway(
    t,
    {
      outbound_allow_networks: ['127.0.0.0/8'],
      plugin_settings: { people: { issuer: issuer.url, client_id: 'gateway', ...people } },
      ...settings,
    },
    (dataDir, clock) => makePeople(dataDir, clock, wanted),
  );
  return { keyed, issuer };
}

/** A browser that keeps its cookies, and follows nothing by itself. */
class Browser {
  readonly cookies = new Map<string, string>();
  readonly #keyed: KeyedGateway;

  constructor({ keyed }: Scene) {
    this.#keyed = keyed;
  }

  get origin(): string {
    return new URL(this.#keyed.gateway.baseUrl).origin;
  }

  async go(path: string, { method = 'GET', headers = {} }: { method?: string; headers?: Record<string, string> } = {}) {
    const Cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const url = new URL(path, this.origin);
    const sent = { method, headers: { Origin: this.origin, ...(Cookie && { Cookie }), ...headers } };
    const reply = await send(url, sent);
    for (const line of reply.headers.getSetCookie()) {
      const [name = '', value = ''] = (line.split(';')[0] ?? '').split('=');
      if (value === '') this.cookies.delete(name);
      else this.cookies.set(name, value);
    }
    return { ...reply, body: reply.json ?? reply.text, location: reply.headers.get('location') ?? '' };
  }

  /** From the button to the page that comes back. */
  async signIn(issuer: FakeIssuer, to = '', more: Record<string, string> = {}) {
    const { location } = await this.go(`/sign-in?to=${encodeURIComponent(to)}`);
    const query = issuer.confirm(location);
    for (const [name, value] of Object.entries(more)) query.set(name, value);
    return this.go(`/sign-in/callback?${query}`);
  }

  who = () => this.go('/api/nl43/_session');
}

t.test('a person signs in through the issuer, and signs out there, too', async (t) => {
  const scene = await open(t);
  const { issuer, keyed } = scene;
  const page = new Browser(scene);
  t.equal((await keyed.ask('GET', '/roof/status')).status, 401, 'with an issuer nobody gets in unasked');
  t.match((await page.go('/api/nl43/_session/ways')).body.data, {
    password: false,
    issuer: new URL(issuer.url).host,
  });
  const begun = await page.go('/sign-in?to=m/roof%3Fday%3D1');
  t.equal(begun.status, 303);
  const asked = new URL(begun.location);
  t.equal(`${asked.origin}${asked.pathname}`, `${issuer.url}/authorize`);
  t.match(Object.fromEntries(asked.searchParams), {
    response_type: 'code',
    client_id: 'gateway',
    redirect_uri: `${page.origin}/sign-in/callback`,
    scope: 'openid profile email',
    code_challenge_method: 'S256',
  });
  t.match(begun.headers.get('set-cookie'), /^slm_sign_in=[\w-]{200,}; Path=\/; HttpOnly; SameSite=Lax$/);
  const back = await page.go(`/sign-in/callback?${issuer.confirm(begun.location)}`);
  t.equal(back.status, 303, String(back.body.detail));
  t.equal(back.location, '../m/roof?day=1');
  t.match((await page.who()).body.data, { name: 'anna', role: 'operator', units: null, kind: 'issuer' });
  t.notOk(page.cookies.has('slm_sign_in'), 'used up');
  t.equal((await page.go('/api/nl43/roof/status')).status, 200);
  t.equal((await page.go('/api/nl43/roof/config', { method: 'DELETE' })).status, 403, 'the role counts');
  const put = await page.go('/api/nl43/roof/notes', { method: 'POST', headers: { Origin: 'https://evil.example' } });
  t.equal(put.body.code, 'FOREIGN_ORIGIN');
  const out = await page.go('/api/nl43/_session', { method: 'DELETE' });
  const end = new URL(out.body.issuer_sign_out);
  t.equal(`${end.origin}${end.pathname}`, `${issuer.url}/end`);
  t.equal(end.searchParams.get('post_logout_redirect_uri'), `${page.origin}/`);
  t.match(end.searchParams.get('id_token_hint'), /^eyJ/);
  t.equal((await page.who()).status, 401);
});

t.test(
  'the highest role counts, units are those of the claim, and missing claims are asked of the user information',
  async (t) => {
    const people = { ...BY_GROUP, role_claim: 'realm_access.roles', units_claim: 'meters', name_claim: 'email' };
    const scene = await open(t, people);
    const { issuer } = scene;
    issuer.claims = { realm_access: { roles: ['staff', 'noise-admins', 'x'] } };
    issuer.userinfo = { email: 'eve@example.org', email_verified: true, meters: 'cellar, no such/id' };
    const page = new Browser(scene);
    t.equal((await page.signIn(issuer)).status, 303);
    t.match((await page.who()).body.data, { name: 'eve@example.org', role: 'admin', units: ['cellar'] });
    for (const [claims, userinfo, why] of [
      [{ realm_access: { roles: ['others'] } }, issuer.userinfo, /gives a role/],
      [issuer.claims, { email: 'eve@example.org' }, /names no unit/],
      [issuer.claims, { email: 'eve@example.org', email_verified: false, meters: ['cellar'] }, /mail address/],
      [issuer.claims, { meters: ['cellar'] }, /no name/],
    ] as const) {
      Object.assign(issuer, { claims, userinfo });
      const refused = await new Browser(scene).signIn(issuer);
      t.match(refused, { status: 403, body: { code: 'SIGN_IN_REFUSED', detail: why } });
      t.equal(refused.headers.getSetCookie().join(), '', 'and nobody has a session');
    }
  },
);

t.test('without a claim for the role, role and units are those of the person here, as long as they are', async (t) => {
  const scene = await open(t, {}, { wanted: [{ name: 'Anna', role: 'admin', units: ['roof'], noPassword: true }] });
  const { issuer, keyed } = scene;
  const page = new Browser(scene);
  t.equal((await page.signIn(issuer)).status, 303);
  t.match((await page.who()).body.data, { name: 'Anna', role: 'admin', units: ['roof'], kind: 'issuer' });
  issuer.claims = { preferred_username: 'mallory' };
  t.match(await new Browser(scene).signIn(issuer), { status: 403, body: { code: 'SIGN_IN_REFUSED' } });
  const headers = { Origin: page.origin, Cookie: [...page.cookies].map((pair) => pair.join('=')).join('; ') };
  const { status, socket } = await keyed.upgrade('/_live', headers);
  t.equal(status, 101);
  const closed = new Promise((resolve) => socket.once('close', resolve));
  await withKeys(keyed.dataDir, (admin) => admin.changePerson('Anna', { role: 'viewer' }), keyed.clock);
  await keyed.clock.advance(1_000);
  await closed;
  t.equal((await page.who()).status, 401, 'a lowered role ends the session at once, and its sockets');
});

t.test('a person of the issuer with the name of an API key is shown with the issuer', async (t) => {
  const scene = await open(t, { role_claim: 'groups', roles: { admin: ['staff'] } });
  const { issuer, keyed } = scene;
  await makeKey(keyed.dataDir, { name: 'Control Room', role: 'admin' }, keyed.clock);
  await keyed.clock.advance(1_100);
  issuer.claims = { preferred_username: 'control room', groups: ['staff'] };
  const page = new Browser(scene);
  t.equal((await page.signIn(issuer)).status, 303);
  const { host } = new URL(issuer.url);
  t.match((await page.who()).body.data, { name: `control room (${host})`, kind: 'issuer' });
});

t.test(
  'a role that the issuer has lowered counts at the next sign-in, and a removed person is out at once',
  async (t) => {
    const scene = await open(t);
    const page = new Browser(scene);
    await page.signIn(scene.issuer);
    t.equal((await page.who()).body.data.role, 'operator');
    scene.issuer.claims = { preferred_username: 'anna', groups: ['staff'] };
    t.equal((await page.who()).body.data.role, 'operator', 'as docs/people.md says');
    await page.signIn(scene.issuer);
    t.equal((await page.who()).body.data.role, 'viewer');

    const linked = await open(t, {}, { wanted: [{ name: 'Anna', role: 'admin', noPassword: true }] });
    const other = new Browser(linked);
    await other.signIn(linked.issuer);
    t.equal((await other.who()).status, 200);
    await withKeys(linked.keyed.dataDir, (admin) => admin.removePerson('Anna'), linked.keyed.clock);
    await linked.keyed.clock.advance(1_000);
    t.equal((await other.who()).status, 401);
  },
);

t.test('the audit log has sign-ins through the issuer, and the first failed sign-in of a minute', async (t) => {
  const scene = await open(t, BY_GROUP, { wanted: [{ name: 'Max', role: 'admin' }] });
  const { issuer, keyed } = scene;
  await new Browser(scene).signIn(issuer);
  issuer.claims = { preferred_username: 'anna', groups: ['visitors'] };
  for (let count = 0; count < 3; count++) await new Browser(scene).signIn(issuer);
  await keyed.clock.advance(60_000);
  await new Browser(scene).signIn(issuer);
  const admin = await keyed.key({ name: 'auditor', role: 'admin' });
  const { records } = (await keyed.ask('GET', '/_audit', { headers: admin.headers })).body;
  const signIns = records.filter(({ route }: { route: string }) => /sign-in|_session/.test(route)).toReversed();
  t.match(signIns, [
    { who: 'anna', route: '/sign-in/callback', status: 303, body: { kind: 'issuer' } },
    { who: 'anybody', route: '/_session', status: 403, code: 'SIGN_IN_REFUSED' },
    { who: 'anybody', route: '/_session', status: 403, code: 'SIGN_IN_REFUSED' },
  ]);
  t.equal(signIns.length, 3);
});

t.test('a person of the issuer is not confused with a person of the gateway', async (t) => {
  const scene = await open(t, BY_GROUP, { wanted: [{ name: 'Anna', role: 'admin' }] });
  const page = new Browser(scene);
  t.equal((await page.signIn(scene.issuer)).status, 303);
  const { name, role } = (await page.who()).body.data;
  t.equal(name, `anna (${new URL(scene.issuer.url).host})`);
  t.equal(role, 'operator');
});

t.test('an answer that belongs to the sign-in of another browser gets no session', async (t) => {
  const scene = await open(t);
  const { issuer } = scene;
  const page = new Browser(scene);
  const failed = { status: 400, body: { code: 'SIGN_IN_FAILED' } };
  // Login CSRF: the attacker's answer in the browser of somebody else.
  const attacker = new Browser(scene);
  const theirs = issuer.confirm((await attacker.go('/sign-in')).location);
  t.match(await page.go(`/sign-in/callback?${theirs}`), failed, 'no sign-in was begun here');
  await page.go('/sign-in');
  t.match(await page.go(`/sign-in/callback?${theirs}`), failed, 'another was');
  t.match(await attacker.go('/sign-in/callback?error=access_denied&state=x'), { body: { code: String } });
  // Replayed.
  const { location } = await page.go('/sign-in');
  const cookies = new Map(page.cookies);
  const answer = issuer.confirm(location);
  t.equal((await page.go(`/sign-in/callback?${answer}`)).status, 303);
  for (const [name, value] of cookies) page.cookies.set(name, value);
  t.match(await page.go(`/sign-in/callback?${answer}`), failed, 'used up');
  // The cookie twice, as somebody plants it for another path.
  const other = new Browser(scene);
  const begun = await other.go('/sign-in');
  const twice = { Cookie: `slm_sign_in=${other.cookies.get('slm_sign_in')}; slm_sign_in=${'x'.repeat(43)}` };
  t.match(await other.go(`/sign-in/callback?${issuer.confirm(begun.location)}`, { headers: twice }), failed);
  // Too late.
  const late = new Browser(scene);
  const slow = await late.go('/sign-in');
  await scene.keyed.clock.advance(600_000);
  t.match(await late.go(`/sign-in/callback?${issuer.confirm(slow.location)}`), failed);
});

t.test(
  'when twenty thousand others begin a sign-in, the first can still be finished, once and unchanged',
  async (t) => {
    const clock = new VirtualClock();
    const begun = new BegunSignIns(clock);
    const signIn = (state: string) => ({ state, nonce: 'n', verifier: 'v', to: 'x'.repeat(2_048) });
    const first = begun.seal(signIn('first'));
    t.ok(first.length < 3_500, 'a browser keeps it');
    for (let count = 0; count < 20_000; count++) begun.seal(signIn(`other ${count}`));
    const changed = `${first.slice(0, 40)}${first[40] === 'A' ? 'B' : 'A'}${first.slice(41)}`;
    t.strictSame(
      [changed, 'x', '', new BegunSignIns(clock).seal(signIn('x'))].map((cookie) => begun.take(cookie)),
      [...[undefined, undefined, undefined, undefined]],
    );
    t.match(begun.take(first), { state: 'first' });
    t.equal(begun.take(first), undefined);
  },
);

t.test('a session from before the sign-in ends, so that nobody can plant a known session', async (t) => {
  const scene = await open(t);
  const page = new Browser(scene);
  await page.signIn(scene.issuer);
  const planted = page.cookies.get('slm_session') ?? '';
  await page.signIn(scene.issuer);
  t.not(page.cookies.get('slm_session'), planted);
  page.cookies.set('slm_session', planted);
  t.equal((await page.who()).status, 401);
});

t.test('wrong tokens get no session', async (t) => {
  const scene = await open(t);
  const { issuer, keyed } = scene;
  const seconds = () => Math.floor(Date.now() / 1_000);
  const tried: Record<string, () => void> = {
    'of another issuer': () => (issuer.wrong = { iss: 'https://other.example.org' }),
    'for another client': () => (issuer.wrong = { aud: 'other' }),
    'for two, and the other is meant': () => (issuer.wrong = { aud: ['gateway', 'other'], azp: 'other' }),
    'with another nonce': () => (issuer.wrong = { nonce: 'x' }),
    'over for long': () => (issuer.wrong = { exp: seconds() - 61 }),
    'not valid yet': () => (issuer.wrong = { nbf: seconds() + 120 }),
    'without a signature': () => (issuer.alg = 'none'),
    'with a signature by anybody': () => issuer.forge(),
  };
  for (const [what, spoil] of Object.entries(tried)) {
    Object.assign(issuer, { wrong: {}, alg: 'RS256', foreignKey: undefined });
    spoil();
    const answer = await new Browser(scene).signIn(issuer);
    t.match(answer, { status: 502, body: { code: 'ISSUER_FAILED' } }, what);
  }
  Object.assign(issuer, { wrong: { exp: seconds() - 30 }, alg: 'RS256', foreignKey: undefined });
  t.equal((await new Browser(scene).signIn(issuer)).status, 303, 'clocks may differ by a minute');
  issuer.wrong = {};
  const mixed = await new Browser(scene).signIn(issuer, '', { iss: 'https://other.example.org' });
  t.match(mixed, { status: 502, body: { code: 'ISSUER_FAILED' } }, 'an answer in the name of another issuer');
  issuer.rotate();
  await keyed.clock.advance(120_000);
  t.equal((await new Browser(scene).signIn(issuer)).status, 303, 'a new key of the issuer is found');
  const denied = new Browser(scene);
  const { searchParams } = new URL((await denied.go('/sign-in')).location);
  const query = new URLSearchParams({
    error: 'access_denied',
    state: searchParams.get('state') ?? '',
    iss: issuer.url,
  });
  const said = await denied.go(`/sign-in/callback?${query}`, { headers: { Accept: 'text/html' } });
  t.equal(said.status, 400);
  t.match(said.body, /The issuer did not confirm the sign-in: access_denied\./);
  t.match(said.headers.get('content-security-policy'), /default-src 'none'/);
});

t.test('when the issuer repeats the secret of the gateway, neither the answer nor the log has it', async (t) => {
  const scene = await open(t, { ...BY_GROUP, client_secret: 'canary_of_ours' });
  scene.issuer.tokenError = 'another_word';
  t.match(await new Browser(scene).signIn(scene.issuer), { status: 400, body: { detail: /another_word/ } });
  scene.issuer.tokenError = 'canary_of_ours';
  const answer = await new Browser(scene).signIn(scene.issuer);
  t.match(answer, { status: 400, body: { code: 'SIGN_IN_FAILED' } });
  t.notMatch(answer.text, /canary/);
});

t.test('the address after the sign-in stays below the root of the gateway', async (t) => {
  const scene = await open(t);
  for (const [to, place] of [
    ['https://evil.example/x', '../'],
    ['//evil.example/x', '../'],
    ['\\\\evil.example', '../'],
    ['/\\evil.example', '../'],
    ['javascript:alert(1)', '../'],
    ['../../x', '../x'],
    ['a//b', '../a//b'],
    ['m/roof#days', '../m/roof#days'],
  ] as const) {
    const { location } = await new Browser(scene).signIn(scene.issuer, to);
    t.equal(location, place, to);
    t.equal(new URL(location, 'http://here.example/sign-in/callback').origin, 'http://here.example');
  }
});

t.test('an issuer that is down stops nobody else, and is reported', async (t) => {
  const scene = await open(t, { ...BY_GROUP, issuer_name: 'Town hall' }, { wanted: [{ name: 'Max', role: 'admin' }] });
  const { keyed, issuer } = scene;
  const page = new Browser(scene);
  await page.signIn(issuer);
  issuer.isDown = true;
  const troubles = async () => {
    const { problems = [] } = (await page.go('/health')).body;
    return (problems as { part: string }[]).filter(({ part }) => part === 'sign-in');
  };
  while ((await troubles()).length === 0) await keyed.clock.advance(60_000);
  t.match(await troubles(), [{ detail: 'The issuer that signs people in cannot be asked; the log says why.' }]);
  t.equal((await page.who()).status, 200, 'who is signed in stays so');
  t.match((await page.go('/api/nl43/_session/ways')).body.data, { password: true, issuer: 'Town hall' });
  const asked = issuer.asked.length;
  issuer.isDown = false;
  while (issuer.asked.length === asked) await keyed.clock.advance(10_000);
  while ((await troubles()).length > 0) await keyed.clock.advance(10_000);
});

t.test('an issuer that is down at the start of the gateway is reported, too; a person can try later', async (t) => {
  const scene = await open(t, { ...BY_GROUP, issuer: 'http://127.0.0.1:9' });
  const refused = await new Browser(scene).go('/sign-in', { headers: { Accept: 'text/html' } });
  t.equal(refused.status, 502);
  t.match(refused.body, /The issuer cannot be asked: .*<a href=".\/sign-in">Try again/s);
});

t.test('many sign-ins at once read the metadata of the issuer once', async (t) => {
  const scene = await open(t);
  const { keyed, issuer } = scene;
  const looks = () => issuer.asked.filter((path) => path.endsWith('/openid-configuration')).length;
  await new Browser(scene).go('/sign-in');
  const before = looks();
  await keyed.clock.advance(3_600_001);
  const all = await Promise.all(Array.from({ length: 50 }, () => new Browser(scene).go('/sign-in')));
  t.strictSame(new Set(all.map(({ status }) => status)), new Set([303]));
  t.ok(looks() - before <= 2, `${looks() - before} times`);
});

t.test(
  'with a claim of tags, a person sees the units with one of them, also one that gets the tag later',
  async (t) => {
    const scene = await open(t, { ...BY_GROUP, tags_claim: 'sites' });
    const { issuer, keyed } = scene;
    const tag = (unitId: string) =>
      keyed.gateway.store.configs.change(unitId, (unit) => ({
        ...(unit ?? keyed.gateway.store.configs.of(unitId)),
        tags: ['site-a'],
      }));
    await tag('roof');
    issuer.claims = { preferred_username: 'tom', groups: ['staff'], sites: 'site-a, no tag' };
    const page = new Browser(scene);
    t.equal((await page.signIn(issuer)).status, 303);
    const { data } = (await page.who()).body;
    t.match(data, { role: 'viewer', units: ['roof'], kind: 'issuer' });
    await tag('cellar');
    t.strictSame((await page.who()).body.data.units.toSorted(), ['cellar', 'roof']);
    issuer.claims = { preferred_username: 'tom', groups: ['staff'], sites: ['no tag'] };
    t.equal((await new Browser(scene).signIn(issuer)).status, 403);
  },
);

t.test('settings that cannot work open nothing', async (t) => {
  const wrong = [
    [{ issuer: 'http://id.example.org', client_id: 'x' }, /needs https/],
    [{ issuer: 'https://id.example.org' }, /client_id/],
    [{ issuer: 'https://id.example.org', client_id: 'x', role_claim: 'groups' }, /roles: is needed/],
    [{ issuer: 'https://id.example.org', client_id: 'x', roles: { admin: ['a'] } }, /roles: needs role_claim/],
    [{ issuer: 'https://id.example.org', client_id: 'x', units_claim: 'u' }, /needs role_claim/],
    [{ issuer: 'https://id.example.org', client_id: 'x', tags_claim: 'u' }, /needs role_claim/],
    [{ issuer: 'https://id.example.org', client_id: 'x', client_secret: 'a', client_secret_file: '/b' }, /one of them/],
  ] as const;
  for (const [given, why] of wrong)
    t.throws(() => checkPeopleSettings(settingsOf(plugin, given) as PeopleSettings), { message: why });
  const [[given]] = wrong;
  const keyed = await openKeyedGateway(t, { plugin_settings: { people: given } });
  t.equal((await keyed.ask('GET', '/roof/status')).status, 401, 'somebody wanted people to sign in');
});
