/** What people are told of the instances. */
import t from 'tap';
import type { ClusterView, MemberRow } from '../../lib/cluster/contract.ts';
import { MemberStates } from '../../lib/cluster/member-states.ts';
import { FORMER_OWNER } from '../../lib/domain/former-owner.ts';

const row = (id: string, beat: number, more: Partial<MemberRow> = {}): MemberRow => ({
  ...{ id, beat, epoch: 1, name: id, address: `http://192.0.2.1/${id}`, version: '1', place: id },
  ...{ open: true, leaving: false, linked: true, sites: [''], voters: undefined, ...more },
});
const viewOf = (...members: MemberRow[]): ClusterView => ({ members, owners: [] });
const nobody = () => false;
const isOwner = (id: string) => id === 'a';
const shown = (states: MemberStates, elapsed: number, wall = elapsed) =>
  states.states((id) => id === 'a', { elapsed, wall }).map(({ id, state, lastSeen }) => [id, state, lastSeen]);

t.test('who is heard, who is silent, and since when', async (t) => {
  const states = new MemberStates('a');
  t.strictSame(shown(states, 0), [], 'nothing is known before the first answer');
  states.saw(viewOf(row('a', 1), row('b', 7)), 1_000, nobody, isOwner);
  t.strictSame(
    shown(states, 1_000),
    [
      ['a', 'has the meters', undefined],
      ['b', 'waits', undefined],
    ],
    'a beat that was there before may be of any time',
  );
  states.saw(viewOf(row('a', 2), row('b', 8)), 6_000, nobody, isOwner);
  states.saw(viewOf(row('a', 3), row('b', 8)), 25_000, (id) => id === 'b', isOwner);
  t.strictSame(
    shown(states, 26_000, 5_026_000),
    [
      ['a', 'has the meters', 5_025_000],
      ['b', 'silent', 5_006_000],
    ],
    'by the wall clock of now, also where it was set since',
  );
  states.saw(viewOf(row('a', 4), row('b', 8, { open: false })), 70_000, (id) => id === 'b', isOwner);
  t.strictSame(shown(states, 70_000)[1], ['b', 'silent', 6_000], 'also after it was taken over');
  states.saw(viewOf(row('a', 5), row('b', 1, { epoch: 2 })), 80_000, nobody, isOwner);
  t.strictSame(shown(states, 80_000)[1], ['b', 'waits', 80_000], 'it is back');
  states.saw(
    viewOf(row('a', 6), row('b', 2, { epoch: 2, open: false, leaving: true })),
    85_000,
    (id) => id === 'b',
    isOwner,
  );
  t.strictSame(shown(states, 85_000)[1]?.[1], 'left');
});

t.test('units without an instance, and why', async (t) => {
  const states = new MemberStates('a');
  const unownedOf = () => states.known(isOwner, { elapsed: 0, wall: 0 }).unowned;
  t.strictSame(unownedOf(), []);
  const of = (unit: string, member: string | undefined, removed = false) => ({
    ...{ unit, member, removed, site: 'shared', pinned: undefined },
  });
  const owners = [
    ...[of('meters', 'a'), of('unit:own', 'a'), of('unit:free', undefined), of('unit:roof', 'b'), of('unit:yard', 'c')],
    ...[of('unit:gone', 'b', true), of('unit:late', FORMER_OWNER.id)],
  ];
  const members = [row('a', 1), row('b', 7), row('c', 3, { open: false }), row(FORMER_OWNER.id, 0)];
  states.saw({ members, owners }, 1_000, (id) => id === 'b', isOwner);
  t.match(unownedOf(), [
    { unitId: 'free', why: 'No instance has taken it yet.' },
    { unitId: 'roof', why: /^The instance b had it and is silent/ },
    { unitId: 'yard', why: /^The instance c had it/ },
    { unitId: 'late', why: /failed over/ },
  ]);
  t.equal(unownedOf()?.length, 4);

  const { servedBy } = states.known(isOwner, { elapsed: 0, wall: 0 });
  const served = ['own', 'free', 'roof', 'yard', 'gone', 'late'].map((unitId) => servedBy?.(unitId));
  t.strictSame(served, ['a', undefined, undefined, undefined, undefined, undefined]);
  states.saw(viewOf(row('a', 2), row('b', 8)), 2_000, nobody, isOwner);
  t.equal(states.known(isOwner, { elapsed: 0, wall: 0 }).servedBy?.('any'), 'a', 'not shared out');
});

t.test('while the store gives no answer nobody becomes silent', async (t) => {
  const states = new MemberStates('a');
  const view = viewOf(row('a', 1), row('b', 7));
  states.saw(view, 1_000, nobody, isOwner);
  states.saw(view, 600_000, () => true, isOwner);
  t.strictSame(shown(states, 600_000)[1], ['b', 'waits', undefined]);
});

t.test('the last time without an owner, from its last sign of life, or from the end of the own lease', async (t) => {
  const states = new MemberStates('b');
  const gap = (elapsed: number, wall = elapsed) => states.known(isOwner, { elapsed, wall }).gap;
  states.saw(viewOf(row('a', 1), row('b', 1)), 1_000, nobody, isOwner);
  states.saw(viewOf(row('a', 2), row('b', 2)), 6_000, nobody, isOwner);
  states.saw(viewOf(row('a', 2), row('b', 3)), 30_000, (id) => id === 'a', isOwner);
  t.equal(gap(30_000), undefined, 'it is told when it is over');
  states.saw(
    viewOf(row('a', 2, { open: false }), row('b', 15)),
    66_000,
    (id) => id === 'a',
    (id) => id === 'b',
  );
  states.took(67_000);
  t.strictSame(gap(70_000, 1_070_000), { from: 1_006_000, to: 1_067_000 });
  states.lost(200_000);
  states.saw(viewOf(row('b', 40)), 290_000, nobody, (id) => id === 'b');
  states.took(291_000);
  t.strictSame(gap(300_000), { from: 200_000, to: 291_000 }, 'nobody else had them while the database was away');
  t.equal(states.known(isOwner, { elapsed: 0, wall: 0 }).takeovers, 2);
});
