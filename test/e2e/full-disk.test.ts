/** The disk of the data folder is full: the whole gateway says so, measures on, and recovers by itself. */
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { fill, smallDisk } from '../support/small-disk.ts';
import { openWorld } from '../support/world.ts';

t.test('with a full disk, changes are refused with the reason and /readyz reports it, until it has room', async (t) => {
  const place = await smallDisk(t, 8);
  if ('reason' in place) {
    t.comment(`not tried: ${place.reason}`);
    return;
  }
  const world = await openWorld(t, { settings: { data_dir: join(place.disk, 'data') } });
  if (world.databaseUrl !== '') {
    t.comment('not tried: changes are not on this disk');
    return;
  }
  const probe = async (path: string) => {
    const response = await fetch(new URL(path, world.base));
    return { status: response.status, body: await response.json() };
  };
  // Time stands still: what tidies up now and then would make a little room. So no meter may be asked for this one.
  await world.put('/gate/config', { host: '192.0.2.1', tcp_enabled: false });
  const change = (port: number) => world.asked('PUT', '/gate/config', { json: { ftp_port: port } });
  t.match(await probe('/readyz'), { status: 200 });
  const filler = join(place.disk, 'filler');
  await fill(filler);

  t.equal((await world.get('/sim-1/live')).status, 200, 'a full disk is no reason not to measure');
  // The file of the last changes has some room of its own.
  for (let port = 2_000; world.gateway.store.trouble() === undefined && port < 3_000; port += 1) await change(port);
  t.ok(world.gateway.store.trouble(), 'then nothing can be written');
  const before = (await world.asked('GET', '/gate/config')).body.data.ftp_port;
  for (let port = 3_001; port < 3_004; port += 1) {
    const { status, body } = await change(port);
    t.match({ status, code: body.code }, { status: /^50[37]$/, code: /^STORAGE_(FULL|FAILED)$/ });
  }
  t.match((await world.asked('DELETE', '/gate/config')).body.code, /^STORAGE_/);
  t.equal((await world.asked('GET', '/gate/config')).body.data.ftp_port, before, 'what was refused was not done');
  t.match(await probe('/readyz'), { status: 503, body: { code: 'NOT_READY', detail: /disk|database/ } });
  t.match(await probe('/health'), {
    body: { status: 'degraded', problems: [{ part: 'audit log' }, { part: 'database' }] },
  });
  const viewer = await world.watch('/sim-1/live');
  await world.until('frames flow', () => viewer.frames.length > 3);
  viewer.socket.terminate();

  await rm(filler, { recursive: true });
  await world.until('it recovers', () => world.gateway.store.trouble() === undefined);
  t.match(await probe('/readyz'), { status: 200 });
  t.equal((await change(3_021)).status, 200);
  t.same(await world.passing(world.gateway.stop()), [], 'a clean stop');
});

t.test(
  'every door reports a history without room; when there is room again, it records within two seconds',
  async (t) => {
    const place = await smallDisk(t, 24);
    if ('reason' in place) {
      t.comment(`not tried: ${place.reason}`);
      return;
    }
    // Room is kept free for the database, so that only the history is concerned.
    const data_dir = join(place.disk, 'data');
    const world = await openWorld(t, { settings: { data_dir, history_min_free_mb: 10 } });
    await world.configure('sim-1', world.meter, { history: 'stream' });
    const rule = { name: 'Not recorded', kind: 'device', condition: 'not_recorded', units: ['sim-1'], for: '0s' };
    t.equal((await world.post('/_alerts/rules', rule)).status, 201);
    const probe = async (path: string) => {
      const response = await fetch(new URL(path, world.base));
      return { status: response.status, body: await response.json() };
    };
    const metric = async () =>
      /slm_part_working\{part="history"\} (\d)/.exec(await (await fetch(new URL('/metrics', world.base))).text())?.[1];
    const measured = async () => (await world.gateway.history.extent('sim-1')).series[0]?.measured ?? 0;
    const { history } = world.gateway;
    while ((await measured()) < 5) await world.pass(500);
    t.match(await probe('/readyz'), { status: 200 });
    t.equal(await metric(), '1');

    const filler = join(place.disk, 'filler');
    await mkdir(filler);
    await writeFile(join(filler, 'all'), Buffer.alloc(15_500_000));
    await world.until('no room is noticed', () => history.status.state === 'full');
    t.match(await probe('/readyz'), { status: 503, body: { code: 'NOT_READY', detail: /No levels are recorded/ } });
    t.match(await probe('/health'), { body: { status: 'degraded', problems: [{ part: 'history' }] } });
    t.equal(await metric(), '0');
    t.match((await world.get('/sim-1/history/extent')).body.data.recording, { state: 'full' });
    const isOpen = async () => (await world.get('/_alerts/events?open=true')).body.data.length > 0;
    while (!(await isOpen())) await world.pass(1_000);

    const before = await measured();
    await rm(filler, { recursive: true });
    const from = world.clock.elapsed();
    await world.until('it records', () => history.status.state === 'recording');
    t.ok(world.clock.elapsed() - from <= 2_000, `${world.clock.elapsed() - from} ms`);
    while ((await measured()) <= before) await world.pass(100);
    t.match(await probe('/readyz'), { status: 200 });
    t.equal(await metric(), '1');
    while (await isOpen()) await world.pass(1_000);
  },
);
