/** Databases that are gone, empty or cut are no new ones: the start stops, names what is missing, and says how to go on. */
import { copyFile, mkdir, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import Database from 'better-sqlite3';
import t, { type Test } from 'tap';
import { type Gateway, startGateway } from '../../lib/app/gateway.ts';
import { verifyFile } from '../../lib/history/sqlite/verify.ts';
import { createLog } from '../../lib/log.ts';
import { VirtualClock } from '../../simulator/clock.ts';
import { deviceConfig } from '../support/config.ts';
import { gatewayProcess } from '../support/gateway-process.ts';

const log = createLog('silent');
const given = (folder: string) => ({
  port: 0,
  data_dir: join(folder, 'data'),
  key_file: join(folder, 'key'),
  allow_loopback_meters: true,
});

const start = (folder: string, more: object = {}) => startGateway({ ...given(folder), ...more }, { log });

const second = (at: number) => ({
  at: 1_764_000_000 + at,
  steps: 10,
  leq: 60,
  lmax: 62,
  lmin: 58,
  lpeak: 75,
  lp: Array(10).fill(60),
});
const record = ({ history }: Gateway, seconds: ReturnType<typeof second>[]) =>
  history.append({ unitId: 'roof', source: 'stream', weighting: { frequency: 'A', time: 'F' }, seconds });
const addRoof = ({ store }: Gateway) => store.configs.change('roof', () => deviceConfig({ tcpEnabled: false }));

/** A folder of a gateway with a unit and some levels. */
async function used(t: Test): Promise<string> {
  const folder = t.testdir();
  const gateway = await start(folder);
  await addRoof(gateway);
  record(
    gateway,
    Array.from({ length: 120 }, (_, at) => second(at)),
  );
  await gateway.history.flush();
  await gateway.stop();
  return folder;
}

const halves = async (path: string) => truncate(path, Math.floor((await stat(path)).size / 2));
const HARMS = {
  gone: (path: string) => rm(path),
  empty: (path: string) => truncate(path, 0),
} as const;

for (const file of ['gateway.db', 'history.db']) {
  for (const [how, harm] of Object.entries(HARMS)) {
    t.test(`${file} is ${how}: the start stops, twice, and goes on with accept_loss`, async (t) => {
      const folder = await used(t);
      await harm(join(folder, 'data', file));
      for (const _ of [1, 2])
        await t.rejects(start(folder), {
          problem: 'lost',
          message: new RegExp(`${file}.*restore.*--accept-loss`, 's'),
        });
      await (await start(folder, { accept_loss: true })).stop();
      // Accepted once is accepted: the next start needs no word.
      await (await start(folder)).stop();
    });
  }

  t.test(`${file} is cut to its half: the start stops`, async (t) => {
    const folder = await used(t);
    await halves(join(folder, 'data', file));
    await t.rejects(start(folder), { problem: 'corrupt', message: /is damaged.*--accept-loss/ });
  });
}

t.test(
  'levels of a young history are soon in the file itself: without its side files they are still there',
  async (t) => {
    const clock = new VirtualClock();
    const folder = t.testdir();
    const gateway = await startGateway(given(folder), { log, clock });
    t.teardown(() => clock.until(gateway.stop()));
    await clock.until(addRoof(gateway));
    let copies = 0;
    /** Of a gateway that was killed now, and whose side files of the history were lost. */
    const measuredWithoutSideFiles = async () => {
      const copy = join(folder, `copy-${++copies}`);
      await mkdir(join(copy, 'data'), { recursive: true });
      await copyFile(join(folder, 'key'), join(copy, 'key'));
      for (const file of ['gateway.db', 'gateway.db-wal', 'history.db'])
        await copyFile(join(folder, 'data', file), join(copy, 'data', file));
      const next = await start(copy);
      const { series } = await next.history.extent('roof');
      await next.stop();
      return series.reduce((sum, one) => sum + one.measured, 0);
    };
    const recorded = async (at: number) => {
      record(gateway, [second(at)]);
      while (gateway.history.status.waiting > 0) await clock.pass(100);
    };
    await recorded(0);
    while ((await measuredWithoutSideFiles()) < 1) await clock.pass(100);
    await recorded(1);
    await clock.pass(10_000);
    // Time stands still now: what was begun within these ten seconds of the clock may need longer on a busy disk.
    let measured = 0;
    while (measured < 2) measured = await measuredWithoutSideFiles();
    t.equal(measured, 2);
  },
);

t.test('a history that has tables but no levels any more is a lost one', async (t) => {
  const folder = await used(t);
  const database = new Database(join(folder, 'data', 'history.db'));
  for (const table of ['history_journal', 'history_series']) database.exec(`delete from ${table}`);
  database.close();
  for (const _ of [1, 2])
    await t.rejects(start(folder), { problem: 'lost', message: /history\.db-wal.*restore.*--accept-loss/s });
  await (await start(folder, { accept_loss: true })).stop();
  await (await start(folder)).stop();
});

t.test('a config of a history that never began is no loss', async (t) => {
  const folder = t.testdir();
  const gateway = await start(folder);
  t.match(await gateway.history.extent('roof'), { series: [] });
  await gateway.stop();
  await (await start(folder)).stop();
});

t.test('a new folder starts, also again before anything was recorded', async (t) => {
  const folder = t.testdir();
  for (const _ of [1, 2]) await (await start(folder)).stop();
});

t.test('a young database is whole without its side files soon after the first change', async (t) => {
  const folder = t.testdir();
  const { ask, kill } = await gatewayProcess(t, folder);
  await ask('PUT', '/roof/config', { host: '127.0.0.1', tcp_enabled: false });
  const path = join(folder, 'data', 'gateway.db');
  while (!(await readFile(path)).includes('127.0.0.1')) await setTimeout(50);
  await kill();
  for (const side of ['-wal', '-shm']) await rm(join(folder, 'data', `gateway.db${side}`), { force: true });
  const gateway = await start(folder);
  t.match(gateway.store.configs.get('roof'), { host: '127.0.0.1' });
  await gateway.stop();
});

t.test('the check of a history counts the rows in its journal, and finds faults there', async (t) => {
  const folder = await used(t);
  const path = join(folder, 'data', 'history.db');
  const found = verifyFile(path);
  t.match(found, { hours: 0, openHours: 1, openSeconds: 120, faults: [] });
  const bytes = await readFile(path);
  const at = bytes.indexOf('{"series"');
  t.ok(at > 0);
  bytes.write('{"sexies"', at);
  await writeFile(path, bytes);
  t.match(verifyFile(path).faults, [/journal/]);
});
