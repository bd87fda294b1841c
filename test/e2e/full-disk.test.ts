/** The disk of the data folder is full: the whole gateway says so, measures on, and recovers by itself. */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { fill, smallDisk } from '../support/small-disk.ts';
import { openWorld } from '../support/world.ts';

t.test('a full disk refuses changes with the reason, is said by /readyz, and is over when there is room', async (t) => {
  const place = await smallDisk(t, 8);
  if ('reason' in place) {
    t.comment(`not tried: ${place.reason}`);
    return;
  }
  const world = await openWorld(t, { settings: { data_dir: join(place.disk, 'data') } });
  const probe = async (path: string) => {
    const response = await fetch(new URL(path, world.base));
    return { status: response.status, body: await response.json() };
  };
  const change = (port: number) => world.put('/sim-1/config', { ftp_port: port });
  t.match(await probe('/readyz'), { status: 200 });
  const filler = join(place.disk, 'filler');
  await fill(filler);

  t.equal((await world.get('/sim-1/live')).status, 200, 'a full disk is no reason not to measure');
  // The file of the last changes has some room of its own.
  for (let port = 2_000; world.gateway.store.trouble() === undefined && port < 3_000; port += 1) await change(port);
  t.ok(world.gateway.store.trouble(), 'then nothing can be written');
  const before = (await world.get('/sim-1/config')).body.data.ftp_port;
  for (let port = 3_001; port < 3_004; port += 1) {
    const { status, body } = await change(port);
    t.match({ status, code: body.code }, { status: /^50[37]$/, code: /^STORAGE_(FULL|FAILED)$/ });
  }
  t.match((await world.delete('/sim-1/config')).body.code, /^STORAGE_/);
  t.equal((await world.get('/sim-1/config')).body.data.ftp_port, before, 'what was refused was not done');
  t.match(await probe('/readyz'), { status: 503, body: { code: 'NOT_READY', detail: /disk|database/ } });
  t.match(await probe('/health'), { body: { status: 'degraded', problems: [{ part: 'database' }] } });
  const viewer = await world.watch('/sim-1/live');
  await world.until('frames flow', () => viewer.frames.length > 3);
  viewer.socket.terminate();

  await rm(filler, { recursive: true });
  await world.until('it recovers', () => world.gateway.store.trouble() === undefined);
  t.match(await probe('/readyz'), { status: 200 });
  t.equal((await change(3_021)).status, 200);
  t.same(await world.passing(world.gateway.stop()), [], 'a clean stop');
});
