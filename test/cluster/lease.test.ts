/** The limits of the lease, met exactly. The schedules stay clear of them by the margin of the times. */
import t from 'tap';
import type { ClusterView, MemberRow } from '../../lib/cluster/contract.ts';
import { MemberWatch } from '../../lib/cluster/member-watch.ts';
import { leaseHolds } from '../../lib/cluster/own-lease.ts';
import { CLUSTER_TIMES, faultOfTimes } from '../../lib/cluster/times.ts';
import { FORMER_OWNER } from '../../lib/domain/former-owner.ts';
import { aboutMember } from './support/memory-store.ts';

const sent = { elapsed: 1_000, wall: 500_000 };
const after = (ms: number, jump = 0) => ({ elapsed: sent.elapsed + ms, wall: sent.wall + ms + jump });
const row = (beat: number, epoch = 1): MemberRow => ({
  id: 'a',
  epoch,
  beat,
  open: true,
  leaving: false,
  linked: true,
  sites: [],
  voters: undefined,
  ...aboutMember('a'),
});
const view = (...members: MemberRow[]): ClusterView => ({ members, owners: [] });

t.test('a member acts until its time is over, and not in that millisecond', async (t) => {
  t.notOk(leaseHolds(undefined, after(0), CLUSTER_TIMES), 'nor before its first answer');
  t.ok(leaseHolds(sent, after(39_999), CLUSTER_TIMES));
  t.notOk(leaseHolds(sent, after(40_000), CLUSTER_TIMES));
});

t.test('clocks that part by more than two seconds void the lease, in both directions', async (t) => {
  for (const sign of [1, -1]) {
    t.ok(leaseHolds(sent, after(10_000, sign * 2_000), CLUSTER_TIMES));
    t.notOk(leaseHolds(sent, after(10_000, sign * 2_001), CLUSTER_TIMES));
  }
});

t.test('a member is silent when the same beat was seen for the whole time, and not a millisecond before', async (t) => {
  const watch = new MemberWatch('me', CLUSTER_TIMES);
  for (let at = 0; at <= 60_000; at += 5_000) watch.saw(view(row(3)), at);
  t.strictSame(watch.silent(59_999), []);
  t.strictSame(watch.silent(60_000), [{ id: 'a', epoch: 1, beat: 3 }]);
  watch.saw(view(row(1, 2)), 60_000);
  t.strictSame(watch.silent(119_999), [], 'another epoch is a sign of life');
  watch.saw(view({ ...row(1, 2), open: false }), 65_000);
  t.strictSame(watch.silent(500_000), [], 'who has left is not taken over');
});

t.test('whom a member does not know takes it over much later; a promise begins the wait anew', async (t) => {
  const watch = new MemberWatch('me', CLUSTER_TIMES);
  const rows = [
    { ...row(3), id: 'knows', voters: ['me'] },
    { ...row(3), id: 'does not', voters: ['other'] },
  ];
  const passing = (from: number, to: number) => {
    for (let at = from; at <= to; at += 5_000) watch.saw(view(...rows), at);
  };
  passing(0, 30_000);
  watch.promised('knows', 31_000);
  passing(35_000, 90_000);
  t.strictSame(watch.silent(90_999), []);
  t.match(watch.silent(91_000), [{ id: 'knows' }]);
  passing(95_000, 750_000);
  t.equal(watch.silent(749_999).length, 1);
  t.equal(watch.silent(750_000).length, 2);
});

t.test(
  'after a failover of the database all begin to wait again; a promise counts for the former owner, too',
  async (t) => {
    const watch = new MemberWatch('me', CLUSTER_TIMES);
    const former = { ...row(0), id: FORMER_OWNER.id, voters: ['me'] };
    const passing = (from: number, to: number, timeline: string | undefined, beat = 3) => {
      for (let at = from; at <= to; at += 5_000) watch.saw({ ...view(row(beat), former), timeline }, at);
    };
    passing(0, 50_000, '1');
    passing(55_000, 55_000, undefined);
    passing(60_000, 115_000, '2');
    t.strictSame(watch.silent(119_999), []);
    watch.promised('a', 118_000);
    passing(120_000, 175_000, '2');
    t.strictSame(watch.silent(177_999), [], 'what the former owner has may be that of whoever was promised');
    t.equal(watch.silent(178_000).length, 2);
    passing(180_000, 180_000, '2', 4);
    watch.promised('a', 181_000);
    t.match(watch.silent(181_000), [{ id: FORMER_OWNER.id }], 'who has given a sign of life since has nothing of it');
  },
);

t.test('who did not reach the store itself begins to wait again', async (t) => {
  const watch = new MemberWatch('me', CLUSTER_TIMES);
  watch.saw(view(row(3)), 0);
  watch.saw(view(row(3)), 60_000);
  t.strictSame(watch.silent(119_999), []);
  t.equal(watch.isQuiet('a', 75_000), false);
  t.equal(watch.isQuiet('a', 75_001), true, 'it is given no units long before that');
  t.equal(watch.isQuiet('b', 60_000), true, 'nor is one that nobody has seen');
});

t.test('times that would let two members act at once are refused with the number that is needed', async (t) => {
  t.equal(faultOfTimes(CLUSTER_TIMES), undefined);
  t.equal(faultOfTimes({ ...CLUSTER_TIMES, takeMs: 54_389 }), undefined);
  t.match(faultOfTimes({ ...CLUSTER_TIMES, takeMs: 54_388 }), /54389 or more/);
  t.match(faultOfTimes({ ...CLUSTER_TIMES, ownMs: 7_000 }), /ownMs must be longer/);
  t.match(faultOfTimes({ ...CLUSTER_TIMES, promisedMs: 39_999 }), /promisedMs must not be below ownMs/);
  t.equal(faultOfTimes({ ...CLUSTER_TIMES, unknownTakeMs: 738_834 }), undefined);
  t.match(faultOfTimes({ ...CLUSTER_TIMES, unknownTakeMs: 738_833 }), /738834 or more/);
  t.match(faultOfTimes({ ...CLUSTER_TIMES, beatMs: 2_000 }), /beatMs must be above 2000/);
  t.match(faultOfTimes({ ...CLUSTER_TIMES, beatMs: Number.NaN }), /number above 0/);
});
