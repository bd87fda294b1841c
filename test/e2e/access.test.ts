/** The whole table of routes, walked by callers of every kind. */
import t, { type Test } from 'tap';
import { ROLES } from '../../lib/domain/ids.ts';
import { ENDPOINTS } from '../support/endpoints.ts';
import { openIssuer, signInByIssuer } from '../support/fake-issuer.ts';
import { type KeyedGateway, openKeyedGateway } from '../support/keyed-gateway.ts';
import { type MadeKey, makeKey, revokeKey, withKeys } from '../support/keys.ts';
import { FakeBrowser, makePeople, PASSWORD } from '../support/people.ts';

type Access = 'public' | 'viewer' | 'operator' | 'admin';
interface Way {
  readonly method: string;
  /** With the unit filled in. */
  readonly path: string;
  readonly access: Access;
  readonly hasUnit: boolean;
}

/** Every route is asked from an address of its own, which a proxy tells: wrong keys on all of them would be a flood of one address. */
const PLENTY = { request_rate: 0, trusted_proxies: ['127.0.0.1'], proxy_user_header: 'Remote-User' };
const from = (number: number) => ({ 'X-Forwarded-For': `2001:db8:0:${number.toString(16)}::1` });
const RANK = { public: 0, viewer: 1, operator: 2, admin: 3 } as const;
/** Paths of routes that can end a session. */
const ENDS_SESSIONS = /_sessions?\b|_people|_keys/;
/** Beside the base path. */
const ROOT = '/../..';
/** Below the base path; they show a caller of some units just these. */
const FILTERED = [
  '',
  '/_tickets',
  '/_polling/status',
  '/_audit',
  `${ROOT}/metrics`,
  '/_status',
  '/_about',
  '/_jobs',
  '/_notes',
  '/_calibrations',
  '/_reports/templates',
  '/_reports/letterheads',
  '/_reports/preview',
  '/_reports',
  '/_reports/{id}',
  '/_reports/{id}/mail',
  '/_reports/{id}/run',
  '/_reports/{id}/runs',
  '/_reports/{id}/documents',
  '/_reports/{id}/documents/{document}',
  '/_keys',
  '/_keys/{id}',
  '/_session',
  '/_sessions',
  '/_sessions/{id}',
  '/_people',
  '/_people/{name}',
  '/_people/{name}/sessions',
  '/_invitations',
  '/_invitations/{id}',
  '/_jobs/{id}',
  // They are the same for everybody.
  '/_jobs/kinds',
  '/_push',
  '/_push/key',
  '/_push/{id}',
  '/_alerts/kinds',
  '/_evidence/key',
  '/_schedules/actions',
  '/_alerts/rules',
  '/_alerts/rules/{id}',
  '/_alerts/rules/batch',
  '/_alerts/rules/check',
  '/_alerts/rules/preview',
  '/_alerts/events',
  '/_alerts/days',
  '/_history/lines',
  '/_history/days',
  '/_map',
  '/_plan',
  '/_budget',
  '/_alerts/events/{id}',
  '/_alerts/events/{id}/ack',
  '/_live',
  '/_profiles',
  '/_profiles/{name}',
  '/_profiles/{name}/apply',
  '/_profiles/{name}/drift',
  '/_recordings',
  '/_stations/{id}/observations',
  '/_permits/{name}/rules',
  '/_permits/{name}/verdict',
  '/_verdicts',
];
/** Shown to a caller of some units, and changed only by those of all units. */
const SHOWN = [
  '/_plan/picture',
  '/_permits',
  '/_permits/{name}',
  '/_stations',
  '/_stations/{id}',
  '/_reports/templates/{name}',
  '/_reports/letterheads/{name}',
];

/** Keys of every kind, made before the gateway starts. */
async function everyKind(t: Test) {
  const keys: Record<string, MadeKey> = {};
  const issuer = await openIssuer(t);
  const roles = Object.fromEntries(ROLES.map((role) => [role, [role]]));
  const byIssuer = { issuer: issuer.url, client_id: 'gateway', role_claim: 'role', roles, units_claim: 'units' };
  const settings = { ...PLENTY, outbound_allow_networks: ['127.0.0.0/8'], plugin_settings: { people: byIssuer } };
  const keyed = await openKeyedGateway(t, settings, async (dataDir, clock) => {
    const people = ROLES.flatMap((role) => [
      { name: `person ${role}`, role },
      { name: `person ${role} of cellar`, role, units: ['cellar'] },
    ]);
    await makePeople(dataDir, clock, [...people, { name: 'removed', role: 'admin' }]);
    for (const role of ['viewer', 'operator', 'admin']) {
      keys[role] = await makeKey(dataDir, { name: role, role }, clock);
      keys[`${role} of roof`] = await makeKey(dataDir, { name: `${role} of roof`, role, units: 'roof' }, clock);
      keys[`${role} of cellar`] = await makeKey(dataDir, { name: `${role} of cellar`, role, units: 'cellar' }, clock);
    }
    keys.expired = await makeKey(dataDir, { name: 'expired', role: 'admin', expires: '1h' }, clock);
    await clock.advance(3_600_000);
    const revoked = await makeKey(dataDir, { name: 'revoked', role: 'admin' }, clock);
    await revokeKey(dataDir, revoked, clock);
    keys.revoked = revoked;
  });
  return { keyed, keys, issuer };
}

/** Headers of callers that signed in: people of every role, by name and password, by a proxy and by an issuer, and a key; and of one whose person was removed since. */
async function signedIn({ keyed, keys, issuer }: Awaited<ReturnType<typeof everyKind>>) {
  const all: (readonly [string, (mayHaveEnded: boolean) => Promise<Record<string, string>>])[] = [];
  const add = (name: string, json: object) => {
    const page = new FakeBrowser(keyed);
    all.push([
      name,
      async (mayHaveEnded) => {
        if (mayHaveEnded && (await page.ask('GET', '/_session')).status !== 200) await page.signIn(json);
        return page.headers;
      },
    ]);
    return page;
  };
  for (const role of ROLES)
    for (const reach of ['', ' of cellar'])
      add(`${role}${reach} by password`, { name: `person ${role}${reach}`, password: PASSWORD });
  add('operator by key', { key: keys.operator?.text });
  const { origin } = new FakeBrowser(keyed);
  for (const role of ROLES)
    for (const reach of ['', ' of cellar']) {
      const headers = { Origin: origin, 'Remote-User': `person ${role}${reach}` };
      all.push([`${role}${reach} by a proxy`, async () => headers]);
      const claims = { preferred_username: `${role}${reach}`, role, units: reach === '' ? ['*'] : ['cellar'] };
      let Cookie = '';
      all.push([
        `${role}${reach} by an issuer`,
        async (mayHaveEnded) => {
          const isIn = async () => (await keyed.ask('GET', '/_session', { headers: { Cookie } })).status === 200;
          if (mayHaveEnded && !(await isIn())) Cookie = await signInByIssuer(origin, issuer, claims);
          return { Origin: origin, Cookie };
        },
      ]);
    }
  all.push(['stranger', async () => ({ Origin: origin, 'Remote-User': 'stranger' })]);
  const removed = add('removed', { name: 'removed', password: PASSWORD });
  await removed.signIn({ name: 'removed', password: PASSWORD });
  await withKeys(keyed.dataDir, (admin) => admin.removePerson('removed'), keyed.clock);
  const { headers } = removed;
  await keyed.clock.advance(1_000);
  all.pop();
  all.push(['signed out', async () => headers]);
  return all;
}

/** Every request and every upgrade of the OpenAPI document. */
async function table(keyed: KeyedGateway): Promise<{ requests: Way[]; upgrades: Way[] }> {
  const { body } = await keyed.ask('GET', '/openapi.json');
  const requests: Way[] = [];
  const upgrades: Way[] = [];
  for (const [path, item] of Object.entries<Record<string, Record<string, unknown>>>(body.paths)) {
    const root = item.servers === undefined ? '' : ROOT;
    for (const method of ['get', 'put', 'post', 'delete']) {
      const operation = item[method];
      if (!operation) continue;
      const way = {
        path: path === '/' ? '' : `${root}${path.replace('{unit_id}', 'roof')}`,
        hasUnit: path.includes('{unit_id}'),
        access: operation['x-access'] as Access,
      };
      // A path that is a WebSocket alone says so (426) to everybody.
      const isAnswered = Object.keys(operation.responses as object).some((status) => status.startsWith('2'));
      if (isAnswered) requests.push({ ...way, method: method.toUpperCase() });
      if (isAnswered && method === 'get') requests.push({ ...way, method: 'HEAD' });
      if (operation['x-websocket']) upgrades.push({ ...way, method: 'GET' });
    }
  }
  // The request that removes the unit comes last.
  return { requests: requests.sort((a, b) => Number(a.method === 'DELETE') - Number(b.method === 'DELETE')), upgrades };
}

/** Expected answer to a caller: 401, 403, or `in`. */
function expected(caller: string, { method, access, hasUnit, path }: Way): string {
  if (access === 'public') return 'in';
  if (['nobody', 'expired', 'revoked', 'stranger', 'basic', 'signed out'].includes(caller))
    return '401 UNAUTHENTICATED';
  const [role = '', of, word] = caller.split(' ');
  const unit = of === 'of' ? word : undefined;
  if (RANK[role as Access] < RANK[access]) return '403 FORBIDDEN';
  const isOpen = FILTERED.includes(path) || (SHOWN.includes(path) && (method === 'GET' || method === 'HEAD'));
  if (unit !== undefined && (hasUnit ? unit !== 'roof' : !isOpen)) return '403 FORBIDDEN';
  return 'in';
}

const heard = (status: number, code: string | undefined): string =>
  status === 401 || code === 'FORBIDDEN' ? `${status} ${code}` : 'in';

t.test('every route lets in its declared callers, and nobody else', async (t) => {
  const scene = await everyKind(t);
  const { keyed, keys } = scene;
  const { requests, upgrades } = await table(keyed);
  t.ok(requests.length > 50 && upgrades.length > 0, 'the table is there');
  const kinds = { nobody: {}, basic: { Authorization: 'Basic YTpi' } };
  const same = (headers: Record<string, string>) => async () => headers;
  const callers = [
    ...Object.entries(keys).map(([name, key]) => [name, same({ ...key.headers })] as const),
    ...Object.entries(kinds).map(([name, headers]) => [name, same({ ...headers })] as const),
    ...(await signedIn(scene)),
  ];
  const wrong: string[] = [];
  for (const [number, way] of requests.entries()) {
    const last = requests[number - 1]?.path ?? '';
    for (const [caller, headersOf] of callers) {
      // Signing out is one of the routes.
      const mayHaveEnded = number === 0 || ENDS_SESSIONS.test(`${last} ${way.path}`);
      const headers = { ...(await headersOf(mayHaveEnded)), ...from(number) };
      const { status, body } = await keyed.ask(way.method, way.path, { headers });
      const should = expected(caller, way);
      const got = way.method === 'HEAD' ? `${status}`.replace(/^(?!401|403).*/, 'in') : heard(status, body?.code);
      const isRight =
        way.method === 'HEAD' ? should.startsWith(got) || (got === '403' && should === 'in') : got === should;
      if (!isRight) wrong.push(`${way.method} ${way.path} by ${caller}: ${got}, not ${should}`);
    }
  }
  for (const [number, way] of upgrades.entries()) {
    for (const [caller, headersOf] of callers) {
      const headers = { ...(await headersOf(number === 0)), ...from(requests.length + number) };
      const { status, body, socket } = await keyed.upgrade(way.path, headers);
      socket.terminate();
      const should = expected(caller, way);
      if (heard(status, body?.code) !== should) wrong.push(`WS ${way.path} by ${caller}: ${status}, not ${should}`);
    }
  }
  t.strictSame(wrong, []);
});

/** Of tests that leave keys and units as they are. */
const unchanged = await everyKind(t);

t.test('a caller who may read a list may read its entries, and nobody else may', async (t) => {
  const { keyed, keys } = unchanged;
  const { requests } = await table(keyed);
  const reads = new Set(requests.filter(({ method }) => method === 'GET').map(({ path }) => path));
  const pairs = [...reads].flatMap((path) => {
    const list = path.replace(/\/\{\w+\}$/, '');
    return list !== path && reads.has(list) ? [[list, path] as const] : [];
  });
  t.ok(pairs.length > 8, 'there are such lists');
  const { headers = {} } = keys['viewer of cellar'] ?? {};
  for (const [list, path] of pairs) {
    const [all, one] = await Promise.all(
      [list, path.replace(/\{\w+\}$/, 'none')].map((way) => keyed.ask('GET', way, { headers })),
    );
    t.equal(one?.body.code === 'FORBIDDEN', all?.body.code === 'FORBIDDEN', `${path}: ${one?.status}, ${all?.status}`);
  }
});

t.test('reading is for viewers, control for operators, configs for admins', async (t) => {
  const keyed = await openKeyedGateway(t);
  const { requests } = await table(keyed);
  const accessOf = (method: string, path: string) =>
    requests.find((way) => way.method === method && way.path === `/roof${path.split('?')[0]}`)?.access;
  for (const { method, path, kind } of ENDPOINTS) {
    // The trace is for people who look for trouble, not for people who look at levels.
    const isRead = (method === 'GET' && path !== '/trace') || path === '/ftp/download';
    const should = isRead ? 'viewer' : kind === 'config' ? 'admin' : 'operator';
    t.equal(accessOf(method, path), should, `${method} ${path}`);
  }
});

t.test('a caller never sees a unit without rights for it', async (t) => {
  const { keyed, keys } = unchanged;
  const units = ['roof', 'nobody', '__proto__', '%00', 'x'.repeat(80)];
  for (const [caller, headers, status] of [
    ['no key', {}, 401],
    ['a key of another unit', keys['admin of cellar']?.headers ?? {}, 403],
  ] as const) {
    const answers = await Promise.all(units.map((unit) => keyed.ask('GET', `/${unit}/status`, { headers })));
    t.strictSame(
      answers.map((answer) => answer.status),
      units.map(() => status),
      caller,
    );
    t.equal(new Set(answers.map(({ body }) => JSON.stringify(body))).size, 1, 'in the same words');
    const streams = await Promise.all(units.map((unit) => keyed.upgrade(`/${unit}/live`, headers)));
    t.strictSame(
      streams.map((answer) => answer.status),
      units.map(() => status),
      `${caller}, upgrade`,
    );
  }
  const list = async (caller: string) => {
    const { body } = await keyed.ask('GET', '', { headers: keys[caller]?.headers ?? {} });
    return body.units.map(({ unit_id }: { unit_id: string }) => unit_id).sort();
  };
  t.strictSame(await list('viewer'), ['cellar', 'roof']);
  t.strictSame(await list('viewer of cellar'), ['cellar']);
  for (const unit of ['roof', 'cellar'])
    await keyed.ask('POST', `/${unit}/start`, { headers: keys.admin?.headers ?? {} });
  // Jobs have tests of their own; these show something of each unit at once.
  const shown = ['', '/_polling/status', '/_audit', '/_status', `${ROOT}/metrics`];
  for (const path of shown) {
    const seen = async (caller: string) => {
      const answer = await fetch(`${keyed.gateway.baseUrl}${path}`, { headers: keys[caller]?.headers ?? {} });
      return answer.text();
    };
    t.match(await seen('admin'), /roof/, `${path} has the unit`);
    t.notMatch(await seen('admin of cellar'), /roof/, `${path} hides it`);
  }
});

t.test('health and the document are for everybody, with any key or none', async (t) => {
  const { keyed } = unchanged;
  for (const headers of [{}, { Authorization: 'Bearer slm_nonsense' }]) {
    const health = await fetch(new URL('/health', keyed.gateway.baseUrl), { headers });
    t.equal(health.status, 200);
    t.equal((await keyed.ask('GET', '/openapi.json', { headers })).status, 200);
  }
});

t.test('a refusal says how to get access', async (t) => {
  const { keyed, keys } = unchanged;
  const nobody = await keyed.ask('GET', '/roof/status');
  t.equal(nobody.headers.get('www-authenticate'), 'Bearer realm="slm-gateway"');
  const expired = await keyed.ask('GET', '/roof/status', { headers: keys.expired?.headers ?? {} });
  t.equal(expired.headers.get('www-authenticate'), 'Bearer realm="slm-gateway", error="invalid_token"');
  t.match(expired.body.detail, /has expired/);
  const viewer = await keyed.ask('POST', '/roof/start', { headers: keys.viewer?.headers ?? {} });
  t.equal(viewer.body.detail, 'This needs the role operator; this API key has the role viewer.');
});

t.test('a key appears in no log, no answer and no file', async (t) => {
  const { keyed, keys } = unchanged;
  for (const [name, { headers }] of Object.entries(keys)) {
    const { body } = await keyed.ask('PUT', '/roof/config', { headers });
    const secret = headers.Authorization.slice(-43);
    t.notOk(`${JSON.stringify(body)}${keyed.log.join('')}`.includes(secret), name);
  }
});
