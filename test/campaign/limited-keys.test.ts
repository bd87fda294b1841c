/** A key for some units sees and changes only their campaigns. Its changes are in the audit log. */
import t from 'tap';
import { type KeyedGateway, openKeyedGateway } from '../support/keyed-gateway.ts';
import { type MadeKey, makeKey } from '../support/keys.ts';

const SETTINGS = { store_mode: 'Auto' };
const ENTRIES = [{ cron: '0 6 * * *', action: 'start_cycle', profile: 'site' }];

t.test('a key sees and changes the campaigns of its own units alone', async (t) => {
  const keys: Record<string, MadeKey> = {};
  const gateway: KeyedGateway = await openKeyedGateway(t, { request_rate: 0 }, async (dataDir, clock) => {
    for (const [name, words] of [
      ['admin', { role: 'admin' }],
      ['admin of roof', { role: 'admin', units: 'roof' }],
      ['operator of roof', { role: 'operator', units: 'roof' }],
    ] as const)
      keys[name] = await makeKey(dataDir, { name, ...words }, clock);
  });
  const as = async (key: string, method: string, path: string, json?: object) => {
    const headers = { 'Content-Type': 'application/json', ...keys[key]?.headers };
    return gateway.ask(method, path, { headers, ...(json && { body: JSON.stringify(json) }) });
  };
  t.match(await as('operator of roof', 'PUT', '/_profiles/site', { settings: SETTINGS }), { status: 403 });
  t.match(await as('admin of roof', 'PUT', '/_profiles/site', { settings: SETTINGS }), { status: 201 });
  t.match(await as('operator of roof', 'PUT', '/roof/schedule', { entries: ENTRIES }), { status: 200 });
  t.match(await as('admin of roof', 'PUT', '/_profiles/site', { settings: SETTINGS }), { status: 200 });

  t.match(await as('operator of roof', 'PUT', '/cellar/schedule', { entries: [] }), { status: 403 });
  t.match(await as('operator of roof', 'POST', '/cellar/cycle/start'), { status: 403 });
  t.match(await as('operator of roof', 'POST', '/cellar/clock/sync'), { status: 403 });
  t.match(await as('operator of roof', 'POST', '/_profiles/site/apply', { units: ['cellar'] }), {
    status: 404,
    body: { code: 'UNIT_NOT_FOUND' },
  });

  t.match(await as('admin', 'PUT', '/cellar/schedule', { entries: ENTRIES }), { status: 200 });
  for (const method of ['PUT', 'DELETE'])
    t.match(
      await as('admin of roof', method, '/_profiles/site', method === 'PUT' ? { settings: SETTINGS } : undefined),
      {
        status: 403,
        body: { code: 'FORBIDDEN', detail: /^(?!.*cellar)/ },
      },
    );
  t.match(await as('admin', 'DELETE', '/_profiles/site'), { status: 409, body: { detail: /cellar/ } });

  for (const name of ['a', 'b']) await as('admin', 'PUT', `/_profiles/${name}`, { settings: SETTINGS });
  const { next, data } = (await as('operator of roof', 'GET', '/_profiles?limit=1')).body;
  t.match({ next, data }, { next: 'a', data: [{ name: 'a', units: [] }] });
  t.match((await as('operator of roof', 'GET', '/_profiles?cursor=a')).body, {
    next: null,
    data: [{ name: 'b' }, { name: 'site' }],
  });

  type Seen = { readonly who: string; readonly route: string; readonly status: number };
  const { records } = (await as('admin', 'GET', '/_audit?limit=100')).body;
  const seen = records.map(({ who, route, status }: Seen) => `${who} ${route} ${status}`);
  for (const line of [
    'admin of roof /_profiles/{name} 201',
    'operator of roof /{unit_id}/schedule 200',
    'operator of roof /_profiles/{name}/apply 404',
    'admin /_profiles/{name} 409',
  ])
    t.ok(seen.includes(line), line);
});
