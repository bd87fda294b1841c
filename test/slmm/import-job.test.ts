/** The import as a job: large databases, one at a time, cancelled, and what is left of the file. */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import t, { type Test } from 'tap';
import { slm } from '../cli/setup.ts';
import { openWorld, type World } from '../support/world.ts';
import { writeDatabase } from './database.ts';

const HEADERS = { 'Content-Type': 'application/vnd.sqlite3' };
const folderOf = (world: World) => join(world.dataDir, 'data', 'plugins', 'slmm');

/** Lines of the log that make a database large: above 4 MB the answer does not wait. */
const MANY_LINES = 5_000;

/** A database with so many units, all switched off. The first has readings; the log has lines of 1 kB. */
function largeDatabase(t: Test, units: number, readings = 0, lines = 0): string {
  const path = writeDatabase(join(t.testdir({}), 'slmm.db'), {});
  const database = new Database(path);
  const unit = database.prepare(
    'insert into nl43_config (unit_id, host, tcp_enabled, monitor_enabled) values (?, ?, 0, 0)',
  );
  const reading = database.prepare('insert into nl43_readings (unit_id, timestamp, lp) values (?, ?, ?)');
  const line = database.prepare('insert into device_logs (unit_id, message) values (?, ?)');
  const first = Date.UTC(2026, 5, 10);
  database.transaction(() => {
    for (let number = 0; number < units; number++) unit.run(`unit-${number}`, '192.0.2.1');
    for (let number = 0; number < readings; number++) {
      const at = new Date(first + number * 1_000).toISOString().replace('T', ' ').slice(0, 19);
      reading.run('unit-0', at, '50.0');
    }
    for (let number = 0; number < lines; number++) line.run('unit-0', 'x'.repeat(1_000));
  })();
  database.close();
  return path;
}

const send = (world: World, path: string, query = '') =>
  fetch(`${world.base}/_import/slmm${query}`, { method: 'POST', headers: HEADERS, body: readFileSync(path) });

async function ended(world: World, id: string) {
  for (;;) {
    const { body } = await world.get(`/_jobs/${id}`);
    if (!['queued', 'running'].includes(body.data.state)) return body.data;
  }
}

t.test('300,000 units: the answer is a job, bounded and told; a second one meanwhile is refused', async (t) => {
  const world = await openWorld(t, { meters: 0 });
  const path = largeDatabase(t, 300_000);
  const answer = await world.passing(send(world, path, '?check=true'));
  t.equal(answer.status, 202);
  const { message, job, data } = (await answer.json()) as { message: string; job: string; data?: unknown };
  t.match(message, /is being checked; job \d+ shows/);
  t.equal(data, undefined);
  t.match(answer.headers.get('location'), new RegExp(`/_jobs/${job}$`));
  const second = await world.passing(send(world, path));
  t.equal(second.status, 409);
  t.match(await second.json(), { code: 'JOB_RUNNING' });
  const done = await ended(world, job);
  t.match(done, {
    state: 'done',
    kind: 'slmm-import',
    unit_id: null,
    progress: { unit: 'rows', done: 10_000, total: 10_000 },
  });
  t.match(done.message, '10000 units, 0 rules, 0 events and 0 readings would be taken over.');
  t.match(done.result.taken, { units: 10_000, rules: 0, events: 0, readings: 0 });
  t.ok(done.result.left.includes('290000 rows of nl43_config: one import takes at most 10000.'));
  t.same((await world.get('')).body.units, []);
  t.same(readdirSync(folderOf(world)), [], 'the file is gone');
});

t.test('slm follows a large import to its end and prints the same report', async (t) => {
  const world = await openWorld(t, { meters: 0 });
  const path = largeDatabase(t, 3, 8_000, MANY_LINES);
  const checked = await slm(world, `import-slmm ${path} --check`);
  t.match(checked, { code: 0, out: /^3 units, 0 rules, 0 events and 8000 readings would be taken over\./ });
  t.match(checked.err, /slmm-import: running/);
  const { code, out } = await slm(world, `import-slmm ${path}`);
  t.equal(code, 0);
  t.equal(checked.out.replace('would be', 'were'), out);
  const again = await slm(world, `import-slmm ${path} --json`);
  t.match(again.json, { taken: { units: 0, readings: 0 } });
  t.ok(again.json.left.includes('8000 readings existed already.'));
});

t.test('a small import is answered at its end, with its job', async (t) => {
  const world = await openWorld(t, { meters: 0 });
  const answer = await world.passing(send(world, largeDatabase(t, 2)));
  t.equal(answer.status, 200);
  const body = (await answer.json()) as { job: string };
  t.match(body, { data: { taken: { units: 2 } } });
  t.match(await ended(world, body.job), { state: 'done', result: { taken: { units: 2 } } });
});

t.test('a cancelled import stops, removes its file, and the next one goes on where it stopped', async (t) => {
  const world = await openWorld(t, { meters: 0 });
  const path = largeDatabase(t, 20, 0, MANY_LINES);
  // The sixth unit waits until the job was cancelled.
  const { configs } = world.gateway.store;
  const held = Promise.withResolvers<void>();
  const change = configs.change.bind(configs);
  const waiting: typeof change = async (unitId, next) => {
    if (unitId === 'unit-5') await held.promise;
    return change(unitId, next);
  };
  Object.assign(configs, { change: waiting });
  const { job } = (await (await world.passing(send(world, path))).json()) as { job: string };
  await world.until('five units', () => configs.list().length === 5);
  await world.delete(`/_jobs/${job}`);
  held.resolve();
  t.match(await ended(world, job), { state: 'cancelled' });
  await world.until('the file is gone', () => readdirSync(folderOf(world)).length === 0);
  t.equal(configs.list().length, 6);
  t.match(await slm(world, `import-slmm ${path}`), { code: 0, out: '14 units, 0 rules' });
});

t.test('the next start removes the file of a killed process, because it has passwords', async (t) => {
  const world = await openWorld(t, { meters: 0 });
  const folder = folderOf(world);
  mkdirSync(folder, { recursive: true });
  for (const name of ['import-1.db', 'import.db', 'import.db-journal']) writeFileSync(join(folder, name), 'password');
  await world.restart(0);
  t.notOk(existsSync(join(folder, 'import.db')));
  t.same(readdirSync(folder), []);
});
