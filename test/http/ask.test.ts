/** One route asks another in the name of its caller: nothing is reached that the caller could not reach itself. */
import t from 'tap';
import type { Identity, Request, Route } from '../../lib/http/contract.ts';
import { createRouteAsker } from '../../lib/http/inside/index.ts';
import { RouteTable } from '../../lib/http/routes.ts';
import { createLog } from '../../lib/log.ts';

const requestOf = (role: Identity['role'], units: readonly string[] | null = null): Request => ({
  method: 'GET',
  path: '/api/nl43/roof/paint',
  unitId: 'roof',
  params: {},
  query: {},
  body: {},
  upload: (async function* () {})(),
  identity: { name: 'me', keyId: null, role, units, address: '', stillValid: () => true },
  caller: { signal: new AbortController().signal },
  before() {},
  log: createLog('silent'),
});

const route = (more: Partial<Route>): Route => ({
  method: 'POST',
  path: '/{unit_id}/paint',
  access: 'operator',
  summary: '',
  body: { type: 'object', properties: { colour: { type: 'string', default: 'red' } } },
  answer: {},
  errors: [],
  handle: ({ unitId, body }) => ({ unitId, body }),
  ...more,
});

function reading(more: Partial<Route>): Route {
  const { body: _none, ...bare } = route({ method: 'GET', access: 'viewer', ...more });
  return bare;
}

const table = new RouteTable();
table.add(route({}));
table.add(reading({ path: '/_all' }));
table.add(reading({ path: '/_own', filtersUnits: true }));
const ask = createRouteAsker(table, '/api');
const paint = { method: 'POST', path: '/{unit_id}/paint' } as const;

t.test('the route gets the unit, the checked body and the caller', async (t) => {
  const { content } = await ask(requestOf('operator'), paint);
  t.match(content, { kind: 'json', data: { unitId: 'roof', body: { colour: 'red' } } });
  const other = await ask(requestOf('admin'), { ...paint, unitId: 'cellar', body: { colour: 'blue' } });
  t.match(other.content, { data: { unitId: 'cellar', body: { colour: 'blue' } } });
});

t.test('role, units and input count', async (t) => {
  await t.rejects(ask(requestOf('viewer'), paint), { code: 'FORBIDDEN' });
  await t.rejects(ask(requestOf('operator', ['roof']), { ...paint, unitId: 'cellar' }), { code: 'FORBIDDEN' });
  await t.rejects(ask(requestOf('operator'), { ...paint, body: { color: 'blue' } }), { code: 'INVALID' });
  await t.rejects(ask(requestOf('admin', ['roof']), { method: 'GET', path: '/_all' }), { code: 'FORBIDDEN' });
  await t.resolves(ask(requestOf('viewer', ['roof']), { method: 'GET', path: '/_own' }));
  await t.rejects(ask(requestOf('admin'), { method: 'GET', path: '/nothing' }), { code: 'NOT_FOUND' });
});
