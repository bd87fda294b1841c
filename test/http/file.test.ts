import { createHash } from 'node:crypto';
import { request } from 'node:http';
import { Readable } from 'node:stream';
import t from 'tap';
import type { Request } from '../../lib/http/contract.ts';
import { file } from '../../lib/http/reply.ts';
import { VirtualClock } from '../../simulator/clock.ts';
import { BASE, route, type Served, serve } from './serve.ts';

const path = `${BASE}/roof/file`;
const whole = (name: string, size: number | undefined, stream: () => Readable) =>
  route({ path: '/{unit_id}/file', answer: 'file', handle: () => file({ name, size, bytes: stream() }) });

const download = ({ http }: Served) => fetch(`${http.origin}${path}`);

t.test('a file passes byte for byte, with name and length', async (t) => {
  const bytes = Buffer.alloc(300_000, 'NL-43 ');
  const served = await serve(t, {
    routes: [whole('AU_0001.rnd', bytes.length, () => Readable.from([bytes.subarray(0, 1), bytes.subarray(1)]))],
  });
  const response = await download(served);
  t.equal(response.status, 200);
  t.equal(response.headers.get('content-type'), 'application/octet-stream');
  t.equal(response.headers.get('content-length'), '300000');
  t.equal(response.headers.get('content-disposition'), 'attachment; filename="AU_0001.rnd"');
  const got = Buffer.from(await response.arrayBuffer());
  t.equal(createHash('sha256').update(got).digest('hex'), createHash('sha256').update(bytes).digest('hex'));
});

t.test('a file of unknown size passes too', async (t) => {
  const served = await serve(t, { routes: [whole('a b.csv', undefined, () => Readable.from(['x,y']))] });
  const response = await download(served);
  t.equal(response.headers.get('content-length'), null);
  t.equal(response.headers.get('content-disposition'), 'attachment; filename="a b.csv"');
  t.equal(await response.text(), 'x,y');
});

t.test('names from a device stay one harmless header', async (t) => {
  const names: [string, RegExp][] = [
    ['Gerät-音.csv', /^attachment; filename="Ger_t-_\.csv"; filename\*=UTF-8''Ger%C3%A4t-%E9%9F%B3\.csv$/],
    ['../../etc/passwd', /^attachment; filename="passwd"$/],
    ['..\\..\\boot.ini', /^attachment; filename="boot\.ini"$/],
    ['a"b.csv', /^attachment; filename="a\\"b\.csv"$/],
    ['a\r\nSet-Cookie: x=1', /^attachment; filename="a__Set-Cookie: x=1"$/],
    ['evil\u202Evsc.exe', /^attachment; filename="evil_vsc\.exe"$/],
    ['\uD800.csv', /filename\*=UTF-8''%EF%BF%BD\.csv$/],
    ['', /^attachment; filename="?file"?$/],
    ['x'.repeat(4_096), /^attachment; filename="x{200}"$/],
  ];
  for (const [name, header] of names) {
    const served = await serve(t, { routes: [whole(name, 1, () => Readable.from(['x']))] });
    const response = await download(served);
    t.match(response.headers.get('content-disposition'), header, JSON.stringify(name.slice(0, 30)));
    t.equal(response.headers.get('set-cookie'), null);
    await response.text();
  }
});

async function* brokenAfter(text: string) {
  yield text;
  await new Promise((resolve) => setImmediate(resolve));
  throw new Error('the data connection broke');
}

t.test('a transfer that breaks midway breaks the response, with and without a known size', async (t) => {
  for (const size of [undefined, 100]) {
    const served = await serve(t, { routes: [whole('f', size, () => Readable.from(brokenAfter('half')))] });
    await t.rejects(
      download(served).then((response) => response.arrayBuffer()),
      `size ${size}`,
    );
    t.ok(served.log.some((line) => line.includes('the data connection broke')));
  }
});

t.test('a stream that is shorter or longer than announced breaks the response', async (t) => {
  for (const [size, text] of [
    [10, 'short'],
    [3, 'much longer'],
  ] as const) {
    const served = await serve(t, { routes: [whole('f', size, () => Readable.from([text]))] });
    await t.rejects(
      download(served).then((response) => response.arrayBuffer()),
      text,
    );
  }
});

t.test('each chunk is given back when the network has it, and not before', async (t) => {
  const chunks = Array.from({ length: 40 }, (_, index) => Buffer.alloc(65_536, index));
  const expected = Buffer.concat(chunks);
  const given: number[] = [];
  const release = (chunk: Uint8Array) => {
    given.push(chunk[0] ?? -1);
    // After its reader has gone on, a chunk may have any content.
    chunk.fill(255);
  };
  const bytes = () => Readable.from(chunks, { objectMode: false });
  const own = route({
    path: '/{unit_id}/file',
    answer: 'file',
    handle: () => file({ name: 'f', size: expected.length, bytes: bytes(), release }),
  });
  const got = Buffer.from(await (await download(await serve(t, { routes: [own] }))).arrayBuffer());
  t.ok(got.equals(expected));
  t.same(
    given,
    chunks.map((_, index) => index),
  );
});

t.test('a client that hangs up ends the stream and aborts the caller signal', async (t) => {
  const source = new Readable({ read() {} });
  const callers: Request[] = [];
  const endless = route({
    path: '/{unit_id}/file',
    answer: 'file',
    handle: (asked) => {
      callers.push(asked);
      return file({ name: 'f', size: undefined, bytes: source });
    },
  });
  const clock = new VirtualClock();
  const { http } = await serve(t, { routes: [endless], clock });
  source.push('begin');
  const asking = request(`${http.origin}${path}`).on('error', () => {});
  asking.on('response', (response) => response.on('error', () => {}).once('data', () => asking.destroy()));
  asking.end();
  // It may only have ended its own side: what it does not read is seen when nothing more could be sent.
  await clock.until(new Promise((resolve) => source.once('close', resolve)));
  t.equal(callers[0]?.caller.signal.aborted, true);
});

t.test('a caller who leaves before the answer is logged as gone, not as a failure of the gateway', async (t) => {
  const began = Promise.withResolvers<void>();
  const left = Promise.withResolvers<void>();
  const patient = route({
    path: '/{unit_id}/file',
    handle: ({ caller: { signal } }) => {
      began.resolve();
      return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    },
  });
  const { http, log } = await serve(t, { routes: [patient] });
  const asking = request(`${http.origin}${path}`).on('error', () => {});
  asking.once('close', left.resolve).end();
  await began.promise;
  asking.destroy();
  await left.promise;
  while (!log.some((line) => line.includes('"msg":"request"'))) await new Promise((resolve) => setImmediate(resolve));
  const line = log.find((text) => text.includes('"msg":"request"')) ?? '';
  t.match(JSON.parse(line), { level: 'debug', gone: true });
  t.notMatch(line, /"status"|INTERNAL/);
});
