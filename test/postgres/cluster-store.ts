/** Members and owners in PostgreSQL: the contract, members at the same moment, and connections that end. */
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import t from 'tap';
import type { BeatRequest, ClusterAnswer } from '../../lib/cluster/contract.ts';
import { CLUSTER_TIMES } from '../../lib/cluster/times.ts';
import { GATEWAY_ROLE, unitRow } from '../../lib/domain/cluster-units.ts';
import { databaseAddress } from '../../lib/domain/database-address.ts';
import { SHARED_SITE } from '../../lib/remote/shared-site.ts';
import { PostgresClusterStore } from '../../lib/store/postgres/cluster-store.ts';
import { aboutMember } from '../cluster/support/memory-store.ts';
import { storeKeepsContract } from '../cluster/support/store-contract.ts';
import { freshDatabase, inDatabase } from '../support/postgres.ts';
import { openRelay } from './support/relay.ts';

const UNITS = ['1', '2'].map((unit) => ({ unit, site: 'x' }));
const never = () => new AbortController().signal;
const joining = (member: string) => ({ kind: 'join' as const, member, sites: ['x'], ...aboutMember(member) });
const beating = (member: string, beat: number, more: Partial<BeatRequest> = {}): BeatRequest => {
  const none = { release: [], close: [], claim: [], voters: [], linked: true, state: 'staying' as const };
  return { kind: 'beat', member, epoch: 1, beat, answered: 0, ...none, ...more };
};
const LOCK = "select pg_advisory_xact_lock(hashtext('slm-gateway cluster'))";
const WAITING = "select from pg_stat_activity where datname = current_database() and wait_event = 'advisory'";
/** Until so many wait for the lock. */
async function waiting(url: string, count: number): Promise<void> {
  while ((await inDatabase(url, WAITING)).length !== count) await pause(20);
}
const ownersIn = (answer: ClusterAnswer) => answer !== 'refused' && answer.owners.map(({ member }) => member);

t.test('the store keeps the contract of a cluster', (t) =>
  storeKeepsContract(t, async (units) => {
    const rows = units.map((unit) => ({ unit, site: 'x' }));
    const url = await freshDatabase(t);
    const store = new PostgresClusterStore(databaseAddress(url), rows);
    t.teardown(() => store.close());
    // A server that is promoted: `test/postgres/failover.ts`.
    const failOver = () => inDatabase(url, "update cluster_timeline set timeline = 'of before'");
    return { store, failOver: () => failOver().then(() => {}) };
  }),
);

t.test(
  'of twenty that claim a unit at the same moment one gets it, also where none of them has found a table',
  async (t) => {
    const url = await freshDatabase(t);
    const stores = Array.from({ length: 20 }, () => new PostgresClusterStore(databaseAddress(url), UNITS));
    t.teardown(() => Promise.all(stores.map((store) => store.close())));
    await Promise.all(stores.map((store, at) => store.ask(joining(`m${at}`), never())));
    const answers = await Promise.all(
      stores.map((store, at) => store.ask(beating(`m${at}`, 1, { claim: ['1', '2'] }), never())),
    );
    const owners = new Set(answers.flatMap((answer) => ownersIn(answer) || []));
    t.equal(owners.size, 1);
    t.notOk(owners.has(undefined));
  },
);

t.test('all get the same secret, and hear at once who leaves', async (t) => {
  const url = await freshDatabase(t);
  const [one, other] = [
    new PostgresClusterStore(databaseAddress(url), UNITS),
    new PostgresClusterStore(databaseAddress(url), UNITS),
  ];
  t.teardown(() => Promise.all([one.close(), other.close()]));
  const secrets = await Promise.all([one.secret(never()), other.secret(never())]);
  t.equal(secrets[0]?.length, 32);
  t.strictSame(secrets[0], secrets[1]);
  const heard = new Promise<void>((resolve) => other.onChange(resolve));
  await one.ask(joining('a'), never());
  await one.ask(beating('a', 1, { state: 'gone' }), never());
  await heard;
  t.strictSame(ownersIn(await other.ask(joining('b'), never())), [undefined, undefined]);
});

t.test(
  'others hear at once that units have an owner, or have none: given away, or of one that was taken over',
  async (t) => {
    const url = await freshDatabase(t);
    const [one, other] = [
      new PostgresClusterStore(databaseAddress(url), UNITS),
      new PostgresClusterStore(databaseAddress(url), UNITS),
    ];
    t.teardown(() => Promise.all([one.close(), other.close()]));
    let heard = Promise.withResolvers<void>();
    let count = 0;
    other.onChange(() => {
      count += 1;
      heard.resolve();
    });
    for (const [store, id] of [
      [one, 'a'],
      [other, 'b'],
    ] as const)
      await store.ask(joining(id), never());
    await one.ask(beating('a', 1, { claim: ['1', '2'] }), never());
    await heard.promise;
    heard = Promise.withResolvers<void>();
    await one.ask(beating('a', 2, { release: ['1'] }), never());
    await heard.promise;
    await one.ask(beating('a', 3, { release: ['1'] }), never());
    await other.ask(beating('b', 1), never());
    t.equal(count, 2, 'not where nothing changes');
    heard = Promise.withResolvers<void>();
    await one.ask(joining('c'), never());
    await one.ask(beating('c', 1, { close: [{ id: 'a', epoch: 1, beat: 3 }] }), never());
    await heard.promise;
  },
);

t.test('tables of an older release get what units need, and their rows stay as they are', async (t) => {
  const url = await freshDatabase(t);
  await inDatabase(
    url,
    `create table cluster_member (
       id text primary key, epoch integer not null, beat bigint not null, open boolean not null, leaving boolean not null,
       sites jsonb not null, name text not null, address text not null, version text not null, place text not null)`,
  );
  await inDatabase(
    url,
    `create table cluster_owner (
       unit text primary key, site text not null, pinned text, member text references cluster_member (id))`,
  );
  await inDatabase(url, `insert into cluster_member values ('old', 4, 9, true, false, '[""]', 'old', '', '0.1.0', '')`);
  await inDatabase(url, `insert into cluster_owner values ('${GATEWAY_ROLE}', '', null, 'old')`);
  const store = new PostgresClusterStore(databaseAddress(url), [{ unit: GATEWAY_ROLE, site: '' }]);
  t.teardown(() => store.close());
  const answer = await store.ask(joining('a'), never());
  t.strictSame(answer !== 'refused' && answer.owners, [
    { unit: GATEWAY_ROLE, site: '', pinned: undefined, member: 'old', removed: false },
  ]);
  // As the older release asks it.
  await inDatabase(url, `insert into cluster_owner (unit, site) values ('${GATEWAY_ROLE}', '') on conflict do nothing`);
});

t.test('2,500 units are named, taken over and removed in a few statements', async (t) => {
  const url = await freshDatabase(t);
  const store = new PostgresClusterStore(databaseAddress(url), [{ unit: GATEWAY_ROLE, site: '' }]);
  t.teardown(() => store.close());
  await store.ask(joining('a'), never());
  await store.ask(joining('b'), never());
  await store.ask(beating('a', 1, { claim: [GATEWAY_ROLE] }), never());
  const all = Array.from({ length: 2_500 }, (_, at) => unitRow(`meter-${at}`));
  const units = all.map((unit) => ({ unit, site: SHARED_SITE }));
  const timed = async (what: string, request: BeatRequest) => {
    const from = performance.now();
    const answer = await store.ask(request, never());
    t.comment(`${what}: ${Math.round(performance.now() - from)} ms`);
    return new Set((ownersIn(answer) || []).slice(1));
  };
  t.strictSame(await timed('named and claimed', beating('a', 2, { units, claim: all })), new Set(['a']));
  await timed('a beat that changes nothing', beating('a', 3));
  await timed('named again', beating('a', 4, { units }));
  const close = [{ id: 'a', epoch: 1, beat: 4 }];
  const taken = await timed('taken over', beating('b', 1, { close, claim: [GATEWAY_ROLE, ...all] }));
  t.strictSame(taken, new Set(['b']));
  const none = await timed('given away and removed', beating('b', 2, { release: all, units: [] }));
  t.equal(none.size, 0);
});

t.test('what one instance asks at the same moment is not one transaction', async (t) => {
  const url = await freshDatabase(t);
  const store = new PostgresClusterStore(databaseAddress(url), UNITS);
  t.teardown(() => store.close());
  await store.ask(joining('a'), never());
  await inDatabase(url, 'create table seen (transaction text, of text)');
  await inDatabase(
    url,
    `create function see() returns trigger language plpgsql as
       'begin insert into seen values (pg_current_xact_id()::text, tg_table_name); return new; end'`,
  );
  for (const table of ['cluster_member', 'cluster_owner', 'cluster_file'])
    await inDatabase(url, `create trigger seen after insert or update on ${table} for each row execute function see()`);
  await Promise.all([
    store.write({ name: 'keys', version: 1, text: 'x' }, never()),
    store.ask(beating('a', 1, { claim: ['1', '2'] }), never()),
    store.versions(never()),
    store.write({ name: 'people', version: 1, text: 'y' }, never()),
    store.ask(beating('a', 2, { release: ['1'] }), never()),
    store.members(never()),
  ]);
  const found = await inDatabase<{ tables: string }>(
    url,
    `select string_agg(of, ' ' order by of) as tables from seen group by transaction order by min(transaction::numeric)`,
  );
  t.strictSame(
    found.map(({ tables }) => tables),
    ['cluster_file', 'cluster_member cluster_owner cluster_owner', 'cluster_file', 'cluster_member cluster_owner'],
  );
});

t.test('a request that is given up leaves nothing behind, and the next one opens another connection', async (t) => {
  const url = await freshDatabase(t);
  const store = new PostgresClusterStore(databaseAddress(url), UNITS);
  const other = new pg.Client({ connectionString: url });
  await other.connect();
  t.teardown(() => Promise.all([store.close(), other.end()]));
  await store.ask(joining('a'), never());
  await other.query(`begin; ${LOCK}`);
  const stop = new AbortController();
  const asked = store.ask(beating('a', 1, { claim: ['1'] }), stop.signal);
  stop.abort(new Error('no answer in time'));
  await t.rejects(asked, { message: 'no answer in time' });
  await other.query('commit');
  t.strictSame(ownersIn(await store.ask(beating('a', 2), never())), [undefined, undefined]);
});

t.test('a process that stands still in its turn keeps the others from theirs for a second, not for ever', async (t) => {
  const url = await freshDatabase(t);
  const relay = await openRelay(t, url);
  const still = new PostgresClusterStore(databaseAddress(relay.url), UNITS);
  const store = new PostgresClusterStore(databaseAddress(url), UNITS);
  const other = new pg.Client({ connectionString: url });
  await other.connect();
  t.teardown(() => Promise.all([still.close(), store.close(), other.end()]));
  await store.ask(joining('a'), never());
  await still.ask(joining('b'), never());
  await other.query(`begin; ${LOCK}`);
  const lost = t.rejects(still.ask(beating('b', 1, { claim: ['1'] }), never()));
  await waiting(url, 1);
  // Its turn comes, and it does not hear of it.
  relay.goSilent();
  await other.query('commit');
  const from = performance.now();
  const answer = await store.ask(beating('a', 1, { claim: ['2'] }), never());
  t.strictSame(ownersIn(answer), [undefined, 'a']);
  const ms = performance.now() - from;
  t.ok(ms < CLUSTER_TIMES.answerMs, `${ms} ms`);
  await lost;
});

t.test('a process that stands still before it has read a long answer keeps nobody from its turn', async (t) => {
  const url = await freshDatabase(t);
  const relay = await openRelay(t, url);
  // More than fits between two processes.
  const units = Array.from({ length: 20_000 }, (_, at) => ({ unit: unitRow(`meter-${at}`), site: SHARED_SITE }));
  const still = new PostgresClusterStore(databaseAddress(relay.url), [{ unit: GATEWAY_ROLE, site: '' }]);
  const store = new PostgresClusterStore(databaseAddress(url), [{ unit: GATEWAY_ROLE, site: '' }]);
  t.teardown(() => Promise.all([still.close(), store.close()]));
  await store.ask(joining('a'), never());
  await store.ask(beating('a', 1, { claim: [GATEWAY_ROLE] }), never());
  await store.ask(beating('a', 2, { units }), never());
  await still.ask(joining('b'), never());
  const [first = ''] = units.map(({ unit }) => unit);
  relay.stallAt('from cluster_owner order by unit');
  const lost = t.rejects(still.ask(beating('b', 1, { claim: [first] }), never()));
  while ((await inDatabase(url, `select from cluster_owner where unit = '${first}' and member = 'b'`)).length === 0)
    await pause(20);
  const from = performance.now();
  t.not(await store.ask(beating('a', 3), never()), 'refused');
  const ms = performance.now() - from;
  t.ok(ms < CLUSTER_TIMES.answerMs, `${ms} ms`);
  relay.breakOff();
  await lost;
});

t.test('one that cannot read the answers to its beats gives no signs of life, and goes on when it can', async (t) => {
  const url = await freshDatabase(t);
  const relay = await openRelay(t, url);
  const store = new PostgresClusterStore(databaseAddress(relay.url), UNITS);
  t.teardown(() => store.close());
  await store.ask(joining('a'), never());
  await store.ask(beating('a', 1, { claim: ['1'] }), never());
  const ask = async (beat: number) => {
    // Short answers come through, long ones do not.
    relay.stallAt('from cluster_owner order by unit');
    await t.rejects(store.ask(beating('a', beat, { answered: 1 }), AbortSignal.timeout(500)));
  };
  for (const beat of [2, 3, 4]) await ask(beat);
  t.strictSame(await inDatabase(url, 'select beat::int from cluster_member'), [{ beat: 2 }], 'others take over');
  relay.stallAt('nothing');
  const back = await store.ask(beating('a', 5, { answered: 1 }), never());
  t.strictSame(ownersIn(back), ['a', undefined]);
  relay.stallAt('from cluster_owner order by unit');
  await t.rejects(store.ask(beating('a', 6, { answered: 5 }), AbortSignal.timeout(500)));
  await inDatabase(url, 'alter table cluster_member drop column unlinked_epoch');
  await t.rejects(store.ask(beating('a', 7, { answered: 5 }), never()), { code: '42703' });
  const made = await store.ask(beating('a', 8, { answered: 5 }), never());
  t.strictSame(ownersIn(made), ['a', undefined], 'also where the database was restored meanwhile');
});

t.test('a turn that nobody waits for any more is given up by the server, too', async (t) => {
  const url = await freshDatabase(t);
  const store = new PostgresClusterStore(databaseAddress(url), UNITS);
  const other = new pg.Client({ connectionString: url });
  await other.connect();
  t.teardown(() => Promise.all([store.close(), other.end()]));
  await store.ask(joining('a'), never());
  await other.query(`begin; ${LOCK}`);
  const stop = new AbortController();
  const asked = store.ask(beating('a', 1), stop.signal);
  await waiting(url, 1);
  stop.abort(new Error('no answer in time'));
  await t.rejects(asked, { message: 'no answer in time' });
  await waiting(url, 0);
  await other.query('commit');
});

t.test('an answer that nobody waits for any more is given up by the server, too', async (t) => {
  const url = await freshDatabase(t);
  const store = new PostgresClusterStore(databaseAddress(url), UNITS);
  const other = new pg.Client({ connectionString: url });
  await other.connect();
  t.teardown(() => Promise.all([store.close(), other.end()]));
  await store.ask(joining('a'), never());
  // As a restore does.
  await other.query('begin; lock table cluster_owner');
  await t.rejects(store.ask(beating('a', 1), AbortSignal.timeout(500)));
  const waits = `select from pg_locks where not granted and relation = 'cluster_owner'::regclass`;
  t.equal((await inDatabase(url, waits)).length, 1);
  while ((await inDatabase(url, waits)).length > 0) await pause(100);
  await other.query('commit');
});

t.test('a connection that the server has ended is opened again', async (t) => {
  const url = await freshDatabase(t);
  const store = new PostgresClusterStore(databaseAddress(url), UNITS);
  const other = new pg.Client({ connectionString: url });
  await other.connect();
  t.teardown(() => Promise.all([store.close(), other.end()]));
  await store.ask(joining('a'), never());
  await other.query(
    "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'slm-gateway cluster' and datname = current_database()",
  );
  const beats = async (beat: number) => ownersIn(await store.ask(beating('a', beat, { claim: ['1'] }), never()));
  t.strictSame(await beats(1).catch(() => beats(2)), ['a', undefined]);
});

t.test(
  'a table that the database lacks after it was restored from a dump of an older release is made again',
  async (t) => {
    const url = await freshDatabase(t);
    const store = new PostgresClusterStore(databaseAddress(url), UNITS);
    t.teardown(() => store.close());
    await store.ask(joining('a'), never());
    await inDatabase(url, 'drop table cluster_timeline');
    await t.rejects(store.ask(beating('a', 1), never()), { code: '42P01' });
    t.strictSame(ownersIn(await store.ask(beating('a', 2), never())), [undefined, undefined]);
  },
);

t.test('a server that does not tell its timeline, as those of some services', async (t) => {
  const url = await freshDatabase(t);
  await inDatabase(
    url,
    `create function pg_current_wal_lsn() returns pg_lsn language plpgsql as
       $$ begin raise exception 'not supported here' using errcode = '0A000'; end $$`,
  );
  await inDatabase(
    url,
    `do $$ begin execute format('alter database %I set search_path = public, pg_catalog', current_database()); end $$`,
  );
  const store = new PostgresClusterStore(databaseAddress(url), UNITS);
  t.teardown(() => store.close());
  await store.ask(joining('a'), never());
  const answer = await store.ask(beating('a', 1, { claim: ['1'] }), never());
  t.strictSame(ownersIn(answer), ['a', undefined]);
  t.equal(answer !== 'refused' && answer.timeline, undefined);
  t.strictSame(await inDatabase(url, 'select * from cluster_timeline'), []);
});

t.test('an answer says what the clock of the server shows', async (t) => {
  const url = await freshDatabase(t);
  const store = new PostgresClusterStore(databaseAddress(url), UNITS);
  t.teardown(() => store.close());
  const shown = async () =>
    (await inDatabase<{ at: Date }>(url, 'select clock_timestamp() as at'))[0]?.at.getTime() ?? 0;
  const before = await shown();
  const answer = await store.ask(joining('a'), never());
  const time = answer === 'refused' ? undefined : answer.time;
  t.ok(time !== undefined && time >= before && time <= (await shown()) + 1, `${time}`);
  t.notOk(answer !== 'refused' && answer.members.some((member) => 'time' in member));
});
