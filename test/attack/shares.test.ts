/** A link of a share opens its own page and nothing else, whatever is tried with it; guessed links cost time. */
import t, { type Test } from 'tap';
import { openKeyedGateway } from '../support/keyed-gateway.ts';
import { makeKey } from '../support/keys.ts';

const ROOT = '/../..';

async function withShare(t: Test) {
  let admin: Record<string, string> = {};
  // Each request names its own address, so that a wrong key does not lock out the next request.
  const settings = { request_rate: 0, trusted_proxies: ['127.0.0.1'] };
  const keyed = await openKeyedGateway(t, settings, async (dataDir, clock) => {
    admin = (await makeKey(dataDir, { name: 'admin', role: 'admin' }, clock)).headers;
  });
  const expires_at = new Date(keyed.clock.now() + 86_400_000).toISOString();
  const share = { name: 'Office', units: ['roof'], show: ['live'], expires_at };
  const { status, body } = await keyed.post('/_shares', share, admin);
  if (status !== 201) throw new Error(JSON.stringify(body));
  const token: string = body.data.link.slice('/s/'.length);
  return { keyed, token, id: String(body.data.id), admin };
}

t.test('the token opens no operation of the API: not as a key, a cookie, a ticket or a part of a path', async (t) => {
  const { keyed, token } = await withShare(t);
  const { body: document } = await keyed.ask('GET', '/openapi.json');
  const wrong: string[] = [];
  let tried = 0;
  for (const [path, item] of Object.entries<Record<string, Record<string, unknown>>>(document.paths))
    for (const method of ['get', 'put', 'post', 'delete']) {
      const operation = item[method];
      if (!operation || operation['x-access'] === 'public') continue;
      const isAnswered = Object.keys(operation.responses as object).some((status) => status.startsWith('2'));
      if (!isAnswered) continue;
      const place = `${item.servers === undefined ? '' : ROOT}${path === '/' ? '' : path}`;
      for (const unit of ['roof', 'cellar'])
        for (const [how, at, headers] of [
          ['key', place, { Authorization: `Bearer ${token}` }],
          ['basic', place, { Authorization: `Basic ${Buffer.from(`${token}:${token}`).toString('base64')}` }],
          ['cookie', place, { Cookie: `session=${token}; __Host-session=${token}; share=${token}` }],
          ['query', `${place}?ticket=${token}&token=${token}&key=${token}`, {}],
          ['path', `${ROOT}/s/${token}${path === '/' ? '/x' : path}`, {}],
        ] as const) {
          const filled = at.replace('{unit_id}', unit).replaceAll(/\{\w+\}/g, '1');
          tried += 1;
          const from = { 'X-Forwarded-For': `10.0.${tried >> 8}.${tried & 255}` };
          const { status } = await keyed.ask(method.toUpperCase(), filled, { headers: { ...headers, ...from } });
          if (status !== 401 && status !== 404 && status !== 405) wrong.push(`${how}: ${method} ${filled}: ${status}`);
        }
    }
  t.ok(tried > 1_000, `${tried} requests`);
  t.strictSame(wrong, []);
});

t.test('what is added to the link changes nothing: units, parts, times and languages of others', async (t) => {
  const { keyed, token } = await withShare(t);
  const plain = await keyed.ask('GET', `${ROOT}/s/${token}/data`);
  t.strictSame(Object.keys(plain.body.data.units[0]).sort(), ['live', 'name', 'timezone']);
  const queries = [
    'units=cellar&unit=cellar&unit_id=cellar',
    'show=levels,indices,limits&parts=all',
    'from=2020-01-01T00:00:00Z&to=2030-01-01T00:00:00Z&delay_s=0&round_db=0.1',
    '__proto__[units]=cellar&constructor=1',
  ];
  for (const query of queries) {
    const { body } = await keyed.ask('GET', `${ROOT}/s/${token}/data?${query}`);
    t.strictSame(body.data.units, plain.body.data.units, query);
  }
  const text = JSON.stringify(plain.body);
  for (const secret of ['cellar', '127.0.0.1', 'host', 'serial', 'address', 'port', token])
    t.notOk(text.includes(secret), `nothing of ${secret}`);
  for (const method of ['POST', 'PUT', 'DELETE', 'PATCH'])
    t.equal((await keyed.ask(method, `${ROOT}/s/${token}`)).status, 405, method);
  const near = [
    `${token}x`,
    token.slice(1),
    `${token}/../${token}`.replace('/../', '%2f..%2f'),
    `%00${token}`,
    '',
    // A client makes `%2e%2e` the folder above before it sends anything.
    '%252e%252e',
    'constructor',
  ];
  for (const written of near) t.equal((await keyed.ask('GET', `${ROOT}/s/${written}`)).status, 404, written);
});

t.test('guessed links are slowed down as keys are, and an ended link is no guess', async (t) => {
  const { keyed, token, id, admin } = await withShare(t);
  const guess = (number: number) => keyed.ask('GET', `${ROOT}/s/${String(number).padStart(22, 'A')}/data`);
  const heard = [];
  for (let number = 0; number < 6; number += 1) heard.push((await guess(number)).status);
  t.strictSame(heard, [404, 404, 404, 404, 404, 429]);
  const refused = await keyed.ask('GET', `${ROOT}/s/${token}/data`);
  t.equal(refused.status, 429, 'or right ones would show where the guesses come from');
  t.equal(refused.headers.get('retry-after'), '1');
  t.equal(
    (await keyed.ask('GET', '/roof/status', { headers: admin })).status,
    200,
    'keys of the address are not locked',
  );
  await keyed.clock.advance(1_000);
  t.equal((await keyed.ask('GET', `${ROOT}/s/${token}/data`)).status, 200);
  t.equal((await guess(7)).status, 404);
  t.equal((await guess(8)).headers.get('retry-after'), '2', 'each costs twice as much');
  await keyed.clock.advance(60_000);
  t.match(keyed.log.join(''), /links of shares that never were/);
  t.notOk(keyed.log.join('').includes('AAAAA'), 'no guess in the log');
  await keyed.clock.advance(1_000_000);
  await keyed.ask('DELETE', `/_shares/${id}`, { headers: admin });
  for (let number = 0; number < 10; number += 1)
    t.equal(
      (await keyed.ask('GET', `${ROOT}/s/${token}/data`)).status,
      404,
      'a page that is left open locks nobody out',
    );
});

t.test('only admins of all units make, see and revoke shares', async (t) => {
  const { keyed, id } = await withShare(t);
  for (const words of [
    { name: 'operator', role: 'operator' },
    { name: 'admin of roof', role: 'admin', units: 'roof' },
  ]) {
    const { headers } = await keyed.key(words);
    t.equal((await keyed.ask('GET', '/_shares', { headers })).status, 403, words.name);
    t.equal((await keyed.ask('DELETE', `/_shares/${id}`, { headers })).status, 403, words.name);
    t.equal((await keyed.post('/_shares', {}, headers)).status, 403, words.name);
  }
});
