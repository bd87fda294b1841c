import { gzipSync } from 'node:zlib';
import t from 'tap';
import type { Request } from '../../lib/http/contract.ts';
import { ending, open, send } from '../support/raw.ts';
import { BASE, route, serve } from './serve.ts';

const seen: unknown[] = [];
const handle = ({ body }: Request) => {
  seen.push(body);
  return {};
};
const path = `${BASE}/roof/thing`;
const BODY = {
  type: 'object',
  properties: {
    weighting: { enum: ['A', 'C', 'Z'] },
    channel: { enum: ['Main', 'Sub1'], default: 'Main' },
    index: { type: 'integer', minimum: 0, maximum: 9999 },
    nested: {
      type: 'object',
      properties: { host: { type: 'string', pattern: '^[a-z]+$', description: 'small letters' } },
    },
    latitude: {
      description: 'Degrees.',
      anyOf: [{ type: 'number', maximum: 90 }, { const: '' }, { type: 'null' }],
    },
    mode: { type: ['string', 'null'], enum: ['poll', 'stream', null] },
    place: { type: ['integer', 'null'] },
    tags: { type: 'array', items: { type: 'string' }, uniqueItems: true, minItems: 1 },
    date: { type: 'string', pattern: '^[0-9]+$', description: 'Only digits. Default 7.' },
  },
  required: ['weighting'],
};
const putter = route({ method: 'PUT', body: BODY, handle });
const poster = route({ method: 'POST', handle });

t.beforeEach(() => void seen.splice(0));

t.test('a good body reaches the handler with its defaults', async (t) => {
  const { put } = await serve(t, { routes: [putter] });
  t.equal((await put(path, { weighting: 'C', index: 7 })).status, 200);
  t.equal((await put(path, { weighting: 'A' }, { 'Content-Type': 'application/json; charset=utf-8' })).status, 200);
  t.strictSame(seen, [
    { weighting: 'C', index: 7, channel: 'Main' },
    { weighting: 'A', channel: 'Main' },
  ]);
});

t.test('a body outside the schema is 422 and every wrong place is named', async (t) => {
  const { put } = await serve(t, { routes: [putter] });
  const wrong: [unknown, string, string][] = [
    [{}, '/weighting', 'is required'],
    [{ weighting: 'B' }, '/weighting', 'must be one of A, C, Z'],
    [{ weighting: 'A\r\nMeasure,Stop' }, '/weighting', 'must be one of A, C, Z'],
    [{ weighting: ['A'] }, '/weighting', 'must be one of A, C, Z'],
    [{ weighting: 'A', mode: 'on' }, '/mode', 'must be one of poll, stream'],
    [{ weighting: 'A', index: '7.5' }, '/index', 'must be a whole number'],
    [{ weighting: 'A', index: '0x7' }, '/index', 'must be a whole number'],
    [{ weighting: 'A', index: '10000' }, '/index', 'must be <= 9999'],
    [{ weighting: 'A', index: 1.5 }, '/index', 'must be a whole number'],
    [{ weighting: 'A', index: 10_000 }, '/index', 'must be <= 9999'],
    [{ weighting: 'A', wieghting: 'A' }, '/wieghting', 'is not a known property (did you mean weighting?)'],
    [{ weighting: 'A', nested: { port: 1 } }, '/nested/port', 'is not a known property'],
    [{ weighting: 'A', nested: { host: 'A!' } }, '/nested/host', 'must be: small letters'],
    [{ weighting: 'A', latitude: 91 }, '/latitude', 'must be <= 90'],
    [{ weighting: 'A', latitude: '52' }, '/latitude', 'must be a number'],
    [{ weighting: 'A', place: 'x' }, '/place', 'must be a whole number or null'],
    [{ weighting: 'A', date: 'x' }, '/date', 'must be: only digits'],
    [{ weighting: 'A', tags: ['x', 'y', 'x'] }, '/tags', 'must not name the same twice'],
    [{ weighting: 'A', tags: [] }, '/tags', 'must not be empty'],
    [[], '', 'the body must be a JSON object'],
    ['"A"', '', 'the body must be a JSON object'],
    ['null', '', 'the body must be a JSON object'],
    ['7', '', 'the body must be a JSON object'],
  ];
  for (const [sent, at, message] of wrong) {
    const { status, body } = await put(path, sent);
    t.equal(`${status} ${body.code}`, '422 INVALID', JSON.stringify(sent));
    t.strictSame(body.errors, [{ path: at, message }], JSON.stringify(sent));
    t.match(body.detail, /^[A-Z][^.]*\.$/, 'one sentence');
  }
  const several = await put(path, { weighting: 'B', index: -1, x: 1 });
  t.equal(several.body.errors.length, 3);
  t.equal(seen.length, 0, 'no handler ran');
});

t.test('an answer never repeats the value that was refused', async (t) => {
  const { put } = await serve(t, { routes: [putter] });
  const { body } = await put(path, { weighting: 'hunter2', nested: { host: 'hunter2' }, index: 'hunter2' });
  t.equal(body.errors.length, 3);
  t.notMatch(JSON.stringify(body), /hunter2/);
});

t.test('the number of errors in an answer is bounded', async (t) => {
  const { put } = await serve(t, { routes: [putter] });
  const many = Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`x${index}`, 1]));
  const { body } = await put(path, many);
  t.equal(body.errors.length, 20);
});

t.test('malformed JSON is 400', async (t) => {
  const { put } = await serve(t, { routes: [putter] });
  for (const text of ['{', '{"weighting":}', 'A', '{"weighting":"A"} x', '{"__proto__":{"a":1}', "{'weighting':'A'}"]) {
    const { status, body } = await put(path, text);
    t.equal(`${status} ${body.code}`, '400 MALFORMED_JSON', text);
  }
});

t.test('well-formed JSON with a property __proto__ is 422, like every unknown property', async (t) => {
  const { put } = await serve(t, { routes: [putter] });
  for (const text of ['{"__proto__":1}', '{"weighting":"A","nested":{"__proto__":{"a":1}}}', '[{"__proto__":1}]']) {
    const { status, body } = await put(path, text);
    t.equal(`${status} ${body.code}`, '422 INVALID', text);
    t.strictSame(body.errors, [{ path: '', message: 'no property may be called __proto__' }]);
  }
  t.equal(seen.length, 0, 'no handler ran');
});

t.test('a body that is not JSON is 415, whatever it says', async (t) => {
  const { put } = await serve(t, { routes: [putter] });
  const text = '{"weighting":"A"}';
  for (const type of [
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/jsonp',
    'application/xml',
    'application/json; charset=iso-8859-1',
  ]) {
    const { status, body } = await put(path, text, { 'Content-Type': type });
    t.equal(`${status} ${body.code}`, '415 NOT_JSON', type);
  }
  const encoded = await put(path, text, { 'Content-Encoding': 'x-own' });
  t.equal(encoded.status, 415, 'an unknown encoding');
});

t.test('JSON without a type, or of a type of its own, is read as JSON', async (t) => {
  const { ask, put } = await serve(t, { routes: [putter] });
  const bytes = new TextEncoder().encode('{"weighting":"A"}');
  t.equal((await ask('PUT', path, { body: bytes })).status, 200, 'no type at all');
  for (const type of [
    'application/merge-patch+json',
    'application/vnd.example+json; charset=UTF-8',
    'Application/JSON',
  ]) {
    t.equal((await put(path, '{"weighting":"A"}', { 'Content-Type': type })).status, 200, type);
  }
  t.equal(seen.length, 4);
});

t.test('a string of digits is taken where an integer is wanted, and nothing else is converted', async (t) => {
  const { put } = await serve(t, { routes: [putter] });
  t.equal((await put(path, { weighting: 'A', index: '42' })).status, 200);
  t.match(seen, [{ index: 42 }]);
  t.equal((await put(path, { weighting: 'A', nested: { host: 'abc' }, index: true })).status, 422);
});

t.test('a body that is no UTF-8 is 400 with the reason', async (t) => {
  const { ask, put } = await serve(t, { routes: [putter] });
  const latin = Buffer.from('{"nested":{"host":"Z\u00fcrich"}}', 'latin1');
  const invalid = await ask('PUT', path, { body: latin, headers: { 'Content-Type': 'application/json' } });
  t.match(invalid, { status: 400, body: { code: 'MALFORMED_JSON', detail: 'The body is not valid UTF-8.' } });
  const half = await put(path, '{"nested":{"host":"\\ud800"}}');
  t.match(half, { status: 400, body: { code: 'MALFORMED_JSON', detail: /surrogate/ } });
  t.equal(seen.length, 0, 'no handler ran');
});

t.test('a body that is too large is 413, also when it is compressed or comes in chunks', async (t) => {
  const { ask, put } = await serve(t, { routes: [putter] });
  const large = JSON.stringify({ weighting: 'A', pad: ' '.repeat(5_000) });
  t.equal((await put(path, large)).body.code, 'BODY_TOO_LARGE');
  const headers = { 'Content-Type': 'application/json', 'Content-Encoding': 'gzip' };
  t.equal((await ask('PUT', path, { headers, body: gzipSync(large) })).status, 413);
  const body = new Blob([large]).stream();
  const chunked = { headers: { 'Content-Type': 'application/json' }, body, duplex: 'half' } as RequestInit;
  t.equal((await ask('PUT', path, chunked)).status, 413);
});

t.test('a missing body is 422 if the route needs a body', async (t) => {
  const { ask, put } = await serve(t, { routes: [putter] });
  for (const answer of [await ask('PUT', path), await put(path, '')]) {
    t.equal(answer.status, 422);
    t.strictSame(answer.body.errors, [{ path: '', message: 'a JSON body is required' }]);
  }
});

t.test('a route without a body takes none or an empty object', async (t) => {
  const { ask } = await serve(t, { routes: [poster] });
  const headers = { 'Content-Type': 'application/json' };
  t.equal((await ask('POST', path)).status, 200);
  t.equal((await ask('POST', path, { headers })).status, 200);
  t.equal((await ask('POST', path, { headers, body: '{}' })).status, 200);
  t.equal((await ask('POST', path, { headers, body: '{"a":1}' })).status, 422);
  t.equal((await ask('POST', path, { headers, body: '{' })).status, 400);
  t.equal((await ask('POST', path, { headers: { 'Content-Type': 'text/plain' }, body: 'go' })).status, 415);
  t.equal(seen.length, 3);
});

const chunked = (line: string, type = '') =>
  `${line} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n${type}Transfer-Encoding: chunked\r\n`;
const PLAIN = 'Content-Type: text/plain\r\n';
const JSON_TYPE = 'Content-Type: application/json\r\n';

t.test('empty chunks are no body, for every type', async (t) => {
  const { http } = await serve(t, { routes: [poster, putter] });
  for (const type of ['', PLAIN, JSON_TYPE]) {
    t.match(await send(http.port, `${chunked(`POST ${path}`, type)}\r\n0\r\n\r\n`), { status: 200 }, type);
    const needed = await send(http.port, `${chunked(`PUT ${path}`, type)}\r\n0\r\n\r\n`);
    t.match(needed, { status: 422, body: { errors: [{ path: '', message: 'a JSON body is required' }] } }, type);
  }
  t.equal(seen.length, 3);
});

t.test('one byte in chunks is a body, and is refused where it is not JSON', async (t) => {
  const { http } = await serve(t, { routes: [poster] });
  for (const [type, status] of [
    ['', 400],
    [PLAIN, 415],
  ] as const) {
    const answer = await send(http.port, `${chunked(`POST ${path}`, type)}\r\n1\r\n \r\n0\r\n\r\n`);
    t.match(answer, { status }, type);
  }
  t.match(await send(http.port, `${chunked(`POST ${path}`, JSON_TYPE)}\r\n2\r\n{}\r\n0\r\n\r\n`), { status: 200 });
  t.equal(seen.length, 1);
});

t.test('the first byte may come later than the headers, or never', async (t) => {
  const { http } = await serve(t, { routes: [poster] });
  const outcomes = { '0\r\n\r\n': 200, '2\r\ngo\r\n0\r\n\r\n': 400 };
  for (const [rest, status] of Object.entries(outcomes)) {
    const socket = open(http.port);
    socket.write(`${chunked(`POST ${path}`)}Expect: 100-continue\r\n\r\n`);
    socket.once('data', () => socket.write(rest));
    t.match(await ending(socket), new RegExp(`^HTTP/1.1 100 .*HTTP/1.1 ${status} `, 's'), rest);
  }
  const gone = open(http.port);
  gone.write(`${chunked(`POST ${path}`)}Expect: 100-continue\r\n\r\n`);
  gone.once('data', () => gone.end());
  await ending(gone);
  t.equal(seen.length, 1, 'a request that breaks off before its end is not carried out');
});

t.test('a connection goes on after a refused body in chunks', async (t) => {
  const { http } = await serve(t, { routes: [poster] });
  const large = 'x'.repeat(300_000);
  const body = `${large.length.toString(16)}\r\n${large}\r\n0\r\n\r\n`;
  for (const [type, status] of [
    [PLAIN, 415],
    [JSON_TYPE, 413],
  ] as const) {
    const first = chunked(`POST ${path}`, type).replace('Connection: close\r\n', '');
    const socket = open(http.port);
    socket.write(`${first}\r\n${body}${chunked(`POST ${path}`)}\r\n0\r\n\r\n`);
    t.match(await ending(socket), new RegExp(`^HTTP/1\\.1 ${status} [^]*HTTP/1\\.1 200 `));
  }
});
