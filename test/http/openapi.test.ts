import t from 'tap';
import { ERRORS } from '../../lib/errors.ts';
import { openApi } from '../../lib/http/openapi.ts';
import { RouteTable } from '../../lib/http/routes.ts';
import { answerCheck, messageCheck } from '../support/openapi.ts';
import { BASE, route } from './serve.ts';

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
const document = openApi(table, BASE, '1.2.3') as any;
const thing = document.paths['/{unit_id}/thing'];

t.test('each route tells its access, its inputs and every error that it can answer', async (t) => {
  t.equal(thing.get['x-access'], 'viewer');
  t.match(thing.get.parameters, [
    { name: 'unit_id', in: 'path' },
    { name: 'channel', in: 'query', schema: channel },
    { name: 'Request-Timeout', in: 'header' },
    { name: 'timeout_s', in: 'query' },
  ]);
  const doors = ['400', '401', '403', '408', '414', '417', '421', '429', '431', '500', '503'];
  t.strictSame(Object.keys(thing.get.responses), ['200', '404', '422', ...doors].sort());
  t.strictSame(thing.get.security, [{ key: [] }]);
  t.strictSame(Object.keys(thing.put.responses), ['200', '413', '415', '422', ...doors].sort());
  const codes = document.paths['/{unit_id}/file'].post.responses['404'].content['application/json'].schema.allOf[1];
  t.strictSame(codes.properties.code.enum, ['UNIT_NOT_FOUND', 'FILE_NOT_FOUND']);
});

t.test('a body in the document refuses what the check refuses', async (t) => {
  t.equal(thing.put.requestBody.content['application/json'].schema.additionalProperties, false);
});

t.test('a WebSocket is a GET that ends in 101 or 426, with the messages beside it', async (t) => {
  const { get } = document.paths['/{unit_id}/live'];
  t.ok(get.responses['101'] && get.responses['426'] && get.responses['403']);
  t.equal(get['x-websocket'].messages[0].title, 'Frame');
});

t.test('operation ids are unique', async (t) => {
  // biome-ignore lint/suspicious/noExplicitAny: a document is walked
  const items = Object.values(document.paths) as any[];
  const ids = items.flatMap((item) =>
    ['get', 'put', 'post', 'delete'].flatMap((name) => item[name]?.operationId ?? []),
  );
  t.equal(new Set(ids).size, ids.length);
});

t.test('the document knows every code of the table', async (t) => {
  t.strictSame(document.components.schemas.Problem.properties.code.enum, Object.keys(ERRORS));
});

t.test('the check that tests hold answers against sees what differs', async (t) => {
  const check = answerCheck(document);
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

t.test('so does the one for WebSocket messages, and it names the message', async (t) => {
  const check = messageCheck(document);
  check(`${BASE}/roof/live`, { lp: '48.3' });
  check(`${BASE}/roof/live?ticket=x`, { end: true });
  t.throws(() => check(`${BASE}/roof/live`, { lp: 48.3 }), { message: /roof\/live.*"lp":48\.3.*lp must be string/ });
  t.throws(() => check(`${BASE}/roof/thing`, { lp: '48.3' }), { message: /no stream/ });
});
