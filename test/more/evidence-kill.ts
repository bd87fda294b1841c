/**
 * A package of evidence whose gateway is killed (SIGKILL) while it is written, and one whose disk gets full: nothing half is ever listed, nothing
 * is left over, and the next one is whole. `npm run test:more`
 */
import { closeSync, existsSync, openSync, readdirSync, readFileSync, rmSync, statSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import t from 'tap';
import { verifyPackage } from '../../plugins/evidence/verify/index.ts';
import { sourceOf } from '../support/evidence.ts';
import { gatewayProcess } from '../support/gateway-process.ts';
import { endedJob, madePackage } from '../support/packages.ts';
import { smallDisk } from '../support/small-disk.ts';
import { openWorld } from '../support/world.ts';

const DAY = Date.UTC(2025, 11, 20);
const MINUTES = 30 * 1_440;
const at = (minute: number) => new Date(DAY - MINUTES * 60_000 + minute * 60_000).toISOString();
const SPAN = { from: at(0), to: at(MINUTES), include: ['levels'] };
/** A month of minutes. */
const ROWS = [
  'start,duration_s,leq,lmax',
  ...Array.from({ length: MINUTES }, (_, minute) => `${at(minute)},60,${40 + ((minute * 7_919) % 400) / 10},90`),
].join('\n');
const CSV = { 'Content-Type': 'text/csv' };

/** Begun, but not yet whole. */
const sizeOf = (path: string) => (existsSync(path) ? statSync(path).size : 0);

t.test('a gateway that is killed while it writes: the package is made after the next start', async (t) => {
  const folder = t.testdir();
  const packages = join(folder, 'data', 'plugins', 'evidence', 'roof');
  let gateway = await gatewayProcess(t, folder);
  const config = { host: '192.0.2.1', tcp_enabled: false, timezone: 'Asia/Kolkata' };
  t.equal((await gateway.ask('PUT', '/roof/config', config)).status, 200);
  const taken = await fetch(`${gateway.base}/roof/history/import`, { method: 'POST', headers: CSV, body: ROWS });
  t.ok(taken.ok, await taken.text());
  const started = await gateway.ask('POST', '/roof/evidence', SPAN);
  t.equal(started.status, 202);
  // Later each time.
  for (const least of [1, 50_000, 200_000]) {
    while (!existsSync(packages) || !readdirSync(packages).some((name) => sizeOf(join(packages, name)) >= least))
      await pause(1);
    await gateway.kill();
    t.notOk(
      readdirSync(packages).some((name) => name.endsWith('.zip')),
      'it was not whole',
    );
    gateway = await gatewayProcess(t, folder);
  }
  const dataOf = async (path: string) => (await gateway.ask('GET', path)).json.data;
  const state = async () => (await dataOf(`/_jobs/${started.json.job}`)).state;
  while (['queued', 'running'].includes(await state())) await pause(20);
  t.equal(await state(), 'done');
  const data = await dataOf('/roof/evidence');
  t.equal(data.length, 1);
  t.strictSame(readdirSync(packages).sort(), [`${data[0].id}.json`, `${data[0].id}.zip`]);
  const bytes = readFileSync(join(packages, `${data[0].id}.zip`));
  t.match(await verifyPackage(sourceOf(bytes)), { outcome: 'whole', differences: [] });
});

t.test(
  'a disk that gets full while a package is written leaves nothing half, and the next package is whole',
  async (t) => {
    const place = await smallDisk(t, 640);
    if ('reason' in place) {
      t.comment(`not tried: ${place.reason}`);
      return;
    }
    const data_dir = join(place.disk, 'data');
    const world = await openWorld(t, { settings: { data_dir } });
    await world.ask('POST', '/sim-1/history/import', { raw: ROWS, headers: CSV });
    const packages = join(data_dir, 'plugins', 'evidence', 'sim-1');
    const begun = await world.post('/sim-1/evidence', SPAN);
    t.equal(begun.status, 202);
    const isWriting = () =>
      existsSync(packages) && readdirSync(packages).some((name) => sizeOf(join(packages, name)) > 0);
    while (!isWriting()) await world.pass(50);
    const filler = join(place.disk, 'filler');
    fillNow(filler);
    const job = await endedJob(world, begun.body.job);
    t.match(job, { state: 'failed', error: { code: 'STORAGE_FULL' } });
    t.strictSame(readdirSync(packages), [], 'nothing is left');
    t.strictSame((await world.get('/sim-1/evidence')).body.data, []);
    t.match((await world.get('/sim-1/live')).status, 200, 'the meter is measured on');

    rmSync(filler);
    await world.until('it recovers', () => world.gateway.store.trouble() === undefined);
    const { id } = await madePackage(world, SPAN);
    const bytes = readFileSync(join(packages, `${id}.zip`));
    t.match(await verifyPackage(sourceOf(bytes)), { outcome: 'whole', differences: [] });
  },
);

/** To the last page, and nobody else's turn comes before it is done. */
function fillNow(path: string): void {
  const file = openSync(path, 'w');
  for (let size = 16_777_216; size >= 4_096; )
    try {
      if (writeSync(file, Buffer.alloc(size)) < size) size /= 2;
    } catch {
      size /= 2;
    }
  closeSync(file);
}
