/** Faults of the database of a running gateway: a change is stored, or refused with the reason, and then all works again. */
import { copyFile, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import t, { type Test } from 'tap';
import { databaseAddress } from '../../lib/domain/database-address.ts';
import { WRITE_MS } from '../../lib/store/commits.ts';
import { PostgresLeaseStore } from '../../lib/store/postgres/lease-store.ts';
import { BEAT_MS, GONE_MS } from '../../lib/store/postgres/owner.ts';
import { NOTE_VERSIONS, noteMigrations } from '../../plugins/notes/note.ts';
import { VirtualClock } from '../../simulator/clock.ts';
import { aboutMember } from '../cluster/support/memory-store.ts';
import { config, folder, until } from '../store/setup.ts';
import { freshDatabase, inDatabase } from '../support/postgres.ts';
import { openRelay } from './support/relay.ts';

async function behindRelay(t: Test) {
  const url = await freshDatabase(t);
  const relay = await openRelay(t, url);
  const place = folder(t);
  const timer = new VirtualClock();
  const store = await place.open({ server: databaseAddress(relay.url), timer });
  const change = (tcpPort: number) => store.configs.change('roof', () => config('roof', { tcpPort }));
  return { ...place, url, relay, timer, store, change };
}
const portIn = async (url: string) =>
  (await inDatabase<{ tcp_port: string }>(url, 'select tcp_port from device_config'))[0]?.tcp_port;

t.test('a connection that breaks is opened again by the next change', async (t) => {
  const { url, relay, change } = await behindRelay(t);
  await change(1);
  relay.breakOff();
  await change(2).catch(() => change(2));
  t.equal(await portIn(url), '2');
});

t.test('a connection that hangs half open is given up after its time, and the next change has a new one', async (t) => {
  const { url, relay, timer, store, change } = await behindRelay(t);
  await change(1);
  relay.goSilent();
  const hanging = t.rejects(change(2), { code: 'STORAGE_FAILED', message: /within 10 s/ });
  await timer.advance(WRITE_MS);
  await hanging;
  t.match(store.trouble(), /did not answer within/);
  t.equal(store.configs.get('roof')?.tcpPort, 1);
  await change(3);
  t.equal(store.trouble(), undefined);
  t.equal(await portIn(url), '3');
});

t.test('a change whose answer is lost counts as stored, because it was', async (t) => {
  const { url, relay, store, change } = await behindRelay(t);
  await change(1);
  relay.loseNextCommit();
  await change(2);
  t.equal(store.configs.get('roof')?.tcpPort, 2);
  t.equal(await portIn(url), '2');
});

t.test('where nobody can say whether it was stored, the error says just that', async (t) => {
  const { clock, relay, store, change } = await behindRelay(t);
  await change(1);
  const told: (number | undefined)[] = [];
  store.configs.onChange((_, present) => told.push(present?.tcpPort));
  relay.loseNextCommit();
  const lost = change(2);
  relay.takeNoMore();
  await t.rejects(lost, { code: 'STORAGE_FAILED', message: /it is not known whether the change was stored/ });
  await clock.advance(5_000);
  t.equal(store.configs.get('roof')?.tcpPort, 1, 'the database is still away');
  relay.takeAgain();
  await clock.advance(5_000);
  while (told.length === 0) {
    await new Promise((resolve) => setImmediate(resolve));
    await clock.advance(5_000);
  }
  t.equal(store.configs.get('roof')?.tcpPort, 2, 'a later reader sees the stored value');
  t.strictSame(told, [2], 'and listeners of the configs get it');
});

t.test(
  'a server that is away: changes are refused, last values are kept, and all is written when it is back',
  async (t) => {
    const { url, relay, clock, timer, lines, store, change } = await behindRelay(t);
    await change(1);
    relay.takeNoMore();
    relay.breakOff();
    await t.rejects(change(2), {
      code: 'STORAGE_FAILED',
      status: 503,
      message: /cannot be written .* Nothing was changed\.$/,
    });
    t.match(store.trouble(), /cannot be written/);
    t.notMatch(store.trouble(), /127\.0\.0\.1|:\d{4}/, 'anybody may read it');
    store.snapshots.record('roof', { lp: '51.2' });
    await clock.advance(1_000);
    await until(() => lines.some((line) => line.includes('last values could not be written')));
    relay.takeAgain();
    await timer.advance(BEAT_MS);
    await until(() => store.trouble() === undefined);
    await clock.advance(60_000);
    await store.close();
    t.same(await inDatabase(url, 'select lp from snapshot'), [{ lp: '51.2' }]);
  },
);

t.test('reads while the server is away or silent are refused with words', async (t) => {
  const { relay, timer, store } = await behindRelay(t);
  const tables = await store.tables('note', [NOTE_VERSIONS], noteMigrations);
  const read = () => tables.read((rows) => rows.find(NOTE_VERSIONS, {}));
  const refusal = { code: 'STORAGE_FAILED', status: 503, message: /^The database cannot be read now/ };
  await read();
  relay.goSilent();
  const hanging = t.rejects(read(), refusal);
  await timer.advance(WRITE_MS);
  await hanging;
  relay.takeNoMore();
  relay.breakOff();
  await t.rejects(read(), refusal);
  await t.rejects(store.secrets('demo').get('token'), refusal);
  relay.takeAgain();
  t.strictSame(await read(), []);
});

t.test('a server that became read-only says so, and is tried again', async (t) => {
  const { url, relay, store, change } = await behindRelay(t);
  await change(1);
  const name = new URL(url).pathname.slice(1);
  await inDatabase(url, `alter database ${name} set default_transaction_read_only = on`);
  relay.breakOff();
  await change(2).catch(() => {});
  await t.rejects(change(2), { code: 'STORAGE_FAILED', message: /can only be read: name the primary server/ });
  await inDatabase(
    url,
    `begin; set transaction read write; alter database ${name} reset default_transaction_read_only; commit`,
  );
  relay.breakOff();
  await change(3).catch(() => change(3));
  t.equal(store.configs.get('roof')?.tcpPort, 3);
});

t.test('a text that the server cannot keep is refused, not taken for a trouble of the database', async (t) => {
  const { store, change } = await behindRelay(t);
  await change(1);
  await t.rejects(
    store.configs.change('roof', () => config('roof', { name: 'a\u0000b' })),
    { code: 'INVALID', message: /character with the code 0/ },
  );
  t.equal(store.trouble(), undefined);
  await change(2);
});

t.test('a second gateway: refused while the first one lives, and at once when it has stopped', async (t) => {
  const first = await behindRelay(t);
  const second = folder(t, 'second');
  const server = databaseAddress(first.url);
  const timer = new VirtualClock();
  const opening = second.open({ server, timer, keyFile: first.keyFile });
  const refused = t.rejects(opening, {
    problem: 'in-use',
    message: /in use by the gateway on .*: stop that gateway first/,
  });
  await until(() => second.lines.some((line) => line.includes('waits to see')));
  const before = await beatOf(first.url);
  await first.timer.advance(BEAT_MS);
  while ((await beatOf(first.url)) === before);
  let done = false;
  refused.finally(() => {
    done = true;
  });
  while (!done) {
    await timer.advance(BEAT_MS);
    await inDatabase(first.url, 'select 1');
  }
  await first.store.close();
  await t.resolves(second.open({ server, keyFile: first.keyFile }));
});

t.test(
  'after a minute another gateway takes over from a dead gateway, and the dead gateway can change nothing',
  async (t) => {
    const first = await behindRelay(t);
    await first.change(1);
    const second = folder(t, 'second');
    const timer = new VirtualClock();
    // The same key, because a gateway that takes over needs it.
    const opening = second.open({ server: databaseAddress(first.url), timer, keyFile: first.keyFile });
    await until(() => second.lines.some((line) => line.includes('waits to see')));
    let done = false;
    opening.finally(() => {
      done = true;
    });
    for (let waited = 0; waited < GONE_MS; waited += BEAT_MS) {
      t.equal(done, false);
      await timer.advance(BEAT_MS);
      await inDatabase(first.url, 'select 1');
    }
    // A look at the database takes real time, so on a busy computer some of them come later.
    while (!done) {
      await timer.advance(BEAT_MS);
      await inDatabase(first.url, 'select 1');
    }
    t.equal((await opening).configs.get('roof')?.tcpPort, 1);
    await t.rejects(first.change(2), {
      code: 'STORAGE_FAILED',
      message: /Another gateway has taken over the database/,
    });
    t.equal(await portIn(first.url), '1');
  },
);

t.test(
  'a change that is under way when another gateway takes over is waited for, and the next one finds nothing',
  async (t) => {
    const first = await behindRelay(t);
    await first.change(1);
    const holder = new pg.Client({ connectionString: first.url });
    await holder.connect();
    t.teardown(() => holder.end());
    await holder.query('begin; lock table device_config in share mode');
    const waiting = async (count: number) => {
      const blocked = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
      while ((await inDatabase(first.url, blocked)).length < count);
    };
    const changing = first.change(2);
    await waiting(1);
    const second = folder(t, 'second');
    await mkdir(second.dataDir, { recursive: true, mode: 0o700 });
    await writeFile(join(second.dataDir, 'instance.json'), JSON.stringify({ member: 'second' }));
    const leases = new PostgresLeaseStore(databaseAddress(first.url));
    t.teardown(() => leases.close());
    const { signal } = new AbortController();
    const { lease: seen } = await leases.look(signal);
    const taking = leases.ask({ member: 'second', about: aboutMember('second'), take: { seen } }, signal);
    await waiting(2);
    await holder.query('rollback');
    await changing;
    const { lease } = await taking;
    const opening = second.open({
      server: databaseAddress(first.url),
      keyFile: first.keyFile,
      ...(lease && { ownership: lease }),
    });
    t.equal((await opening).configs.get('roof')?.tcpPort, 2, 'who takes over has it');
    await t.rejects(first.change(3), { code: 'STORAGE_FAILED', message: /Another gateway has taken over/ });
    t.equal(await portIn(first.url), '2');
  },
);

t.test(
  'a copy of the data folder that is started beside the first one: only one of the two changes anything',
  async (t) => {
    const first = await behindRelay(t);
    await first.change(1);
    const second = folder(t, 'second');
    await mkdir(second.dataDir, { recursive: true, mode: 0o700 });
    await copyFile(join(first.dataDir, 'instance.json'), join(second.dataDir, 'instance.json'));
    const copy = await second.open({ server: databaseAddress(first.url), keyFile: first.keyFile });
    await copy.configs.change('roof', () => config('roof', { tcpPort: 2 }));
    await t.rejects(first.change(3), { code: 'STORAGE_FAILED', message: /has taken over.*Stop one of the two/ });
    t.match(first.store.trouble(), /Another gateway has taken over the database/);
    t.equal(await portIn(first.url), '2');
  },
);

async function beatOf(url: string): Promise<string | undefined> {
  return (await inDatabase<{ beat: string }>(url, 'select beat from store_owner'))[0]?.beat;
}
