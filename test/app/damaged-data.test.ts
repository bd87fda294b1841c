/**
 * A page of a database that cannot be read: a request for it gets an error with advice. The health of the gateway names it,
 * and all else works.
 */
import { closeSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import t, { type Test } from 'tap';
import { type Gateway, startGateway } from '../../lib/app/gateway.ts';
import { createLog } from '../../lib/log.ts';

const PAGE = 4_096;
const FROM = Date.UTC(2026, 0, 1);
const MINUTES = 40_000;

const start = (folder: string) =>
  startGateway(
    { port: 0, data_dir: join(folder, 'data'), key_file: join(folder, 'key') },
    { log: createLog('silent') },
  );

async function asked(url: string, init: RequestInit = {}) {
  const answer = await fetch(url, init);
  return { status: answer.status, body: await answer.json() };
}

const put = (url: string, body: object) =>
  asked(url, { method: 'PUT', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) });

/** A folder of a gateway that was used and has stopped. */
async function used(t: Test, use: (gateway: Gateway) => Promise<void>): Promise<string> {
  const folder = t.testdir();
  const gateway = await start(folder);
  for (const unit of ['roof', 'yard'])
    t.match(await put(`${gateway.baseUrl}/${unit}/config`, { host: '192.0.2.1', tcp_enabled: false }), { status: 200 });
  await use(gateway);
  await gateway.stop();
  return folder;
}

/** Overwrites leaf pages of a table, in the order of its keys: the first ones, or all. */
function damage(path: string, table: string, count = Number.MAX_SAFE_INTEGER): void {
  const database = new Database(path);
  const pages = database
    .prepare<[string, number], number>(
      "select pageno from dbstat where name = ? and pagetype = 'leaf' order by path limit ?",
    )
    .pluck()
    .all(table, count);
  database.close();
  const file = openSync(path, 'r+');
  for (const page of pages) writeSync(file, Buffer.alloc(PAGE, 0xff), 0, PAGE, (page - 1) * PAGE);
  closeSync(file);
  // A change by somebody else: who has the file open reads its pages again.
  const other = new Database(path);
  other.pragma('user_version = 1');
  other.close();
}

/** `/health` and `/readyz` report this part. */
async function isReported(t: Test, { baseUrl }: Gateway, part: string): Promise<void> {
  const health = await asked(`${new URL(baseUrl).origin}/health`);
  t.match(health.body, { status: 'degraded', problems: [{ part, detail: /is damaged.*[Rr]estore a backup/ }] });
  t.equal((await asked(`${new URL(baseUrl).origin}/readyz`)).status, 503);
}

t.test('when levels of one unit cannot be read, its history is 503 and that of the others is answered', async (t) => {
  const rows = Array.from({ length: MINUTES / 10 }, (_, n) => ({ at: FROM / 1_000 + n * 60, duration: 60, leq: 60 }));
  async function* pages() {
    yield rows;
  }
  const folder = await used(t, async ({ history }) => {
    for (const unitId of ['roof', 'yard'])
      await history.import({ unitId, weighting: { frequency: 'A', time: 'F' } }, pages());
  });
  const path = join(folder, 'data', 'history.db');
  const database = new Database(path);
  const known = database.prepare<[], string>('select unit_id from history_series order by id').pluck().all();
  database.close();
  t.equal(known[0], 'roof');
  damage(path, 'history_interval', 2);
  const gateway = await start(folder);
  t.teardown(() => gateway.stop());
  const query = 'history?from=2026-01-01T00:00:00Z&to=2026-01-01T01:00:00Z&step=1h';
  t.match(await asked(`${gateway.baseUrl}/roof/${query}`), {
    status: 503,
    body: { code: 'STORAGE_FAILED', detail: /damaged.*Restore a backup/ },
  });
  await isReported(t, gateway, 'history');
  const other = await asked(`${gateway.baseUrl}/yard/${query}`);
  t.match(other, { status: 200, body: { data: { rows: [['2026-01-01T00:00:00Z', 60]] } } });
});

t.test('when a page of the gateway database is damaged while it runs, other pages are read and changed', async (t) => {
  const folder = await used(t, async ({ baseUrl }) => {
    t.match(await put(`${baseUrl}/_stations/roof`, { title: 'Roof' }), { status: 201 });
  });
  const path = join(folder, 'data', 'gateway.db');
  const database = new Database(path);
  const add = database.prepare(
    'insert into stations_observation (station, at, duration, rain) values (?, ?, 60000, 1)',
  );
  database.transaction(() => {
    for (let n = 0; n < MINUTES; n++) add.run('roof', FROM + n * 60_000);
  })();
  database.pragma('wal_checkpoint(truncate)');
  database.close();
  const gateway = await start(folder);
  t.teardown(() => gateway.stop());
  damage(path, 'stations_observation');
  const query = `observations?from=2026-01-01T00:00:00Z&to=2026-01-20T00:00:00Z&step=1d`;
  t.match(await asked(`${gateway.baseUrl}/_stations/roof/${query}`), {
    status: 503,
    body: { code: 'STORAGE_FAILED', detail: /gateway\.db is damaged/ },
  });
  await isReported(t, gateway, 'database');
  t.equal((await put(`${gateway.baseUrl}/yard/config`, { timezone: 'Europe/Berlin' })).status, 200);
  await isReported(t, gateway, 'database');
});
