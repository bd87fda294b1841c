/** A disk that is full: changes are refused with the reason, nothing hangs, and all goes on by itself once there is room. */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { MikroORM, type SqliteConnection } from '@mikro-orm/sqlite';
import t, { type Test } from 'tap';
import { createLog } from '../../lib/log.ts';
import { Commits, WRITE_MS } from '../../lib/store/commits.ts';
import { sqliteMedium } from '../../lib/store/sqlite.ts';
import { VirtualClock } from '../../simulator/clock.ts';
import { fill, smallDisk } from '../support/small-disk.ts';
import { config, folder, until } from './setup.ts';

t.test('a full disk: changes get 507 or 503, and after there is room everything goes on', async (t) => {
  const { open, clock, lines } = folder(t);
  const place = await smallDisk(t, 4);
  if ('reason' in place) {
    t.comment(`not tried: ${place.reason}`);
    return;
  }
  const { disk } = place;
  const store = await open({ dataDir: join(disk, 'data') });
  const units = Array.from({ length: 40 }, (_, index) => `unit-${index}`);
  for (const unit of units) await store.configs.change(unit, () => config(unit));
  t.equal(store.trouble(), undefined);
  const filler = join(disk, 'filler');
  await fill(filler);

  for (const unit of units) store.snapshots.record(unit, { lp: '51.2' });
  await clock.advance(1_000);
  await until(() => lines.some((line) => line.includes('could not be written')));
  t.match(store.trouble(), /^(The disk of the data folder is full|The database cannot be written).*\.$/);
  for (const unit of units.slice(0, 6))
    await t.rejects(
      store.configs.change(unit, () => config(unit, { host: 'a'.repeat(250) })),
      { name: 'GatewayError', code: /^STORAGE_(FULL|FAILED)$/ },
    );
  await t.rejects(store.configs.remove('unit-7'), { code: /^STORAGE_/ });
  t.ok(store.configs.get('unit-7'), 'and what was refused was not done');
  t.equal(store.configs.get('unit-0')?.host, config('unit-0').host);
  t.equal(store.snapshots.get('unit-3').lp, '51.2', 'values are kept in memory meanwhile');

  await rm(filler, { recursive: true });
  await clock.advance(5_000);
  await until(() => store.trouble() === undefined);
  t.equal((await store.configs.change('unit-0', () => config('unit-0', { tcpPort: 9 }))).tcpPort, 9);
  await clock.advance(60_000);
  await store.close();
  const again = await open({ dataDir: join(disk, 'data') });
  t.equal(again.snapshots.get('unit-3').lp, '51.2', 'the values of the bad time were written too');
  t.equal(again.configs.get('unit-0')?.tcpPort, 9);
});

/** Commits on a database of a few pages: SQLite calls it full, whoever runs the test. */
async function limited(t: Test) {
  const orm = await MikroORM.init({
    entities: [],
    discovery: { warnWhenNoEntities: false },
    dbName: join(t.testdir(), 'small.db'),
    ensureDatabase: false,
  });
  const native = await (orm.em.getConnection() as SqliteConnection).getNativeClient();
  native.pragma('journal_mode = wal');
  native.exec('create table text (body blob)');
  const clock = new VirtualClock();
  const probe = async () => void native.exec('insert into text values (zeroblob(1))');
  const commits = new Commits({ medium: sqliteMedium(orm, native), clock, log: createLog('silent'), probe });
  t.teardown(() => orm.close(true));
  const add = (bytes: number) =>
    commits.commit('full', async (em) => em.getConnection().execute(`insert into text values (zeroblob(${bytes}))`));
  const pages = (count: number) => native.pragma(`max_page_count = ${count}`);
  return { commits, native, clock, add, pages };
}

t.test('a transaction that fails because all is full leaves the connection to the next one', async (t) => {
  const { commits, native, clock, add, pages } = await limited(t);
  await add(10);
  pages(3);
  for (let index = 0; index < 6; index += 1)
    await t.rejects(add(100_000), { code: 'STORAGE_FULL', status: 507, message: /disk .* is full/ });
  t.match(commits.trouble, /full/);
  t.equal(native.inTransaction, false);
  pages(1_000);
  await clock.advance(5_000);
  await until(() => commits.trouble === undefined);
  await add(100_000);
});

t.test('a change that fails for another reason has its reason, is undone, and is no disk trouble', async (t) => {
  const { commits, native, add } = await limited(t);
  const broken = commits.commit('full', async (em) => {
    await em.getConnection().execute('insert into text values (1)');
    throw new Error('not this one');
  });
  await t.rejects(broken, { message: 'not this one' });
  t.equal(commits.trouble, undefined);
  t.equal(native.prepare('select count(*) from text').pluck().get(), 0);
  await add(1);
});

t.test('work that never ends is given up after its time, and those behind it get their turn', async (t) => {
  const { commits, native, clock, add } = await limited(t);
  const endless = commits.commit('full', async (em) => {
    await em.getConnection().execute('insert into text values (1)');
    await new Promise(() => {});
  });
  const refused = t.rejects(endless, { code: 'STORAGE_FAILED', message: /within 10 s/ });
  await clock.advance(WRITE_MS);
  await refused;
  await add(1);
  t.equal(native.prepare('select count(*) from text').pluck().get(), 1, 'and leaves nothing behind');
});

t.test('reading that never ends is given up after its time, too, and those behind it get their turn', async (t) => {
  const { commits, clock, add } = await limited(t);
  const refused = t.rejects(
    commits.withoutTransaction(() => new Promise(() => {})),
    { code: 'STORAGE_FAILED', message: /within 10 s/ },
  );
  await clock.advance(WRITE_MS);
  await refused;
  const next = add(1);
  await clock.advance(WRITE_MS);
  await next;
});
