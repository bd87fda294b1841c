/** A standby of the database becomes the primary, with or without the last changes. */
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { databaseAddress } from '../../lib/domain/database-address.ts';
import { HISTORY_TABLES } from '../../lib/history/postgres/tables.ts';
import { openCluster } from '../../lib/store/cluster.ts';
import { PostgresLeaseStore } from '../../lib/store/postgres/lease-store.ts';
import { aboutMember } from '../cluster/support/memory-store.ts';
import { openPair } from '../cluster/support/pair.ts';
import { inDatabase, startPostgres, startStandby } from '../support/postgres.ts';
import { configOf } from '../support/world.ts';

const never = () => new AbortController().signal;

t.test('a takeover that is lost with the primary', async (t) => {
  const primary = await startPostgres();
  const before = new PostgresLeaseStore(databaseAddress(primary.url));
  t.teardown(() => before.close().then(() => primary.stop()));
  const taken = await before.ask({ member: 'a', about: aboutMember('a'), take: { seen: undefined } }, never());
  const standby = await startStandby(primary);
  const after = new PostgresLeaseStore(databaseAddress(standby.url));
  t.teardown(() => after.close().then(() => standby.stop()));
  const lost = await before.ask({ member: 'b', about: aboutMember('b'), take: { seen: taken.lease } }, never());
  t.match(lost, { isDone: true, timeline: '00000001', lease: { member: 'b', incarnation: 2 } });

  await t.rejects(after.look(never()), { code: '25006' }, 'a standby is not the database');
  const home = t.testdir();
  const places = { dataDir: join(home, 'data'), keyFile: join(home, 'key') };
  const starting = await openCluster(databaseAddress(standby.url), places, HISTORY_TABLES);
  t.teardown(() => starting.store.close().then(() => starting.release()));
  const words = /can only be read: it is a standby; name the primary server in database_url/;
  await t.rejects(starting.answers(never()), { problem: 'read-only', message: words }, 'nor where an instance starts');
  const left = "select from pg_stat_activity where application_name = 'slm-gateway lease'";
  // A connection that is kept would be one more with each try.
  while ((await inDatabase(standby.url, left)).length > 0);
  await inDatabase(standby.url, 'select pg_promote()');
  const seen = await after.look(never());
  t.match(seen, { timeline: '00000002', lease: { member: 'a', incarnation: 1, timeline: '00000001' } });
  const beat = { incarnation: 2, beat: 1, answered: 0, alone: false };
  const refused = await after.ask({ member: 'b', about: aboutMember('b'), beat }, never());
  t.equal(refused.isDone, false, 'b hears that its lease is lost');
});

t.test(
  'a standby with all changes takes over: the instance with the meters keeps its connection to them',
  async (t) => {
    // Both servers are found at the same place, one after the other.
    const place = mkdtempSync(join(tmpdir(), 'slm-place-'));
    chmodSync(place, 0o777);
    t.teardown(() => rmSync(place, { recursive: true, force: true }));
    const settings = [`unix_socket_directories=${place}`];
    const primary = await startPostgres(undefined, settings);
    const found = new URL(primary.url);
    found.host = encodeURIComponent(place);
    const url = found.href;
    const { meter, begin, ask, pass, lines } = await openPair(t, async () => ({
      store: () => new PostgresLeaseStore(databaseAddress(url)),
      settings: () => ({ database_url: url }),
      stepMs: 10,
    }));
    const first = await begin('first');
    const second = await begin('second');
    await ask('PUT', `${first.base}/roof/config`, configOf(meter));
    t.equal((await ask('GET', `${first.base}/roof/live`)).status, 200);
    await pass(10_000, { stepMs: 1_000 });
    const gateway = first.instance.gateway();
    const connections = () => meter.log.events.filter(({ kind }) => kind === 'connect' || kind === 'disconnect');
    const before = connections();
    t.ok(gateway);

    const standby = await startStandby({ url }, settings, () => primary.stop());
    t.teardown(() => standby.stop());
    await inDatabase(url, 'select pg_promote()');
    await pass(70_000, { stepMs: 1_000 });
    t.equal(first.instance.gateway(), gateway);
    t.notOk(second.instance.gateway());
    t.strictSame(connections(), before);
    t.equal((await ask('GET', `${first.base}/roof/live`)).status, 200);
    t.equal((await ask('PUT', `${first.base}/later/config`, configOf(meter))).status, 200);
    t.equal(lines.filter((line) => line.includes('another server is the database now')).length, 2);
  },
);
