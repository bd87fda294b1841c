/** Answers of a route other than a JSON object with status 200. */
import { Readable } from 'node:stream';
import t from 'tap';
import type { ByteRange, Request, Route } from '../../lib/http/contract.ts';
import { file, json, stream, text } from '../../lib/http/reply.ts';
import { send } from '../support/raw.ts';
import { BASE, route, serve } from './serve.ts';

const jobs = (handle: (request: Request) => object, more: Partial<Route> = {}): Route =>
  route({
    path: '/_jobs/{id}',
    params: { id: { type: 'string', pattern: '^[a-z0-9]{1,8}$' } },
    answer: { id: { type: 'string' } },
    handle,
    ...more,
  });
const idOf = ({ params: { id = '' } }: Request) => ({ id });

t.test('a path parameter arrives checked; a wrong value is 404 for GET and 422 for PUT', async (t) => {
  const put = jobs(idOf, { method: 'PUT' });
  const { ask } = await serve(t, { routes: [jobs(idOf), put] });
  t.match(await ask('GET', `${BASE}/_jobs/a1`), { status: 200, body: { id: 'a1' } });
  for (const wrong of ['A', 'x'.repeat(9), 'a%2fb', '%ff', '..%2f', '%00']) {
    t.match(await ask('GET', `${BASE}/_jobs/${wrong}`), { status: 404, body: { code: 'NOT_FOUND' } }, wrong);
    t.match(await ask('PUT', `${BASE}/_jobs/${wrong}`), { status: 422, body: { errors: [{ path: '/id' }] } }, wrong);
  }
});

t.test('a path that begins with _ goes before the same path of a unit', async (t) => {
  const ofUnit = route({
    path: '/{unit_id}/config',
    answer: { unit: { type: 'string' } },
    handle: () => ({ unit: 'x' }),
  });
  const { ask } = await serve(t, { routes: [ofUnit, jobs(idOf)] });
  t.match(await ask('GET', `${BASE}/_jobs/config`), { status: 200, body: { id: 'config' } });
  t.match(await ask('GET', `${BASE}/roof/config`), { status: 200, body: { unit: 'x' } });
});

t.test('a parameter of the path without a schema, or a schema without one, is a wrong definition', async (t) => {
  await t.rejects(serve(t, { routes: [route({ path: '/_jobs/{id}' })] }), { message: /do not name the same: id/ });
  await t.rejects(serve(t, { routes: [route({ params: { id: {} } })] }), { message: /do not name the same: id/ });
});

t.test('a route sets status, Location and headers', async (t) => {
  const create = route({
    method: 'POST',
    path: '/_jobs',
    answer: { id: { type: 'string' } },
    statuses: [201, 202],
    handle: () => json({ id: 'a1' }, { status: 202, location: '/_jobs/a1', headers: { 'X-Extra': 'yes' } }),
  });
  const { ask } = await serve(t, { routes: [create] });
  const { status, headers, body } = await ask('POST', `${BASE}/_jobs`);
  t.equal(status, 202);
  t.equal(headers.get('location'), `${BASE}/_jobs/a1`);
  t.equal(headers.get('x-extra'), 'yes');
  t.strictSame(body, { status: 'ok', id: 'a1' });
});

t.test('a status that the definition does not name is a fault', async (t) => {
  const { ask } = await serve(t, { routes: [route({ handle: () => json({}, { status: 201 }) })] });
  t.equal((await ask('GET', `${BASE}/roof/thing`)).status, 500);
});

t.test('an object that looks like a file or a text is JSON all the same', async (t) => {
  const answer = { file: {}, text: { type: 'string' }, content: {} };
  const handle = () => ({ file: 1, text: 'x', content: { kind: 'file' } });
  const { ask } = await serve(t, { routes: [route({ answer, handle })] });
  t.strictSame((await ask('GET', `${BASE}/roof/thing`)).body, { status: 'ok', ...handle() });
});

t.test('JSON with an ETag costs only the headers when it is asked for again', async (t) => {
  let n = 1;
  const thing = route({ answer: { n: { type: 'integer' } }, etag: true, handle: () => ({ n }) });
  const given = route({ path: '/_given', etag: true, handle: () => json({}, { etag: 'v1' }) });
  const { ask } = await serve(t, { routes: [thing, given] });
  const first = await ask('GET', `${BASE}/roof/thing`);
  const etag = first.headers.get('etag') ?? '';
  t.match(etag, /^W\/"[\w-]{22}"$/);
  t.equal(first.headers.get('cache-control'), 'private, no-cache');
  for (const known of [etag, `"other", ${etag}`, '*', etag.slice(2)]) {
    const again = await ask('GET', `${BASE}/roof/thing`, { headers: { 'If-None-Match': known } });
    t.match({ status: again.status, body: again.body }, { status: 304, body: '' }, known);
  }
  n = 2;
  t.match(await ask('GET', `${BASE}/roof/thing`, { headers: { 'If-None-Match': etag } }), {
    status: 200,
    body: { n: 2 },
  });
  t.equal((await ask('GET', `${BASE}/_given`, { headers: { 'If-None-Match': 'W/"v1"' } })).status, 304);
});

const BYTES = Buffer.from('0123456789');
const asked: (ByteRange | undefined)[] = [];
const download = route({
  path: '/{unit_id}/file',
  answer: 'file',
  handle: () =>
    file(
      {
        name: 'a.wav',
        size: BYTES.length,
        contentType: 'audio/wav',
        modifiedAt: Date.UTC(2026, 10, 21),
        bytes(range) {
          asked.push(range);
          return Readable.from([range ? BYTES.subarray(range.start, range.end + 1) : BYTES]);
        },
      },
      { etag: 'abc' },
    ),
  contentTypes: ['audio/wav'],
});
const path = `${BASE}/roof/file`;

t.test('one range of a file is 206, and a range behind its end 416', async (t) => {
  const { ask } = await serve(t, { routes: [download] });
  const ranges = {
    'bytes=0-3': ['0123', 'bytes 0-3/10'],
    'bytes=7-': ['789', 'bytes 7-9/10'],
    'bytes=-2': ['89', 'bytes 8-9/10'],
    'bytes=-99': ['0123456789', 'bytes 0-9/10'],
    'bytes=8-99': ['89', 'bytes 8-9/10'],
    'bytes=8-99999999999999999999': ['89', 'bytes 8-9/10'],
  };
  for (const [range, [part, place]] of Object.entries(ranges)) {
    const { status, headers, body } = await ask('GET', path, { headers: { Range: range } });
    t.strictSame([status, body, headers.get('content-range')], [206, part, place], range);
    t.equal(headers.get('content-length'), String(part?.length), range);
    t.equal(headers.get('etag'), '"abc"');
  }
  for (const range of ['bytes=10-', 'bytes=99-100', 'bytes=-0']) {
    const { status, headers, body } = await ask('GET', path, { headers: { Range: range } });
    t.strictSame(
      [status, headers.get('content-range'), body.code],
      [416, 'bytes */10', 'RANGE_NOT_SATISFIABLE'],
      range,
    );
    t.equal(headers.get('content-disposition'), null, 'an error is no download');
  }
});

t.test('a header that is no single range, or a range of another version, gets the whole file', async (t) => {
  const { ask } = await serve(t, { routes: [download] });
  for (const headers of [
    {},
    { Range: 'bytes=0-1,4-5' },
    { Range: 'bytes=5-2' },
    { Range: 'bytes=-' },
    { Range: 'lines=1-2' },
    { Range: 'bytes=0-1', 'If-Range': '"old"' },
  ]) {
    const got = await ask('GET', path, { headers: headers as Record<string, string> });
    t.match({ status: got.status, body: got.body }, { status: 200, body: '0123456789' }, JSON.stringify(headers));
    t.equal(got.headers.get('accept-ranges'), 'bytes');
    t.equal(got.headers.get('last-modified'), 'Sat, 21 Nov 2026 00:00:00 GMT');
  }
  const same = await ask('GET', path, { headers: { Range: 'bytes=0-1', 'If-Range': '"abc"' } });
  t.equal(same.status, 206);
});

t.test('HEAD and a file that is known already open nothing', async (t) => {
  const { ask } = await serve(t, { routes: [download] });
  asked.splice(0);
  const head = await ask('HEAD', path);
  t.strictSame([head.status, head.headers.get('content-length'), head.body], [200, '10', '']);
  t.equal(head.headers.get('content-disposition'), 'attachment; filename="a.wav"');
  t.equal((await ask('GET', path, { headers: { 'If-None-Match': '"abc"' } })).status, 304);
  t.strictSame(asked, []);
  const source = Readable.from(['x']);
  const at = route({
    path: '/{unit_id}/file',
    answer: 'file',
    handle: () => file({ name: 'f', size: 1, bytes: source }),
  });
  const other = await serve(t, { routes: [at] });
  await other.ask('HEAD', path);
  t.ok(source.destroyed, 'a stream that was opened already is closed');
});

const LONG = 'a line of text\n'.repeat(1_000);

/** Raw, as `fetch` takes the compression away. */
const raw = async (port: number, at: string, more: string) =>
  send(port, `GET ${at} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n${more}\r\n`);

t.test('a large answer is compressed where the caller accepts it, a small one and a file never', async (t) => {
  const large = route({ answer: { text: { type: 'string' } }, handle: () => ({ text: LONG }) });
  const small = route({ path: '/{unit_id}/small', handle: () => ({}) });
  const bytes = () => Readable.from([LONG]);
  const plain = route({
    path: '/{unit_id}/plain',
    answer: 'file',
    handle: () => file({ name: 'f.txt', size: LONG.length, bytes }),
  });
  const { ask, http } = await serve(t, { routes: [large, small, plain] });
  for (const encoding of ['gzip', 'br']) {
    const { status, headers, body } = await ask('GET', `${BASE}/roof/thing`, {
      headers: { 'Accept-Encoding': encoding },
    });
    t.strictSame([status, body.text], [200, LONG]);
    t.equal(headers.get('content-encoding'), encoding);
    t.match(headers.get('vary'), /Accept-Encoding/);
    t.ok(Number(headers.get('content-length')) < 1_000);
    for (const never of ['small', 'plain']) {
      const got = await ask('GET', `${BASE}/roof/${never}`, { headers: { 'Accept-Encoding': encoding } });
      t.equal(got.headers.get('content-encoding'), null, never);
    }
  }
  for (const none of [
    '',
    'Accept-Encoding: identity\r\n',
    'Accept-Encoding: gzip;q=0\r\n',
    'Accept-Encoding: zstd\r\n',
  ]) {
    t.match(await raw(http.port, `${BASE}/roof/thing`, none), { status: 200, body: { text: LONG } }, none);
  }
});

t.test('a stream of unknown length passes, compressed when it is text, and breaks visibly', async (t) => {
  async function* rows(broken: boolean) {
    yield 'start,leq\n';
    await new Promise((resolve) => setImmediate(resolve));
    if (broken) throw new Error('the database is gone');
    yield LONG;
  }
  const csv = (at: string, broken: boolean) =>
    route({
      path: at,
      answer: { rows: { type: 'array' } },
      contentTypes: ['text/csv'],
      handle: () =>
        stream({ contentType: 'text/csv; charset=utf-8', stream: Readable.from(rows(broken)), name: 'h.csv' }),
    });
  const { ask, http, log } = await serve(t, {
    routes: [csv('/{unit_id}/history', false), csv('/{unit_id}/broken', true)],
  });
  const got = await ask('GET', `${BASE}/roof/history`, { headers: { 'Accept-Encoding': 'gzip' } });
  t.equal(got.body, `start,leq\n${LONG}`);
  t.equal(got.headers.get('content-encoding'), 'gzip');
  t.equal(got.headers.get('content-disposition'), 'attachment; filename="h.csv"');
  t.equal(got.headers.get('content-type'), 'text/csv; charset=utf-8');
  for (const encoding of ['gzip', 'identity']) {
    const asking = fetch(`${http.origin}${BASE}/roof/broken`, { headers: { 'Accept-Encoding': encoding } });
    await t.rejects(
      asking.then((response) => response.text()),
      encoding,
    );
  }
  t.ok(log.some((line) => line.includes('the database is gone')));
});

t.test('HTML is text of its own type, with a policy of its own', async (t) => {
  const page = route({
    path: '/{unit_id}/report',
    answer: 'text',
    contentTypes: ['text/html'],
    handle: () =>
      text(
        { text: '<!doctype html><p>Noise', contentType: 'text/html; charset=utf-8' },
        { headers: { 'Content-Security-Policy': "default-src 'none'; style-src 'unsafe-inline'" } },
      ),
  });
  const { ask } = await serve(t, { routes: [page] });
  const { headers, body } = await ask('GET', `${BASE}/roof/report`);
  t.equal(headers.get('content-type'), 'text/html; charset=utf-8');
  t.match(headers.get('content-security-policy'), /style-src/);
  t.equal(body, '<!doctype html><p>Noise');
});

t.test('a frozen answer is made into text once; every other answer each time', async (t) => {
  let written = 0;
  const data = { toJSON: () => `text ${++written}` };
  const frozen = Object.freeze({ id: data });
  const routes = [
    jobs(() => frozen, { path: '/_frozen', params: {} }),
    jobs(() => ({ id: data }), { path: '/_other', params: {} }),
  ];
  const { ask } = await serve(t, { routes });
  for (const _ of [1, 2]) t.match(await ask('GET', `${BASE}/_frozen`), { status: 200, body: { id: 'text 1' } });
  for (const id of ['text 2', 'text 3']) t.match(await ask('GET', `${BASE}/_other`), { status: 200, body: { id } });
});

t.test('of two routes at one path, the route with fewer parameters answers, in each order of adding', async (t) => {
  const fixed = jobs(() => ({ id: 'fixed' }), { path: '/_jobs/now', params: {} });
  for (const routes of [
    [fixed, jobs(idOf)],
    [jobs(idOf), fixed],
  ]) {
    const { ask } = await serve(t, { routes });
    t.match(await ask('GET', `${BASE}/_jobs/now`), { body: { id: 'fixed' } });
    t.match(await ask('GET', `${BASE}/_jobs/now/`), { body: { id: 'fixed' } });
    t.match(await ask('GET', `${BASE}/_jobs/then`), { body: { id: 'then' } });
  }
});
