/** The mirror: what is on the card comes here whole, once, and stays. */
import { createHash } from 'node:crypto';
import { rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import t, { type Test } from 'tap';
import { copyPlaceOf, makeRoom } from '../../plugins/mirror/places.ts';
import { endedJob, mirrored } from '../support/packages.ts';
import { unzip } from '../support/unzip.ts';
import { openWorld, type World } from '../support/world.ts';

async function mirrorWorld(t: Test, mirror: object = {}, quirks = {}, settings = {}): Promise<World> {
  const world = await openWorld(t, { quirks, settings });
  await world.put('/sim-1/config', { mirror: { paths: ['/JOB'], parse: false, ...mirror } });
  world.meter.card.addFolder('/JOB', world.clock.now());
  await world.ftpOn();
  return world;
}

const contentOf = (world: World, path: string) => Buffer.concat([...(world.meter.card.read(path) ?? [])]);
const hash = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');
const retrieved = (world: World) =>
  world.meter.log.events
    .filter((event) => event.kind === 'ftp' && 'text' in event && /^> (RETR|REST)/.test(String(event.text)))
    .map((event) => ('text' in event ? String(event.text) : ''));

async function fetched(world: World, path: string, headers: Record<string, string> = {}) {
  const response = await world.passing(fetch(`${world.base}${path}`, { headers }));
  return { response, bytes: Buffer.from(await world.passing(response.arrayBuffer())) };
}
const content = (path: string) => `/sim-1/files/content?path=${encodeURIComponent(path)}`;

t.test('after a run the files of the card are here, with their hashes, also while the meter is away', async (t) => {
  const world = await mirrorWorld(t);
  const { card } = world.meter;
  const names = ['/JOB/a file.rnd', '/JOB/deep/er/b.wav', '/JOB/TWIN', '/JOB/twin', '/JOB/empty.txt'];
  for (const [seed, path] of names.entries())
    card.addFile(path, { bytes: path.includes('empty') ? 0 : 5_000 + seed, seed }, world.clock.now());
  const wanted = new Map(names.map((path) => [path, contentOf(world, path)]));
  t.match(await mirrored(world), {
    state: 'done',
    result: { card: 1, listed: 5, fetched: 5, growing: 0, stopped: null },
  });
  const { body } = await world.get('/sim-1/files');
  t.same(body.data.map(({ path }: { path: string }) => path).sort(), [...names].sort());
  for (const row of body.data)
    t.match(row, { state: 'complete', sha256: hash(wanted.get(row.path) ?? Buffer.of(1)), fetched_at: /Z$/ }, row.path);

  const before = retrieved(world).length;
  t.match(await mirrored(world), { result: { fetched: 0 } });
  t.equal(retrieved(world).length, before, 'nothing comes twice');

  card.eject();
  const whole = await fetched(world, content('/JOB/a file.rnd'));
  t.equal(whole.response.headers.get('etag'), `"${hash(whole.bytes)}"`);
  t.ok(whole.bytes.equals(wanted.get('/JOB/a file.rnd') ?? Buffer.of()));
  const part = await fetched(world, content('/JOB/deep/er/b.wav'), { Range: 'bytes=10-19' });
  t.equal(part.response.status, 206);
  t.ok(part.bytes.equals((wanted.get('/JOB/deep/er/b.wav') ?? Buffer.of()).subarray(10, 20)));
  const zip = unzip((await fetched(world, '/sim-1/files/archive')).bytes);
  const manifest = JSON.parse(String(zip.get('manifest.json')));
  t.equal(manifest.files.length, 5);
  for (const { name, sha256 } of manifest.files) t.equal(hash(zip.get(name) ?? Buffer.of(1)), sha256);
  for (const path of ['/etc/passwd', '/JOB', '/JOB/none'])
    t.match(await world.get(content(path)), { status: 404, body: { code: 'FILE_NOT_FOUND' } }, path);
  for (const path of ['/JOB/../../slm.db', '../x'])
    t.match(await world.get(content(path)), { status: 422, body: { errors: [{ path: '/path' }] } }, path);
  const none = await world.get('/sim-1/files/archive?path=/none');
  t.match(
    none,
    { status: 404, body: { code: 'FILE_NOT_FOUND' } },
    'a ZIP of a folder that is not there is no empty ZIP',
  );
  t.match(await world.get('/sim-1/files?cursor=none'), { status: 422, body: { errors: [{ path: '/cursor' }] } });
  t.match(await world.get('/sim-1/files/content'), { status: 422, body: { errors: [{ path: '/path' }] } });
});

t.test('the progress of a run only grows, also within a file and while levels are read', async (t) => {
  const world = await mirrorWorld(t, { parse: true });
  for (const [seed, name] of ['a.rnd', 'b.wav', 'c.rnd'].entries())
    world.meter.card.addFile(`/JOB/${name}`, { bytes: 300_000, seed }, world.clock.now());
  world.meter.faults.on('ftp-slow', { bytes_per_second: 50_000 });
  const live = await world.watch('/_live?events=job');
  const { progress } = await mirrored(world);
  t.same(progress, { done: 1_500_000, total: 1_500_000, unit: 'bytes' }, 'levels count once more');
  const told = live.messages.flatMap(({ data }) => data?.progress?.done ?? []);
  t.ok(new Set(told).size > 8, `in many steps: ${told}`);
  t.same(
    told,
    told.toSorted((a: number, b: number) => a - b),
  );
});

t.test(
  'when the meter or a restart breaks a run at any byte, the next goes on there, and every file becomes whole',
  async (t) => {
    for (const rest of ['done', 'refused'] as const) {
      const world = await mirrorWorld(t, {}, { ftp_rest: rest });
      const { card, faults } = world.meter;
      const paths = ['/JOB/a.rnd', '/JOB/b.wav'];
      for (const [seed, path] of paths.entries()) card.addFile(path, { bytes: 1_200_000, seed }, world.clock.now());
      let state = 20_251_121;
      const random = (most: number) => {
        state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
        return 1 + (state % most);
      };
      for (let count = 0; count < 3; count += 1) {
        faults.on('ftp-cut', {
          // So few that two runs leave some: each of them is cut.
          after_bytes: random(400_000),
          ending: count % 2 ? 'aborted' : 'vanishes',
          breaks: 'files',
        });
        if (count < 2) t.match(await mirrored(world), { state: 'failed' });
        else {
          const { job } = (await world.post('/sim-1/mirror')).body;
          for (let turns = random(40); turns > 0; turns -= 1) await turn();
          await world.restart(1_000);
          await endedJob(world, job);
        }
        faults.clear();
      }
      t.match(await mirrored(world), { state: 'done' });
      for (const path of paths) {
        const { bytes } = await fetched(world, content(path));
        t.equal(hash(bytes), hash(contentOf(world, path)), `${path}, REST ${rest}`);
      }
      const begun = retrieved(world).filter((line) => /REST [1-9]/.test(line)).length;
      t.ok(begun > 0, 'what was there was not fetched again where the meter knows REST');
    }
  },
);

t.test('a file that has grown is continued; other bytes under the same name are fetched again', async (t) => {
  const world = await mirrorWorld(t, {}, { ftp_rest: 'done' });
  const { card, log } = world.meter;
  const now = world.clock.now();
  const first = Buffer.alloc(50_000, 'row\r\n');
  card.addFile('/JOB/a.rnd', first, now - 60_000);
  card.addFile('/JOB/b.rnd', first, now - 60_000);
  await mirrored(world);
  log.clear();
  const grown = Buffer.concat([first, Buffer.from('more\r\n')]);
  const other = Buffer.alloc(60_000, 'other');
  card.addFile('/JOB/a.rnd', grown, now);
  card.addFile('/JOB/b.rnd', other, now);
  await mirrored(world);
  t.ok(retrieved(world).includes(`> REST ${50_000 - 4_096}`));
  t.ok((await fetched(world, content('/JOB/a.rnd'))).bytes.equals(grown));
  t.ok((await fetched(world, content('/JOB/b.rnd'))).bytes.equals(other));
});

t.test('another card is kept apart, and known when it comes back', async (t) => {
  const world = await mirrorWorld(t, { paths: ['/NL-43'] });
  const { card } = world.meter;
  card.exchange({ stores: { serial: '00000001', index: 1 } });
  const first = await mirrored(world);
  card.exchange({ stores: { serial: '00000002', index: 2 } });
  t.match([first.result.card, (await mirrored(world)).result.card], [1, 2]);
  const states = async (number: number) =>
    new Set((await world.get(`/sim-1/files?card=${number}`)).body.data.map(({ state }: { state: string }) => state));
  t.same([[...(await states(1))], [...(await states(2))]], [['gone_from_card'], ['complete']]);
  const { data } = (await world.get('/sim-1/files?card=1')).body;
  const { status } = await world.get(`${content(data[0].path)}&card=1`);
  t.equal(status, 200, 'what was fetched from the first one stays');
});

t.test('limits of a day and of the disk end a run, which goes on the next day', async (t) => {
  const world = await mirrorWorld(t, { max_mb_per_day: 1 });
  for (const [seed, name] of ['a', 'b', 'c'].entries())
    world.meter.card.addFile(`/JOB/${name}`, { bytes: 600_000, seed }, world.clock.now());
  t.match((await mirrored(world)).result, { fetched: 1, stopped: /MB of today/ });
  t.match((await mirrored(world)).result, { fetched: 0, stopped: /MB of today/ });
  await world.clock.advance(86_400_000);
  t.match((await mirrored(world)).result, { fetched: 2, stopped: null }, 'half a file was here already');
  world.meter.card.addFile('/JOB/d', { bytes: 600_000, seed: 9 }, world.clock.now());
  await world.put('/sim-1/config', { mirror: { max_mb_per_day: 0, max_gb: 0.001 } });
  t.match((await mirrored(world)).result, { stopped: /max_gb/ });
});

t.test('it runs by itself, and sends an event for each file', async (t) => {
  const world = await mirrorWorld(t);
  world.meter.card.addFile('/JOB/a', { bytes: 10, seed: 1 }, world.clock.now());
  await world.put('/sim-1/config', { mirror: { enabled: true, every: '10m' } });
  await world.clock.advance(61_000);
  await world.until('the file comes', () => retrieved(world).some((line) => line.includes('/JOB/a')));
  const [job] = (await world.get('/_jobs?kind=mirror')).body.data;
  t.match(await endedJob(world, job.id), { state: 'done', result: { fetched: 1, growing: 0 } });
  t.match((await world.get('/sim-1/files')).body.data, [{ path: '/JOB/a', state: 'complete' }]);
  await world.put('/sim-1/config', { ftp_enabled: false });
  t.match(await world.post('/sim-1/mirror'), { status: 403, body: { code: 'FTP_DISABLED' } });
  t.match(await world.post('/nobody/mirror'), { status: 404 });
});

t.test(
  'FTP of the meter is switched on for a run where it is off, and is off again afterwards, also when a restart is between',
  async (t) => {
    const world = await mirrorWorld(t);
    const { card, log } = world.meter;
    card.addFile('/JOB/a', { bytes: 100_000, seed: 1 }, world.clock.now());
    await world.post('/sim-1/ftp/disable');
    t.match(await mirrored(world), { state: 'done', result: { fetched: 1 } });
    t.equal(world.meter.read('FTP'), 'Off');
    await world.ftpOn();
    log.clear();
    await mirrored(world);
    t.equal(world.meter.read('FTP'), 'On', 'one that was on stays on');
    t.notOk(log.commands.some((command) => command.startsWith('FTP,')));

    await world.post('/sim-1/ftp/disable');
    card.addFile('/JOB/b', { bytes: 3_000_000, seed: 2 }, world.clock.now());
    const { body } = await world.post('/sim-1/mirror');
    await world.until('the file comes', () => retrieved(world).some((line) => line.includes('/JOB/b')));
    await world.restart(1_000);
    t.match(await endedJob(world, body.job), { state: 'done' });
    t.equal(world.meter.read('FTP'), 'Off');
  },
);

t.test('FTP that a person switches on during a run stays on after the run, also after a restart', async (t) => {
  const world = await mirrorWorld(t);
  const { card } = world.meter;
  await world.post('/sim-1/ftp/disable');
  for (const isRestarted of [false, true]) {
    card.addFile(`/JOB/${isRestarted}`, { bytes: 3_000_000, seed: 1 }, world.clock.now());
    const { body } = await world.post('/sim-1/mirror');
    await world.until('the file comes', () => retrieved(world).some((line) => line.includes(`/JOB/${isRestarted}`)));
    t.equal((await world.post('/sim-1/ftp/enable')).status, 200);
    if (isRestarted) await world.restart(1_000);
    t.match(await endedJob(world, body.job), { state: 'done' });
    t.equal(world.meter.read('FTP'), 'On');
    await world.post('/sim-1/ftp/disable');
  }
});

t.test('a full disk ends a run with the reason, fetched files stay, and the next run goes on', async (t) => {
  const crowded = await mirrorWorld(t, {}, {}, { plugin_settings: { mirror: { min_free_mb: 10_000_000 } } });
  crowded.meter.card.addFile('/JOB/a', { bytes: 100, seed: 1 }, crowded.clock.now());
  t.match((await mirrored(crowded)).result, { fetched: 0, stopped: /^Less than 10000000 MB would be free/ });

  const world = await mirrorWorld(t);
  for (const [seed, name] of ['a', 'b', 'c'].entries())
    world.meter.card.addFile(`/JOB/${name}`, { bytes: 30_000, seed }, world.clock.now());
  const place = copyPlaceOf(join(world.dataDir, 'data', 'plugins', 'mirror'), 'sim-1', 1, '/JOB/b');
  await makeRoom(place);
  // Every write to it says that the disk is full.
  await symlink('/dev/full', place.half);
  t.match(await mirrored(world), {
    state: 'done',
    result: { fetched: 1, stopped: 'The disk of the gateway is full.' },
  });
  await rm(place.half);
  t.match((await mirrored(world)).result, { fetched: 2, stopped: null });
});

t.test('a card that is exchanged between listing and transfer replaces no copy', async (t) => {
  const world = await mirrorWorld(t);
  const { card, log } = world.meter;
  const day = 86_400_000;
  const first = Buffer.alloc(50_000, 'first\r\n');
  // A file that stays shows that the card is the same.
  card.addFile('/JOB/same.rnd', Buffer.alloc(10, 's'), world.clock.now() - 3 * day);
  card.addFile('/JOB/a.rnd', first, world.clock.now() - 3 * day);
  await mirrored(world);
  card.addFile('/JOB/a.rnd', Buffer.concat([first, first]), world.clock.now() - 2 * day);
  const unfollow = log.follow((event) => {
    if (event.kind !== 'ftp' || !event.text.startsWith('> RETR')) return;
    unfollow();
    card.addFile('/JOB/a.rnd', Buffer.alloc(200_000, 'other'), world.clock.now());
  });
  t.match(await mirrored(world), { state: 'failed', error: { code: 'FTP_FAILED', detail: /card was changed while/ } });
  t.ok((await fetched(world, content('/JOB/a.rnd'))).bytes.equals(first), 'what was here of the other one is here');

  // A new file whose time is another one in the second listing.
  card.addFile('/JOB/b.rnd', Buffer.alloc(1_000, 'b'), world.clock.now() - 2 * day);
  const end = log.follow((event) => {
    if (event.kind !== 'ftp' || !event.text.startsWith('> RETR /JOB/b')) return;
    end();
    card.addFile('/JOB/b.rnd', Buffer.alloc(1_000, 'c'), world.clock.now() - day);
  });
  await mirrored(world);
  const state = async () =>
    (await world.get('/sim-1/files')).body.data.find(({ path }: { path: string }) => path === '/JOB/b.rnd')?.state;
  t.equal(await state(), 'growing');
  await mirrored(world);
  t.equal(await state(), 'complete');
  t.ok((await fetched(world, content('/JOB/b.rnd'))).bytes.equals(Buffer.alloc(1_000, 'c')));
});

t.test('other folders in the config are no other card', async (t) => {
  const world = await mirrorWorld(t);
  const { card } = world.meter;
  card.addFile('/JOB/a.rnd', { bytes: 100, seed: 1 }, world.clock.now());
  card.addFile('/OTHER/b.rnd', { bytes: 100, seed: 2 }, world.clock.now());
  await mirrored(world);
  await world.put('/sim-1/config', { mirror: { paths: ['/OTHER'] } });
  t.match((await mirrored(world)).result, { card: 1, fetched: 1 });
});

t.test('a run that a person starts does not wait behind the background reads of a recorded stream', async (t) => {
  const world = await openWorld(t);
  await world.put('/sim-1/config', { history: 'stream', mirror: { paths: ['/JOB'], parse: false } });
  world.meter.card.addFolder('/JOB', world.clock.now());
  await world.until('the stream runs', () => world.meter.log.commands.some((line) => line.startsWith('DRD?')));
  const before = world.clock.elapsed();
  t.match(await mirrored(world), { state: 'done', result: { listed: 0 } });
  t.ok(world.clock.elapsed() - before < 40_000, `${world.clock.elapsed() - before} ms`);
});
