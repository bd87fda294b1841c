/** Runs of kept reports: documents with hash and query that stay, runs that are due once, and nothing half kept. */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import decodeQR from 'qr/decode.js';
import type { Test } from 'tap';
import t from 'tap';
import type { Settings } from '../../lib/settings/index.ts';
import { IDENTITY_MIGRATIONS } from '../../plugins/reports/identity.ts';
import { LAST_IDS, REPORT_MIGRATIONS, REPORT_RUNS } from '../../plugins/reports/kept/store.ts';
import { NAMED_MIGRATIONS } from '../../plugins/reports/named-store.ts';
import { placesIn } from '../support/empty-data.ts';
import { openKeyedGateway } from '../support/keyed-gateway.ts';
import { downloaded, endedJob } from '../support/packages.ts';
import { noPoppler, poppler } from '../support/reports.ts';
import { smallDisk } from '../support/small-disk.ts';
import { openWorld, type World } from '../support/world.ts';

const MIGRATIONS = [...REPORT_MIGRATIONS, ...NAMED_MIGRATIONS, ...IDENTITY_MIGRATIONS];
const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const iso = (ms: number) => new Date(ms).toISOString();
const hash = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');
const folderOf = (world: World) => join(placesIn(world.dataDir).data_dir, 'plugins', 'reports');
/** The last midnight of UTC. */
const midnight = (world: World) => Math.floor(world.clock.now() / DAY) * DAY;

/** Two days of quarters of an hour before the last midnight. */
async function measured(t: Test, settings: Partial<Settings> = {}): Promise<World> {
  const world = await openWorld(t, { settings });
  const to = midnight(world);
  const lines: string[] = [];
  for (let at = to - 2 * DAY; at < to; at += HOUR / 4) lines.push(`${iso(at)},900,${50 + ((at / HOUR) % 7)},70`);
  const imported = await world.bring(lines);
  await endedJob(world, imported.body.job);
  return world;
}

const REPORT = {
  name: 'Days',
  units: ['sim-1'],
  zone: 'UTC',
  formats: ['pdf', 'html', 'csv', 'xlsx'],
  limits: 'lden:58',
};

async function ran(world: World, query = '', id = '1') {
  const { status, body } = await world.post(`/_reports/${id}/run${query}`);
  if (status !== 202) throw new Error(JSON.stringify(body));
  return endedJob(world, body.job);
}

const documents = async (world: World, id = '1') => (await world.get(`/_reports/${id}/documents`)).body.data;
const runsOf = async (world: World, id = '1') => (await world.get(`/_reports/${id}/runs`)).body.data;

/** Reads the QR code that a PDF shows on its first page, as a phone does: from a picture. */
function codeInPdf(t: Test, pdf: Buffer): string {
  const folder = t.testdir();
  writeFileSync(join(folder, 'report.pdf'), pdf);
  const { status } = spawnSync('pdftoppm', ['-r', '150', '-l', '1', '-singlefile', 'report.pdf', 'page'], {
    cwd: folder,
  });
  t.equal(status, 0);
  const picture = readFileSync(join(folder, 'page.ppm'));
  const head = /^P6\s(\d+)\s(\d+)\s255\s/.exec(picture.toString('latin1', 0, 40));
  if (!head) throw new Error('pdftoppm writes no PPM');
  const [start, width, height] = head.map((one, n) => (n === 0 ? one.length : Number(one)));
  return decodeQR({ width: Number(width), height: Number(height), data: picture.subarray(Number(start)) });
}

/** The same of the code in a page: each module as a square of white or black pixels. */
function codeInPage(html: string): string {
  const [, size = '', path = ''] = /<svg class="check" viewBox="0 0 (\d+) .*?d="([^"]*)"/.exec(html) ?? [];
  const side = 4 * Number(size);
  const data = Buffer.alloc(side * side * 3, 255);
  for (const [, x = 0, y = 0, length = 0] of path.matchAll(/M(\d+) (\d+)h(\d+)/g))
    for (let row = 4 * Number(y); row < 4 * Number(y) + 4; row++)
      data.fill(0, (row * side + 4 * Number(x)) * 3, (row * side + 4 * (Number(x) + Number(length))) * 3);
  return decodeQR({ width: side, height: side, data });
}

t.test(
  'the QR code of a kept report leads to the page that knows its file by the hash, and no other',
  noPoppler,
  async (t) => {
    const world = await measured(t, { public_url: 'https://noise.example.org/slm' });
    await world.post('/_reports', { ...REPORT, period: 'day' });
    await ran(world);
    const kept = await documents(world);
    const bytesOf = async (n: number) => (await downloaded(world, kept[n].href)).bytes;
    const [pdf, html] = [await bytesOf(0), await bytesOf(1)];
    const address = 'https://noise.example.org/slm/verify';
    t.equal(codeInPdf(t, pdf), address);
    t.match(poppler(t, 'pdftotext', pdf, '-l', '1', '-'), address);
    t.equal(codeInPage(html.toString()), address);
    t.match(html.toString(), `<a href="${address}">${address}</a>`);

    const said = async (sha256: string) => {
      const { status, body } = await world.get(`/_reports/check?sha256=${sha256}`);
      return status === 200 ? body.data : status;
    };
    for (const { sha256, made_at } of kept) t.strictSame(await said(sha256), { kept: true, made_at });
    t.strictSame(await said(hash(Buffer.from('another file'))), { kept: false, made_at: null });
    t.equal(await said('0'.repeat(63)), 422);

    await ran(world);
    await world.restart(1_000);
    const [{ sha256, made_at }] = kept;
    t.strictSame(await said(sha256), { kept: true, made_at }, 'the same file was made twice: the first time counts');
    await world.delete('/_reports/1');
    t.strictSame(await said(sha256), { kept: false, made_at: null });
  },
);

t.test('without a public address a kept report has no QR code, and its file is known all the same', async (t) => {
  const world = await measured(t);
  await world.post('/_reports', { ...REPORT, formats: ['html'], period: 'day' });
  await ran(world);
  const [{ href, sha256 }] = await documents(world);
  t.notMatch((await downloaded(world, href)).bytes.toString(), 'class="check"');
  t.match((await world.get(`/_reports/check?sha256=${sha256}`)).body.data, { kept: true });
});

t.test('a run makes each format with its hash and query; documents stay, and can be made again', async (t) => {
  const world = await measured(t);
  await world.post('/_reports', { ...REPORT, period: 'day' });
  const job = await ran(world);
  t.match(job, {
    state: 'done',
    result: {
      report: '1',
      run: '1',
      documents: [{ id: '1-pdf' }, { id: '1-html' }, { id: '1-csv' }, { id: '1-xlsx' }],
    },
  });
  const first = await documents(world);
  t.strictSame(first, job.result.documents);
  const to = midnight(world);
  for (const one of first) {
    t.match(one, { run: '1', from: iso(to - DAY), to: iso(to), late: false });
    const { response, bytes } = await downloaded(world, one.href);
    t.strictSame([bytes.length, hash(bytes)], [one.bytes, one.sha256], one.id);
    t.equal(response.headers.get('etag'), `"${one.sha256}"`);
    t.match(response.headers.get('content-disposition'), one.name);
    const now = await downloaded(world, one.query.replace('GET ', ''));
    t.equal(hash(now.bytes), one.sha256, 'the query of the document gives its bytes');
  }
  const part = await downloaded(world, first[0].href, { Range: 'bytes=0-3' });
  t.strictSame([part.response.status, part.bytes.toString()], [206, '%PDF']);
  const again = (await ran(world)).result.documents;
  t.strictSame(
    again.map(({ sha256 }: { sha256: string }) => sha256),
    first.map(({ sha256 }: { sha256: string }) => sha256),
  );

  const time = { from: iso(to - 5 * HOUR), to: iso(to - 4 * HOUR) };
  await world.post('/sim-1/notes', { ...time, kind: 'exclusion', reason: 'rain', text: 'It rained.' });
  const [other] = (await ran(world)).result.documents;
  t.not(other.sha256, first[0].sha256, 'with a note it is another one');
  await world.restart(1_000);
  t.equal(hash((await downloaded(world, first[0].href)).bytes), first[0].sha256, 'what was printed stays');
  t.equal((await documents(world)).length, 12);
  const page = (await world.get('/_reports/1/documents?limit=4')).body;
  const rest = (await world.get(`/_reports/1/documents?limit=100&cursor=${page.next}`)).body;
  t.strictSame([...page.data, ...rest.data], await documents(world), 'in pages');
  t.match((await world.get('/_reports/1')).body.data, { last_run: { id: '3', state: 'done', due_at: null } });
  await world.delete('/_reports/1');
  t.strictSame(await readdir(folderOf(world)), [], 'with the report its documents go');
  t.match(await world.get(first[0].href), { status: 404, body: { code: 'REPORT_NOT_FOUND' } });
});

t.test('the answer to a bad span names its path; a run that fails says why and leaves nothing', async (t) => {
  const world = await measured(t);
  await world.post('/_reports', REPORT);
  const to = midnight(world);
  for (const [query, path] of [
    ['', '/from'],
    [`?from=${iso(to - DAY)}`, '/to'],
    [`?to=${iso(to)}`, '/from'],
    [`?from=${iso(to)}&to=${iso(to - DAY)}`, '/to'],
    [`?from=${iso(to)}&to=${iso(to + 40 * DAY)}`, '/to'],
    [`?from=yesterday&to=${iso(to)}`, '/from'],
  ] as const)
    t.match(await world.post(`/_reports/1/run${query}`), { status: 422, body: { errors: [{ path }] } }, query);
  t.match(await world.post('/_reports/7/run'), { status: 404, body: { code: 'REPORT_NOT_FOUND' } });
  t.strictSame(await runsOf(world), []);
  const job = await ran(world, `?from=${iso(0)}&to=${iso(to)}`);
  t.match(job, { state: 'failed', error: { code: 'INVALID' } });
  t.match(await runsOf(world), [{ id: '1', state: 'failed', detail: /370 days/ }]);
  await world.delete('/sim-1/config');
  const gone = await ran(world, `?from=${iso(to - DAY)}&to=${iso(to)}`);
  t.match(gone, { state: 'failed', error: { code: 'INVALID', detail: /sim-1 is no unit/ } });
  t.match((await world.get('/_reports/1')).body.data, { warnings: ['There is no meter sim-1 any more.'] });
  t.strictSame(await readdir(folderOf(world)), []);
  t.strictSame(await documents(world), []);
});

t.test('a disk with too little room is reported, and nothing is kept in part', async (t) => {
  const place = await smallDisk(t, 24);
  if ('reason' in place) return void t.comment(`not tried: ${place.reason}`);
  const world = await openWorld(t, { settings: { data_dir: join(place.disk, 'data') } });
  await world.post('/_reports', { ...REPORT, period: 'day' });
  t.match(await ran(world), { state: 'failed', error: { code: 'STORAGE_FULL', detail: /no report was made/ } });
  t.match(await runsOf(world), [{ state: 'failed', detail: /500 MB/ }]);
  t.strictSame(await readdir(join(place.disk, 'data', 'plugins', 'reports')), []);
});

t.test('of 400 runs the oldest goes with its documents, and beyond 10 GB nothing more is made', async (t) => {
  const world = await measured(t);
  await world.post('/_reports', { ...REPORT, formats: ['csv'], period: 'day' });
  await ran(world);
  const tables = await world.gateway.store.tables('reports', [REPORT_RUNS, LAST_IDS], MIGRATIONS);
  const [first] = await tables.read((rows) => rows.find(REPORT_RUNS));
  if (!first) throw new Error('there is no run');
  const others = Array.from({ length: 399 }, (_, n) => ({ ...first, id: n + 2 }));
  await tables.write(async (rows) => {
    await rows.put(REPORT_RUNS, others);
    await rows.put(LAST_IDS, [{ name: 'run', id: 400 }]);
  });
  t.match(await world.get(first.documents[0] ? '/_reports/1/documents/1-csv' : ''), { status: 200 });
  t.match(await ran(world), { state: 'done', result: { run: '401' } });
  const ids = (await world.get('/_reports/1/runs?limit=1000')).body.data.map(({ id }: { id: string }) => Number(id));
  t.strictSame([ids.length, ids[0], ids.at(-1)], [400, 401, 2]);
  t.match(await world.get('/_reports/1/documents/1-csv'), { status: 404, body: { code: 'REPORT_NOT_FOUND' } });
  t.strictSame(await readdir(folderOf(world)), ['401']);
  const [document] = first.documents;
  if (document) {
    const large = { ...first, id: 2, documents: [{ ...document, id: '2-csv', bytes: 10_000_000_001 }] };
    await tables.write((rows) => rows.put(REPORT_RUNS, [large]));
  }
  await world.restart(1_000);
  t.match(await ran(world), { state: 'failed', error: { code: 'STORAGE_FULL', detail: /10 GB/ } });
  t.match(await world.get('/_reports/1/documents/2-csv'), { status: 404, body: { code: 'FILE_NOT_FOUND' } });
});

t.test('the next start removes the rest of a killed process', async (t) => {
  const world = await measured(t);
  await world.post('/_reports', { ...REPORT, formats: ['csv'], period: 'day' });
  await ran(world);
  for (const name of ['2.draft', '3']) {
    await mkdir(join(folderOf(world), name));
    await writeFile(join(folderOf(world), name, 'pdf'), 'half');
  }
  await world.restart(1_000);
  t.strictSame(await readdir(folderOf(world)), ['1']);
});

t.test('a report is due once, also over restarts; a missed report is made late and says so', async (t) => {
  const world = await measured(t);
  await world.post('/_reports', { ...REPORT, formats: ['csv'], period: 'day', at: '06:00' });
  const { data } = (await world.get('/_reports/1')).body;
  const due = Date.parse(data.next_due_at);
  t.equal(due % DAY, 6 * HOUR);
  await world.clock.advance(due - world.clock.now());
  const made = async (count: number) => {
    while ((await documents(world)).length < count) await world.pass(1_000);
  };
  await made(1);
  t.match(await runsOf(world), [{ due_at: iso(due), late: false, state: 'done', from: iso(due - 30 * HOUR) }]);
  await world.restart(10_000);
  await world.pass(60_000);
  t.equal((await runsOf(world)).length, 1, 'once');
  t.equal((await world.get('/_reports/1')).body.data.next_due_at, iso(due + DAY));
  await world.restart(2 * DAY + HOUR);
  await made(3);
  t.match(await runsOf(world), [
    { due_at: iso(due + 2 * DAY), late: true },
    { due_at: iso(due + DAY), late: true, from: iso(due - 6 * HOUR) },
    { late: false },
  ]);
  t.match(
    (await documents(world)).map(({ late }: { late: boolean }) => late),
    [true, true, false],
  );
  await world.restart(20 * DAY);
  await made(10);
  const all = await runsOf(world);
  t.equal(all.length, 11);
  t.match(all[7], { state: 'missed', detail: /^13 runs were missed/, from: iso(due + 2 * DAY - 6 * HOUR) });
  await world.pass(60_000);
  t.equal((await runsOf(world)).length, 11, 'and nothing twice');
});

t.test('a due run that fails is tried five times; /health reports it until a run works', async (t) => {
  const world = await measured(t);
  const problems = async () => {
    const answer = await fetch(new URL('/health', world.base));
    const { problems: all = [] } = (await answer.json()) as { problems?: readonly { part: string; detail: string }[] };
    return all.filter(({ part }) => part === 'reports');
  };
  const failures = async () => {
    const text = await (await fetch(new URL('/metrics', world.base))).text();
    return /^slm_part_failures_total\{part="reports"\} (\d+)$/m.exec(text)?.[1];
  };
  await world.post('/_reports', { ...REPORT, formats: ['csv'], period: 'day', at: '06:00' });
  const { body } = await world.get('/_reports/1');
  t.equal(await failures(), '0');
  const config = (await world.get('/sim-1/config')).body.data;
  await world.delete('/sim-1/config');
  t.strictSame(await problems(), []);
  const due = Date.parse(body.data.next_due_at);
  await world.clock.advance(due - world.clock.now());
  const first = async () => (await runsOf(world)).at(-1);
  const MINUTE = 60_000;
  for (const [tries, pause] of [5, 30, 120, 360].entries()) {
    while ((await first())?.tries !== tries + 1) await world.pass(1_000);
    t.match(await first(), { state: 'waiting', due_at: iso(due), detail: /sim-1 is no unit/, ended_at: null });
    t.match(await problems(), [{ detail: 'Reports that were due could not be made: report 1 (run 1).' }]);
    await world.clock.advance(pause * MINUTE);
  }
  while ((await first())?.state !== 'failed') await world.pass(1_000);
  t.match(await first(), { tries: 5, detail: /sim-1 is no unit/ });
  t.equal(await failures(), '5', 'each try is counted for monitoring systems');
  t.match((await world.get('/_reports/1')).body.data.last_run, { state: 'failed', tries: 5 });
  await world.restart(10_000);
  t.match(await problems(), [{ detail: /report 1 \(run 1\)/ }], 'also after a restart');
  await world.put('/sim-1/config', { host: config.host ?? '192.0.2.1', tcp_enabled: false });
  t.match(await ran(world), { state: 'done' });
  t.strictSame(await problems(), [], 'one is made');
  await world.restart(10_000);
  t.strictSame(await problems(), []);
});

t.test('after a change of its time only future runs are due', async (t) => {
  const world = await measured(t);
  await world.post('/_reports', { ...REPORT, period: 'none' });
  await world.restart(10 * DAY);
  await world.put('/_reports/1', { ...REPORT, formats: ['csv'], period: 'day', at: '06:00' });
  await world.pass(60_000);
  t.strictSame(await runsOf(world), []);
  t.equal((await world.post('/_reports/1/run')).status, 202, 'of the last day');
});

t.test('operators run, viewers read, and a key of other units sees no part of it', async (t) => {
  const keyed = await openKeyedGateway(t);
  const viewer = await keyed.key({ name: 'viewer' });
  const operator = await keyed.key({ name: 'operator', role: 'operator' });
  const cellar = await keyed.key({ name: 'cellar', role: 'operator', units: 'cellar' });
  await keyed.post('/_reports', { name: 'One', units: ['roof'], period: 'day', formats: ['csv'] }, operator.headers);
  t.equal((await keyed.ask('POST', '/_reports/1/run', viewer)).status, 403);
  t.equal((await keyed.ask('POST', '/_reports/1/run', cellar)).status, 404);
  const { body } = await keyed.ask('POST', '/_reports/1/run', operator);
  const state = async () => (await keyed.ask('GET', `/_jobs/${body.job}`, viewer)).body.data.state;
  while ((await state()) !== 'done') await keyed.clock.advance(100);
  for (const path of ['documents', 'runs', 'documents/1-csv']) {
    t.equal((await keyed.ask('GET', `/_reports/1/${path}`, viewer)).status, 200, path);
    t.equal((await keyed.ask('GET', `/_reports/1/${path}`, cellar)).status, 404, path);
  }
});
