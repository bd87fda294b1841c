/** Packages of evidence: made by a job, whole, the same for the same data, and nothing half is ever left. */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import t, { type Test } from 'tap';
import { placesIn } from '../support/empty-data.ts';
import { openKeyedGateway } from '../support/keyed-gateway.ts';
import { downloaded, endedJob, madePackage, mirrored } from '../support/packages.ts';
import { unzip } from '../support/unzip.ts';
import { openWorld, type World } from '../support/world.ts';

const DAY = Date.UTC(2025, 11, 22);
const at = (hours: number) => new Date(DAY + hours * 3_600_000).toISOString();
const SPAN = { from: at(0), to: at(48) };

/** Two days of levels, rows of so many minutes; a note, a calibration, an event's rule, a file of the card. */
async function filled(t: Test, minutes = 15): Promise<World> {
  const world = await openWorld(t);
  const lines = Array.from(
    { length: 2_880 / minutes },
    (_, row) => `${at((row * minutes) / 60)},${minutes * 60},${50 + (row % 7)},${60 + (row % 5)}`,
  );
  await world.bring(lines);
  await world.put('/sim-1/config', {
    timezone: 'Asia/Kolkata',
    place: 'Roof, 3rd floor',
    mirror: { paths: ['/JOB'], parse: false },
  });
  await world.post('/sim-1/notes', { from: at(3), to: at(4), kind: 'exclusion', reason: 'rain', text: 'It rained.' });
  await world.post('/sim-1/calibrations', {
    time: at(1),
    nominal_db: 94,
    before_db: 94.1,
    calibrator: 'B',
    serial: '7',
  });
  // The meter has said who it is: on a busy computer its answer can come too late for the first report.
  while (/not known/.test((await world.get(`/sim-1/report?from=${SPAN.from}&to=${SPAN.to}`)).body))
    await world.pass(200);
  return world;
}

const made = (world: World, body: object = SPAN) => madePackage(world, body);
const hash = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');
const folderOf = (world: World) => join(placesIn(world.dataDir).data_dir, 'plugins', 'evidence', 'sim-1');

const SLM = fileURLToPath(new URL('../../cli/slm.ts', import.meta.url));
const verified = (path: string) =>
  new Promise<{ code: number; said: string }>((resolve) => {
    execFile(process.execPath, [SLM, 'verify', path], (error, out, err) =>
      resolve({ code: Number(error?.code ?? 0), said: out + err }),
    );
  });

t.test(
  'a package is made, listed, downloaded in parts, and slm verify finds it whole; one changed byte is found',
  async (t) => {
    const world = await filled(t);
    const result = await made(world);
    t.match(result, { id: /^\d+$/, href: `/sim-1/evidence/${result.id}`, sha256: /^[0-9a-f]{64}$/ });
    const { response, bytes } = await downloaded(world, result.href);
    t.equal(response.headers.get('content-type'), 'application/zip');
    t.strictSame([bytes.length, hash(bytes)], [result.bytes, result.sha256]);
    const part = await downloaded(world, result.href, { Range: 'bytes=10-19' });
    t.equal(part.response.status, 206);
    t.strictSame(part.bytes, bytes.subarray(10, 20));
    const { data } = (await world.get('/sim-1/evidence')).body;
    t.match(data, [{ ...result, href: undefined, ...SPAN, timezone: 'Asia/Kolkata' }]);
    const { fingerprint } = (await world.get('/_evidence/key')).body.data;
    t.equal(data[0].fingerprint, fingerprint);

    const path = join(t.testdir(), 'package.zip');
    await writeFile(path, bytes);
    const good = await verified(path);
    t.equal(good.code, 0, good.said);
    t.ok(good.said.includes(fingerprint), good.said);
    bytes[Math.floor(bytes.length / 3)] = (bytes[Math.floor(bytes.length / 3)] ?? 0) ^ 1;
    await writeFile(path, bytes);
    const bad = await verified(path);
    t.ok(bad.code === 1 || bad.code === 2, `${bad.code} ${bad.said}`);
  },
);

t.test('a package has days of the place, notes with versions, and no address of the meter', async (t) => {
  const world = await filled(t, 1);
  const files = await unzip((await downloaded(world, (await made(world)).href)).bytes);
  const names = [...files.keys()];
  for (const day of ['2025-12-22', '2025-12-23', '2025-12-24'])
    t.ok(names.includes(`levels/${day}/intervals.csv`) || names.includes(`levels/${day}/minutes.csv`), day);
  const textOf = (name: string) => Buffer.from(files.get(name) ?? '').toString();
  const rows = names
    .filter((name) => /^levels.*csv$/.test(name))
    .reduce((sum, name) => sum + textOf(name).trim().split('\n').length - 1, 0);
  t.equal(rows, 2_880, 'each row once, on one day');
  t.match(JSON.parse(textOf('notes.json')), [{ text: 'It rained.', versions: [{ version: 1 }] }]);
  t.match(JSON.parse(textOf('calibrations.json')), [{ serial: '7' }]);
  t.match(JSON.parse(textOf('settings.json')), { config: { place: 'Roof, 3rd floor', timezone: 'Asia/Kolkata' } });
  t.notMatch(textOf('settings.json'), /127\.0\.0\.1|port|password/);
  t.strictSame(JSON.parse(textOf('alerts.json')), []);
  t.match(textOf('README.txt'), /slm verify/);
  const report = textOf('report.html');
  t.ok(report.includes((await world.get('/_evidence/key')).body.data.fingerprint), 'the key stands in the report');
  const { body: page } = await world.get(`/sim-1/report?from=${SPAN.from}&to=${SPAN.to}&dated=false`);
  t.equal(report, page, 'the page of the API, with its addresses');
  t.notMatch(report, />Written</, 'not when: the same data gives the same page');
  const few = await unzip((await downloaded(world, (await made(world, { ...SPAN, include: ['notes'] })).href)).bytes);
  t.notOk(
    [...few.keys()].some((name) => /^levels|settings/.test(name)),
    'only what was asked for',
  );
});

t.test('the report of a package does not depend on when it is made', async (t) => {
  const world = await filled(t);
  const page = async () => (await world.get(`/sim-1/report?from=${SPAN.from}&to=${SPAN.to}&dated=false`)).body;
  const before = await page();
  // The last local day of the span comes nearer to its end.
  await world.clock.advance(3 * 3_600_000);
  t.equal(await page(), before);
});

t.test('a report may be about 370 days', async (t) => {
  const world = await openWorld(t);
  const { href } = await made(world, { from: at(-24 * 370), to: at(0), include: ['report'] });
  t.ok((await unzip((await downloaded(world, href)).bytes)).has('report.html'));
});

t.test('the same data gives the same bytes, except for the signature', async (t) => {
  const world = await filled(t);
  const include = ['levels', 'notes', 'settings', 'calibrations', 'alerts', 'audit', 'files', 'report'];
  // The days are sealed in the background: before and after it a package has other contents.
  while ((await world.get('/sim-1/seals')).body.data.length < 2) await world.pass(1_000);
  const filesOf = async (order: readonly string[]) =>
    unzip((await downloaded(world, (await made(world, { ...SPAN, include: order })).href)).bytes);
  const one = await filesOf(include);
  const differs = async (order: readonly string[], when: string) => {
    const other = await filesOf(order);
    t.strictSame([...other.keys()], [...one.keys()], when);
    const different = [...one].filter(
      ([name, bytes]) => !Buffer.from(bytes).equals(Buffer.from(other.get(name) ?? '')),
    );
    t.strictSame(
      different.map(([name]) => name),
      ['signature/envelope.json'],
      when,
    );
  };
  await world.pass(5_000);
  await differs(include.toReversed(), 'in another order');
  await world.put('/sim-1/config', { tcp_enabled: false });
  await world.restart(5_000);
  await differs(include, 'after a start, and the meter cannot be asked who it is');
});

t.test('input that makes no sense is refused with its place', async (t) => {
  const world = await openWorld(t);
  const future = new Date(world.clock.now() + 3_600_000).toISOString();
  for (const [body, path] of [
    [{ from: at(2), to: at(1) }, '/to'],
    [{ from: at(1), to: at(1) }, '/to'],
    [{ from: at(1), to: future }, '/to'],
    [{ from: at(-24 * 401), to: at(0) }, '/to'],
    [{ from: 'yesterday', to: at(0) }, '/from'],
    [{ ...SPAN, include: ['levels', 'gossip'] }, '/include/1'],
    [{ ...SPAN, include: [] }, '/include'],
    [{ from: at(-24 * 370 - 1), to: at(0), include: ['report'] }, '/include'],
    [{ to: at(1) }, '/from'],
  ] as const) {
    const { status, body: answer } = await world.post('/sim-1/evidence', body);
    t.equal(status, 422, JSON.stringify(body));
    t.match(answer.errors, [{ path }], JSON.stringify(body));
  }
  t.equal(
    (await world.post('/sim-1/evidence', { from: at(-24 * 400), to: at(0) })).status,
    202,
    '400 days are not too many',
  );
  t.equal((await world.post('/nobody/evidence', SPAN)).status, 404);
  t.equal((await world.get('/sim-1/evidence/999')).status, 404);
});

t.test('records of the audit log are handed over by admins only', async (t) => {
  const keyed = await openKeyedGateway(t);
  const header = async (role: string) => ({ Authorization: `Bearer ${(await keyed.key({ name: role, role })).text}` });
  const [operator, admin] = [await header('operator'), await header('admin')];
  const body = { ...SPAN, include: ['audit'] };
  t.equal((await keyed.post('/roof/evidence', body, operator)).status, 403);
  t.equal((await keyed.post('/roof/evidence', SPAN, operator)).status, 202);
  t.equal((await keyed.post('/roof/evidence', body, admin)).status, 202);
});

t.test(
  'the start of a gateway removes unfinished packages of a process that was killed, and keeps whole packages',
  async (t) => {
    const world = await filled(t);
    const { id } = await made(world);
    const folder = folderOf(world);
    t.strictSame((await readdir(folder)).sort(), [`${id}.json`, `${id}.zip`], 'no draft is left');
    for (const name of ['77.zip.draft', '78.zip', '79.json', '79.json.draft'])
      await writeFile(join(folder, name), 'half');
    await mkdir(join(folder, '80.zip'), { recursive: true });
    await world.restart(1_000);
    t.strictSame((await readdir(folder)).sort(), [`${id}.json`, `${id}.zip`]);
    t.match((await world.get('/sim-1/evidence')).body.data, [{ id }]);
  },
);

t.test('a job that is cancelled leaves nothing', async (t) => {
  const world = await filled(t);
  const { job } = (await world.asked('POST', '/sim-1/evidence', { json: SPAN })).body;
  await world.asked('DELETE', `/_jobs/${job}`);
  const { state } = await endedJob(world, job);
  const left = existsSync(folderOf(world)) ? await readdir(folderOf(world)) : [];
  if (state === 'cancelled') t.strictSame(left, []);
  else t.equal(left.length, 2, 'it was done before the cancellation came');
});

t.test('a package has copies of the card files that were changed in the span, and no others', async (t) => {
  const world = await filled(t);
  world.meter.card.addFolder('/JOB', world.clock.now());
  await world.ftpOn();
  const bytes = Buffer.from('levels of a card\r\n');
  world.meter.card.addFile('/JOB/NL_0001.rnd', bytes, DAY + 5 * 3_600_000);
  world.meter.card.addFile('/JOB/NL_0002.rnd', bytes, DAY - 90 * 86_400_000);
  t.equal((await mirrored(world)).state, 'done');
  const found = await unzip((await downloaded(world, (await made(world, { ...SPAN, include: ['files'] })).href)).bytes);
  const names = [...found.keys()].filter((name) => name.startsWith('files/'));
  t.strictSame(names, ['files/1/JOB/NL_0001.rnd']);
  t.strictSame(found.get('files/1/JOB/NL_0001.rnd'), bytes);
});

t.test('a copy is in the package also when the meter listed its year in place of its time', async (t) => {
  const world = await filled(t);
  world.meter.card.addFolder('/JOB', world.clock.now());
  world.meter.card.addFile('/JOB/NL_0001.rnd', Buffer.from('levels\r\n'), DAY + 5 * 3_600_000);
  await world.restart(200 * 86_400_000);
  await world.ftpOn();
  t.match(await mirrored(world), { state: 'done', result: { fetched: 1 } });
  const found = await unzip((await downloaded(world, (await made(world, { ...SPAN, include: ['files'] })).href)).bytes);
  t.ok(found.has('files/1/JOB/NL_0001.rnd'));
});

t.test('days that are sealed are compared with their seals by slm verify', async (t) => {
  const world = await filled(t);
  const seals = async () => (await world.get('/sim-1/seals')).body.data;
  // The last of the days is over; then the sealer looks every five minutes, and takes as long for its work as the disk does.
  await world.clock.advance(24 * 3_600_000);
  while ((await seals()).length < 3) await world.clock.advance(300_000);
  t.equal((await seals()).length, 3, 'the rows of 48 hours of UTC are on three days of the place');
  const whole = { from: '2025-12-22T00:00:00+05:30', to: '2025-12-25T00:00:00+05:30' };
  const { href } = await made(world, { ...whole, include: ['levels', 'notes'] });
  const { bytes } = await downloaded(world, href);
  t.strictSame(JSON.parse(String(unzip(bytes).get('seals.json'))), await seals());
  const path = join(t.testdir(), 'package.zip');
  await writeFile(path, bytes);
  const { code, said } = await verified(path);
  t.equal(code, 0, said);
  t.match(said, /seal/i);
});

t.test('a package of evidence has the readings of the clock', async (t) => {
  const world = await filled(t);
  const span = { from: new Date(world.clock.now() - 60_000).toISOString(), to: '' };
  const clocks = async () =>
    (await world.get(`/sim-1/clock/readings?from=${span.from}&to=${new Date(world.clock.now() + 1).toISOString()}`))
      .body.data;
  await world.post('/sim-1/clock/sync');
  while ((await clocks()).length === 0) await world.pass(1_000);
  const [reading] = await clocks();
  t.match(reading, { at: String, ahead_s: Number, uncertainty_s: Number });
  span.to = new Date(world.clock.now() + 1).toISOString();
  const files = unzip((await downloaded(world, (await made(world, { ...span, include: ['clock'] })).href)).bytes);
  const [head, first] = String(files.get('clock.csv')).split('\n');
  t.equal(head, 'at,ahead_s,uncertainty_s');
  t.equal(first, `${reading.at},${reading.ahead_s},${reading.uncertainty_s}`);
});

t.test(
  'days are sealed again before a package is made: a new time zone and levels that came after the seal',
  async (t) => {
    const world = await filled(t);
    const seals = async () => (await world.get('/sim-1/seals')).body.data;
    const wholeOf = async (zone: string) => {
      const span = {
        from: `2025-12-22T00:00:00${zone}`,
        to: `2025-12-25T00:00:00${zone}`,
        include: ['levels', 'notes'],
      };
      const path = join(t.testdir(), 'package.zip');
      await writeFile(path, (await downloaded(world, (await made(world, span)).href)).bytes);
      return verified(path);
    };
    await world.clock.advance(24 * 3_600_000);
    while ((await seals()).length < 3) await world.clock.advance(300_000);
    await world.put('/sim-1/config', { timezone: 'Europe/Madrid' });
    const moved = await wholeOf('+01:00');
    t.equal(moved.code, 0, moved.said);
    t.match(moved.said, '2025-12-23 fits its seal (version 2).');
    await world.ask('POST', '/sim-1/history/import', {
      raw: `start,duration_s,leq,lmax\n${at(58)},60,70,80`,
      headers: { 'Content-Type': 'text/csv' },
    });
    const changed = await wholeOf('+01:00');
    t.equal(changed.code, 0, changed.said);
    t.match(changed.said, '2025-12-24 fits its seal (version 3).');
  },
);

t.test('when the seconds of a sealed day are no longer kept, its minutes still fit the seal', async (t) => {
  const world = await openWorld(t, { settings: { history_seconds_days: 2 } });
  const weighting = { frequency: 'A', time: 'F' } as const;
  const append = (hour: number, count: number) => {
    const from = DAY / 1_000 + hour * 3_600;
    const seconds = Array.from({ length: count }, (_, n) => ({ at: from + n, steps: 10, leq: 50, lmax: 51 }));
    world.gateway.history.append({ unitId: 'sim-1', source: 'stream', weighting, seconds });
    return world.gateway.history.flush();
  };
  await append(8, 60);
  await append(20, 60);
  while ((await world.get('/sim-1/seals')).body.data.length < 1) await world.clock.advance(300_000);
  await world.restart(5 * 86_400_000);
  // Ages count from the newest levels.
  for (let day = 1; day <= 6; day += 1) await append(day * 24 + 8, 1);
  const path = join(t.testdir(), 'package.zip');
  const secondsAt = async (text: string) => {
    const { href } = await made(world, { from: at(0), to: at(24), include: ['levels'] });
    const { bytes } = await downloaded(world, href);
    await writeFile(path, bytes);
    return String(unzip(bytes).get('levels/2025-12-22/seconds.csv') ?? '').includes(text);
  };
  while (await secondsAt('2025-12-22T08:')) await world.clock.advance(60_000);
  const { code, said } = await verified(path);
  t.equal(code, 0, said);
  t.match(said, 'fits its seal by its minutes: not all of its seconds are kept (version 1).');
});
