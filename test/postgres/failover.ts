/** A standby without the last changes becomes the primary: another timeline, and nobody gets what somebody may have by a lost change. */
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { LEASED } from '../../lib/app/instance.ts';
import type { BeatRequest, ClusterAnswer } from '../../lib/cluster/contract.ts';
import { databaseAddress } from '../../lib/domain/database-address.ts';
import { FORMER_OWNER } from '../../lib/domain/former-owner.ts';
import { HISTORY_TABLES } from '../../lib/history/postgres/tables.ts';
import { openCluster } from '../../lib/store/cluster.ts';
import { PostgresClusterStore } from '../../lib/store/postgres/cluster-store.ts';
import { aboutMember } from '../cluster/support/memory-store.ts';
import { openPair } from '../cluster/support/pair.ts';
import { inDatabase, startPostgres, startStandby } from '../support/postgres.ts';
import { configOf } from '../support/world.ts';

const UNITS = ['1', '2', '3'].map((unit) => ({ unit, site: 'x' }));
const never = () => new AbortController().signal;
const joining = (member: string) => ({ kind: 'join' as const, member, sites: ['x'], ...aboutMember(member) });
const beating = (member: string, beat: number, more: Partial<BeatRequest> = {}): BeatRequest => {
  const none = { release: [], close: [], claim: [], voters: [], linked: true, state: 'staying' as const };
  return { kind: 'beat', member, epoch: 1, beat, answered: 0, ...none, ...more };
};
const ownersIn = (answer: ClusterAnswer) => answer !== 'refused' && answer.owners.map(({ member }) => member);
const timelineOf = (answer: ClusterAnswer) => (answer === 'refused' ? undefined : answer.timeline);

t.test('a claim that is lost with the primary', async (t) => {
  const primary = await startPostgres();
  const before = new PostgresClusterStore(databaseAddress(primary.url), UNITS);
  t.teardown(() => before.close().then(() => primary.stop()));
  for (const member of ['a', 'b', 'c']) await before.ask(joining(member), never());
  await before.ask(beating('a', 1, { claim: ['1'] }), never());
  const standby = await startStandby(primary);
  const after = new PostgresClusterStore(databaseAddress(standby.url), UNITS);
  t.teardown(() => after.close().then(() => standby.stop()));
  const lost = await before.ask(beating('b', 1, { claim: ['2'] }), never());
  t.strictSame(ownersIn(lost), ['a', 'b', undefined]);
  const timeline = timelineOf(lost);
  t.equal(timeline, '00000001');

  await t.rejects(after.ask(beating('c', 1), never()), { code: '25006' }, 'a standby is not the database');
  const home = t.testdir();
  const places = { dataDir: join(home, 'data'), keyFile: join(home, 'key') };
  const starting = await openCluster(databaseAddress(standby.url), places, UNITS, HISTORY_TABLES);
  t.teardown(() => starting.store.close().then(() => starting.release()));
  const words = /can only be read: it is a standby; name the primary server in database_url/;
  await t.rejects(starting.answers(never()), { problem: 'read-only', message: words }, 'nor where an instance starts');
  const left = "select from pg_stat_activity where application_name = 'slm-gateway cluster'";
  // A connection that is kept would be one more with each try.
  while ((await inDatabase(standby.url, left)).length > 0);
  await inDatabase(standby.url, 'select pg_promote()');
  const first = await after.ask(beating('c', 1, { claim: ['2', '3'], timeline }), never());
  t.equal(timelineOf(first), '00000002');
  t.strictSame(ownersIn(first), ['a', FORMER_OWNER.id, FORMER_OWNER.id], 'c does not get what b acts at');
  const goesOn = await after.ask(beating('a', 2, { answered: 1, timeline }), never());
  t.strictSame(ownersIn(goesOn), ['a', FORMER_OWNER.id, FORMER_OWNER.id], 'who is known as the owner goes on');
  t.equal(await after.ask(beating('b', 2, { answered: 1, timeline }), never()), 'refused', 'b has lost its beat');
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
      store: () => new PostgresClusterStore(databaseAddress(url), LEASED),
      settings: () => ({ database_url: url }),
      stepMs: 10,
    }));
    const first = await begin('first');
    const second = await begin('second');
    await ask('PUT', `${first.base}/roof/config`, configOf(meter));
    t.equal((await ask('GET', `${second.base}/roof/live`)).status, 200);
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
    t.equal((await ask('GET', `${second.base}/roof/live`)).status, 200);
    t.equal((await ask('PUT', `${second.base}/later/config`, configOf(meter))).status, 200);
    t.equal(lines.filter((line) => line.includes('another server is the database now')).length, 2);
  },
);
