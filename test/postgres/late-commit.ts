/** A server goes on with a commit after nobody waits for it. Its standby or disk may have been blocked for a while. */
import pg from 'pg';
import t, { type Test } from 'tap';
import { databaseAddress } from '../../lib/domain/database-address.ts';
import { createEventStream } from '../../lib/events/stream.ts';
import { JOBS, jobMigrations, openJobs } from '../../lib/jobs/index.ts';
import { WRITE_MS } from '../../lib/store/commits.ts';
import { CycleStore } from '../../plugins/campaign/cycles/cycle-store.ts';
import { CAMPAIGN_MIGRATIONS, TABLES } from '../../plugins/campaign/tables.ts';
import { VirtualClock } from '../../simulator/clock.ts';
import { config, folder, until } from '../store/setup.ts';
import { freshDatabase, inDatabase } from '../support/postgres.ts';

const HOLD = 42;

async function opened(t: Test) {
  const url = await freshDatabase(t);
  const place = folder(t);
  const timer = new VirtualClock();
  const store = await place.open({ server: databaseAddress(url), timer });
  const holder = new pg.Client(url);
  await holder.connect();
  t.teardown(() => holder.end());
  /** Changes of this table, or their commits, do not end before they are let go. */
  const hold = async (table: string, what: 'change' | 'commit' = 'commit') => {
    await holder.query(`create function held() returns trigger language plpgsql
      as $$ begin perform pg_advisory_xact_lock(${HOLD}); return null; end $$`);
    await holder.query(`create constraint trigger held after insert or update on ${table}
      deferrable initially ${what === 'commit' ? 'deferred' : 'immediate'} for each row execute function held()`);
    await holder.query(`select pg_advisory_lock(${HOLD})`);
  };
  const isHeld = async () =>
    (await inDatabase(url, "select from pg_locks where locktype = 'advisory' and not granted")).length > 0;
  /** `meanwhile`: half of the time later. */
  const refused = async (change: Promise<unknown>, meanwhile = async () => {}) => {
    const late = t.rejects(change, { code: 'STORAGE_FAILED', message: /may have been stored: look/ });
    while (!(await isHeld())) await new Promise((resolve) => setTimeout(resolve, 20));
    await timer.advance(WRITE_MS / 2 - 1);
    const other = meanwhile();
    other.catch(() => {});
    await timer.advance(WRITE_MS / 2 + 1);
    await late;
    await other;
    // The sign of life that came meanwhile waits for it, too, and is given up; the next one has not come.
    await timer.advance(WRITE_MS - 1);
  };
  const letGo = async () => {
    await holder.query(`select pg_advisory_unlock(${HOLD})`);
    while (await isHeld()) await new Promise((resolve) => setTimeout(resolve, 20));
  };
  /** Looks again and again. */
  const looksUntil = async (isSo: () => boolean | Promise<boolean>) => {
    for (let tries = 0; tries < 40 && !(await isSo()); tries += 1) {
      await place.clock.advance(5_000);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  };
  return { ...place, url, store, hold, refused, letGo, looksUntil };
}

t.test('a change that the server stores after the first look is found all the same', async (t) => {
  const { store, hold, refused, letGo, looksUntil } = await opened(t);
  const port = (tcpPort: number) => store.configs.change('roof', () => config('roof', { tcpPort }));
  await port(1);
  await hold('device_config');
  await refused(port(2));
  let looks = 0;
  await looksUntil(() => ++looks > 3);
  t.equal(store.configs.get('roof')?.tcpPort, 1);
  await t.rejects(port(3), { code: 'STORAGE_FAILED' }, 'what is not known is not changed');
  await letGo();
  await looksUntil(() => store.configs.get('roof')?.tcpPort === 2);
  t.equal(store.configs.get('roof')?.tcpPort, 2, 'who looks sees what is kept');
  await port(3);
  t.equal(store.configs.get('roof')?.tcpPort, 3);
});

t.test('a job that was refused and is stored after the first look is not done by the next start', async (t) => {
  const { store, clock, log, url, hold, refused, letGo, looksUntil } = await opened(t);
  const tables = await store.tables('job', [JOBS], jobMigrations);
  const done: unknown[] = [];
  const start = async () => {
    const jobs = await openJobs({ tables, events: createEventStream(clock, log), clock, log });
    t.teardown(() => jobs.close());
    jobs.kind({ name: 'demo', run: async ({ input }) => void done.push(input) });
    await jobs.begin();
    return jobs;
  };
  const jobs = await start();
  await hold('job');
  await refused(jobs.start('demo', 'roof', 'refused'));
  let looks = 0;
  await looksUntil(() => ++looks > 3);
  await letGo();
  const isEnded = async () => (await inDatabase(url, "select from job where state = 'failed'")).length > 0;
  await looksUntil(isEnded);
  t.ok(await isEnded(), 'it ends as failed');
  await jobs.close();
  const next = await start();
  await next.start('demo', 'roof', 'wanted');
  await until(() => done.includes('wanted'));
  t.strictSame(done, ['wanted']);
});

t.test('the last measurement of a unit that is removed meanwhile does not come back', async (t) => {
  const { store, clock, url, hold, refused, letGo, looksUntil } = await opened(t);
  const cycles = new CycleStore(await store.tables('campaign', TABLES, CAMPAIGN_MIGRATIONS), clock);
  t.teardown(() => cycles.close());
  const kept = async () =>
    (await inDatabase(url, 'select store_name from campaign_cycle')).map((row) => Object.values(row).join());
  const put = (unitId: string, storeName: string) => cycles.put({ unitId, storeName, startedAt: 1, profile: null });
  await put('roof', '0001');
  await hold('campaign_cycle');
  await refused(put('roof', '0002'));
  t.equal(cycles.find('roof')?.storeName, '0002', 'the meter has measured it');
  await t.rejects(cycles.forget('roof'), { code: 'STORAGE_FAILED' }, 'it may still be stored');
  let looks = 0;
  await looksUntil(() => ++looks > 3);
  await letGo();
  await looksUntil(async () => (await kept()).length === 0);
  t.strictSame(await kept(), []);
  await put('roof', '0003');
  t.strictSame(await kept(), ['0003']);
});

t.test('a change that is given up takes no connection from the next one', async (t) => {
  const { store, hold, refused, letGo } = await opened(t);
  const secrets = store.secrets('demo');
  await hold('device_config', 'change');
  await refused(
    store.configs.change('roof', () => config('roof')),
    () => secrets.put('token', 'kept'),
  );
  t.equal(await secrets.get('token'), 'kept');
  await letGo();
});
