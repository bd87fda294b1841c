/** Files of the card by GET: parts, tags, and a folder as a ZIP. */
import { createHash } from 'node:crypto';
import { request } from 'node:http';
import t, { type Test } from 'tap';
import { unzip } from '../support/unzip.ts';
import { openWorld, type World } from '../support/world.ts';

const NAME = '/JOB/a file.rnd';
const SIZE = 300_000;

async function cardWorld(t: Test, quirks = {}) {
  const world = await openWorld(t, { quirks });
  world.meter.card.addFile(NAME, { bytes: SIZE, seed: 3 }, world.clock.now() - 3_600_000);
  await world.ftpOn();
  return world;
}

const at = (path: string) => `/sim-1/ftp/file?path=${encodeURIComponent(path)}`;

async function fetched(world: World, path: string, headers: Record<string, string> = {}, method = 'GET') {
  const response = await world.passing(fetch(`${world.base}${path}`, { headers, method }));
  return { response, bytes: Buffer.from(await world.passing(response.arrayBuffer())) };
}

const ftpLines = (world: World) =>
  world.meter.log.events.flatMap((event) => (event.kind === 'ftp' && 'text' in event ? [String(event.text)] : []));

for (const rest of ['done', 'refused'] as const)
  t.test(`a file and its parts come bit for bit from a meter where REST is ${rest}`, async (t) => {
    const world = await cardWorld(t, { ftp_rest: rest });
    const { response, bytes: whole } = await fetched(world, at(NAME));
    t.equal(whole.length, SIZE);
    const etag = response.headers.get('etag') ?? '';
    t.match(etag, /^"300000-\d+T\d+"$/);
    t.equal(response.headers.get('accept-ranges'), 'bytes');
    for (const [range, from, to] of [
      ['bytes=0-0', 0, 1],
      ['bytes=1000-1999', 1_000, 2_000],
      ['bytes=299000-', 299_000, SIZE],
      ['bytes=-5', SIZE - 5, SIZE],
      ['bytes=299999-999999', SIZE - 1, SIZE],
    ] as const) {
      const part = await fetched(world, at(NAME), { Range: range });
      t.equal(part.response.status, 206, range);
      t.equal(part.response.headers.get('content-range'), `bytes ${from}-${to - 1}/${SIZE}`);
      t.ok(part.bytes.equals(whole.subarray(from, to)), range);
    }
    const asked = ftpLines(world).filter((line) => line.startsWith('> REST')).length;
    t.equal(asked, rest === 'done' ? 4 : 1, 'a meter that refuses REST is asked once');
    for (const from of [SIZE, '9'.repeat(40)])
      t.equal((await fetched(world, at(NAME), { Range: `bytes=${from}-` })).response.status, 416, 'behind the end');
    t.match(await world.get('/sim-1/ftp/file'), { status: 422, body: { errors: [{ path: '/path' }] } });
    for (const range of ['bytes=5-1', 'bytes=a-b', 'bytes=', 'lines=1-2', 'bytes=0-1,5-6', 'bytes=--5'])
      t.equal(
        (await fetched(world, at(NAME), { Range: range })).bytes.length,
        SIZE,
        `${range} is no range that is known`,
      );
    t.equal((await fetched(world, at(NAME), { 'If-None-Match': etag })).response.status, 304);
    const head = await fetched(world, at(NAME), {}, 'HEAD');
    t.match([head.response.status, head.response.headers.get('content-length')], [200, String(SIZE)]);
    t.match(await world.get(at('/JOB')), { status: 404, body: { code: 'FILE_NOT_FOUND' } });
    t.match(await world.get(at('/JOB/none')), { status: 404, body: { code: 'FILE_NOT_FOUND' } });
    t.match(await world.get(at('/JOB/../x')), { status: 422 });
  });

t.test('a folder comes as a ZIP, whole or visibly broken, and a client that leaves ends it', async (t) => {
  const world = await cardWorld(t);
  const { card, faults, log } = world.meter;
  for (const [name, text] of [
    ['TWIN.txt', 'b'],
    ['twin.txt', 'c'],
    ['deep/er/x.rnd', 'd'],
  ] as const)
    card.addFile(`/JOB/${name}`, Buffer.from(text), world.clock.now());
  const path = '/sim-1/ftp/archive?path=/JOB';
  const { response, bytes } = await fetched(world, path);
  t.equal(response.headers.get('content-type'), 'application/zip');
  t.match(response.headers.get('content-disposition'), /filename="JOB\.zip"/);
  const files = unzip(bytes);
  t.same([...files.keys()].sort(), ['TWIN.txt', 'a file.rnd', 'deep/er/x.rnd', 'twin (2).txt']);
  const single = await fetched(world, at(NAME));
  const hash = (content: Uint8Array | undefined) =>
    createHash('sha256')
      .update(content ?? '')
      .digest('hex');
  t.equal(hash(files.get('a file.rnd')), hash(single.bytes));

  faults.on('ftp-cut', { after_bytes: 100_000, ending: 'aborted', breaks: 'files' });
  await t.rejects(fetched(world, path), 'the answer breaks');
  faults.clear();

  card.addFile('/JOB/large.wav', { bytes: 200_000_000, seed: 7 }, world.clock.now());
  log.clear();
  await world.passing(
    new Promise<void>((resolve, reject) => {
      const asked = request(`${world.base}${path}`, (answer) => {
        answer.on('error', () => {});
        let seen = 0;
        answer.on('data', (chunk: Buffer) => {
          seen += chunk.length;
          if (seen < 1_000_000) return;
          answer.destroy();
          resolve();
        });
      });
      asked.on('error', reject);
      asked.end();
    }),
  );
  t.match(await world.get('/sim-1/ftp/files'), { status: 200 }, 'the meter is free at once');
});

t.test('a file takes one login, and so does a ZIP of many; commands that come meanwhile get their rest', async (t) => {
  const world = await cardWorld(t);
  for (let number = 0; number < 30; number++)
    world.meter.card.addFile(`/MANY/${number}.rnd`, { bytes: 3_000, seed: number }, world.clock.now());
  const logins = () => ftpLines(world).filter((line) => line.startsWith('> USER')).length;
  // A login ends after a second without work: with large steps the clock would pass it between two files.
  const slowly = <T>(work: Promise<T>): Promise<T> => world.clock.until(work, { stepMs: 5 });
  const zipped = async () =>
    Buffer.from(await (await fetch(`${world.base}/sim-1/ftp/archive?path=/MANY`)).arrayBuffer());
  await world.pass(2_000);
  world.meter.log.clear();
  await fetched(world, at(NAME));
  t.equal(logins(), 1);
  await world.pass(2_000);
  world.meter.log.clear();
  t.equal(unzip(await slowly(zipped())).size, 30);
  t.equal(logins(), 1);
  await world.pass(2_000);
  world.meter.log.clear();
  const [zip, battery] = await slowly(Promise.all([zipped(), world.asked('GET', '/sim-1/battery')]));
  t.equal(unzip(zip).size, 30);
  t.equal(battery.status, 200);
  t.equal(logins(), 1);
  t.same(world.meter.log.spacingViolations(), []);
});
