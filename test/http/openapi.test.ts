import t from 'tap';
import { ERRORS } from '../../lib/errors.ts';
import type { Route } from '../../lib/http/contract.ts';
import { asyncApi } from '../../lib/http/documents/asyncapi.ts';
import { Components, operationId } from '../../lib/http/documents/components.ts';
import { openApi } from '../../lib/http/documents/openapi.ts';
import { RouteTable } from '../../lib/http/routes.ts';
import { answerCheck, messageCheck } from '../support/openapi.ts';
import { BASE, route } from './serve.ts';

type Named = Readonly<Record<string, Readonly<Record<string, unknown>>>>;
type Document = Readonly<Record<'channels' | 'operations' | 'components', Named>>;

const table = new RouteTable();
const channel = { enum: ['Main', 'Sub1'], default: 'Main' };
table.add(route({ query: { channel }, answer: { a: { type: 'string' }, b: { type: 'string' } }, optional: ['b'] }));
table.add(
  route({ method: 'PUT', body: { type: 'object', properties: { x: { type: 'integer' } } }, createsUnit: true }),
);
table.add(
  route({ path: '/{unit_id}/file', method: 'POST', answer: 'file', errors: ['FILE_NOT_FOUND', 'UNIT_NOT_FOUND'] }),
);
table.addSocket({
  path: '/{unit_id}/live',
  access: 'viewer',
  summary: 'Frames',
  messages: [
    { type: 'object', title: 'Frame', properties: { lp: { type: 'string' } }, required: ['lp'] },
    { type: 'object', title: 'End', properties: { end: { const: true } }, required: ['end'] },
  ],
  errors: ['TCP_DISABLED'],
  admit() {},
  open() {},
});
// biome-ignore lint/suspicious/noExplicitAny: a document is walked
const document: any = openApi({ table, basePath: BASE, version: '1.2.3' });
/** The component that a reference names; another part as it is. */
// biome-ignore lint/suspicious/noExplicitAny: a document is walked
function resolved(part: any): any {
  const names = part.$ref?.slice(2).split('/');
  // biome-ignore lint/suspicious/noExplicitAny: a document is walked
  return names ? names.reduce((found: any, name: string) => found[name], document) : part;
}
const thing = document.paths['/{unit_id}/thing'];

t.test('each route tells its access, its inputs and every error that it can answer', async (t) => {
  t.equal(thing.get['x-access'], 'viewer');
  t.match(thing.get.parameters.map(resolved), [
    { name: 'unit_id', in: 'path' },
    { name: 'channel', in: 'query', schema: channel },
    { name: 'Request-Timeout', in: 'header' },
    { name: 'timeout_s', in: 'query' },
  ]);
  const everywhere = ['400', '401', '403', '408', '414', '417', '421', '429', '431', '500', '503', '504'];
  t.strictSame(Object.keys(thing.get.responses), ['200', '404', '422', ...everywhere].sort());
  t.strictSame(thing.get.security, [{ key: [] }]);
  t.strictSame(Object.keys(thing.put.responses), ['200', '413', '415', '422', ...everywhere].sort());
  const { content } = resolved(document.paths['/{unit_id}/file'].post.responses['404']);
  const codes = content['application/json'].schema.allOf[1];
  t.strictSame(codes.properties.code.enum, ['UNIT_NOT_FOUND', 'FILE_NOT_FOUND']);
});

t.test('addresses are relative to the document, so that they are right behind a proxy as well', async (t) => {
  const table = new RouteTable();
  table.add(route({ besideBase: true }));
  for (const basePath of ['', '/slm', '/api/nl43']) {
    const { servers, paths } = JSON.parse(JSON.stringify(openApi({ table, basePath, version: '1.2.3' })));
    const at = (url: string) =>
      new URL(url, `https://192.0.2.1/noise${basePath}/openapi.json`).pathname.replace(/\/$/, '');
    t.equal(at(servers[0].url), `/noise${basePath}`);
    for (const path of ['/health', '/{unit_id}/thing']) t.equal(at(paths[path].servers[0].url), '/noise', path);
  }
});

t.test('a body in the document refuses what the check refuses', async (t) => {
  t.equal(resolved(thing.put.requestBody.content['application/json'].schema).additionalProperties, false);
});

t.test('a WebSocket is a GET that ends in 101 or 426, with the messages beside it', async (t) => {
  const { get } = document.paths['/{unit_id}/live'];
  t.ok(get.responses['101'] && get.responses['426'] && get.responses['403']);
  t.equal(resolved(get['x-websocket'].messages[0]).title, 'Frame');
});

t.test('operation ids are unique', async (t) => {
  // biome-ignore lint/suspicious/noExplicitAny: a document is walked
  const items: any[] = Object.values(document.paths);
  const ids = items.flatMap((item) =>
    ['get', 'put', 'post', 'delete'].flatMap((name) => item[name]?.operationId ?? []),
  );
  t.equal(new Set(ids).size, ids.length);
});

t.test('an operation is named by its path, or has a name of its own', async (t) => {
  const named = (part: Partial<Route>) => operationId(route(part));
  t.equal(named({ path: '/{unit_id}/index-number' }), 'getIndexNumber');
  t.equal(named({ path: '/{unit_id}/clock', method: 'PUT' }), 'setClock');
  t.equal(named({ path: '/_alerts/rules/{id}', method: 'DELETE' }), 'deleteAlertRule');
  t.equal(named({ path: '/_alerts/rules' }), 'getAlertRules');
  t.equal(named({ path: '/_alerts/rules', method: 'POST', statuses: [201] }), 'createAlertRule');
  t.equal(named({ path: '/_alerts/events/{id}/ack', method: 'POST' }), 'ackAlertEvent');
  t.equal(named({ path: '/{unit_id}/history/import', method: 'POST', statuses: [202] }), 'importHistory');
  t.equal(named({ path: '/_polling/status' }), 'getPollingStatus');
  t.equal(named({ path: '/{unit_id}/start', method: 'POST', operation: 'startMeasurement' }), 'startMeasurement');
});

t.test('a schema with a name is written once, and two of one name stay apart', async (t) => {
  const components = new Components();
  const point = { title: 'Point', type: 'object', properties: { x: { type: 'number' } } };
  const way = { $ref: '#/components/schemas/Point' };
  t.strictSame(components.schema({ type: 'array', items: point }), { type: 'array', items: way });
  t.strictSame(components.schema({ anyOf: [point, { type: 'null' }] }), { anyOf: [way, { type: 'null' }] });
  t.strictSame(components.named('Another', point), way);
  const other = { title: 'Point', type: 'object', properties: { y: { type: 'number' } } };
  t.strictSame(components.schema(other), other);
  t.strictSame(components.all(), { schemas: { Point: point } });
});

t.test('a WebSocket is a channel of the AsyncAPI document, and messages of the gateway are operations', async (t) => {
  const { channels, operations, components } = asyncApi({
    table,
    basePath: BASE,
    version: '1.2.3',
  }) as Document;
  t.match(channels, { watchLive: { address: '/{unit_id}/live', parameters: { unit_id: {} } } });
  t.strictSame(Object.keys(channels.watchLive?.messages as object), ['Frame', 'End']);
  t.match(operations, { watchLive: { action: 'send', channel: { $ref: '#/channels/watchLive' } } });
  t.match(components.messages, { Frame: { payload: { $ref: '#/components/schemas/Frame' } } });
});

t.test('the document knows every code of the table', async (t) => {
  t.strictSame(document.components.schemas.Problem.properties.code.enum, Object.keys(ERRORS));
});

t.test('the check of answers in tests finds differences', async (t) => {
  const check = answerCheck(document, BASE);
  const answer = {
    method: 'GET',
    path: `${BASE}/roof/thing?channel=Main`,
    contentType: 'application/json; charset=utf-8',
  };
  const problem = (code: string) => ({ detail: 'x', code });
  check({ ...answer, status: 200, body: { status: 'ok', a: 'x' } });
  check({ ...answer, status: 404, body: problem('UNIT_NOT_FOUND') });
  check({ ...answer, method: 'DELETE', status: 405, body: problem('METHOD_NOT_ALLOWED') });
  check({ ...answer, path: '/elsewhere', status: 404, body: problem('NOT_FOUND') });
  const wrong = [
    { status: 200, body: { status: 'ok' } },
    { status: 200, body: { status: 'ok', a: 1 } },
    { status: 200, body: { status: 'ok', a: 'x', c: 'x' } },
    { status: 200, body: { status: 'OK', a: 'x' } },
    { status: 200, contentType: 'text/plain', body: 'ok' },
    { status: 409, body: problem('DEVICE_WRONG_STATE') },
    { status: 404, body: problem('FILE_NOT_FOUND') },
    { status: 404, body: { code: 'UNIT_NOT_FOUND' } },
    { path: '/elsewhere', status: 200, body: { status: 'ok' } },
    { method: 'DELETE', status: 200, body: { status: 'ok' } },
  ];
  for (const part of wrong) t.throws(() => check({ ...answer, ...part }), JSON.stringify(part));
});

t.test('the check of WebSocket messages finds differences, and names the message', async (t) => {
  const check = messageCheck(document, BASE);
  check(`${BASE}/roof/live`, { lp: '48.3' });
  check(`${BASE}/roof/live?ticket=x`, { end: true });
  t.throws(() => check(`${BASE}/roof/live`, { lp: 48.3 }), { message: /roof\/live.*"lp":48\.3.*lp must be string/ });
  t.throws(() => check(`${BASE}/roof/thing`, { lp: '48.3' }), { message: /no stream/ });
});
