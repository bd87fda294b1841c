/** Few units move: those of nobody, those above the share, those that a person has pinned. */
import t from 'tap';
import type { MemberRow, OwnerRow } from '../../lib/cluster/contract.ts';
import { drainStep } from '../../lib/cluster/drain.ts';
import { gatewayWeight, placement } from '../../lib/cluster/placement.ts';
import { GATEWAY_ROLE } from '../../lib/domain/cluster-units.ts';
import { FORMER_OWNER } from '../../lib/domain/former-owner.ts';
import { SHARED_SITE } from '../../lib/remote/shared-site.ts';
import { aboutMember } from './support/memory-store.ts';

const member = (id: string, ...sites: string[]): MemberRow => ({
  id,
  epoch: 1,
  beat: 1,
  open: true,
  leaving: false,
  linked: true,
  voters: undefined,
  sites: sites.length > 0 ? sites : ['x'],
  ...aboutMember(id),
});
const unit = (name: string, owner?: string, pinned?: string, site = 'x'): OwnerRow => ({
  unit: name,
  site,
  pinned,
  member: owner,
  removed: false,
});
const many = (count: number, owner?: string) =>
  Array.from({ length: count }, (_, at) => unit(`${owner}${String(at).padStart(4, '0')}`, owner));
const placed = (owners: OwnerRow[], me: string, members: MemberRow[], moves = 100) =>
  placement({ members, owners }, me, members, { moves });

t.test(
  'who sees units of nobody claims them up to its share; the rest is left to the member with the fewest',
  async (t) => {
    const members = [member('b'), member('a'), member('c')];
    const owners = [...many(3, 'a'), unit('1'), unit('2'), unit('3'), unit('4')];
    const claims = ['a', 'b', 'c'].map((me) => placed(owners, me, members).claim);
    t.strictSame(claims, [[], ['1', '2', '3'], ['1', '2', '3']]);
    const rest = [...many(3, 'a'), ...many(3, 'b'), unit('4')];
    t.strictSame(
      ['a', 'b', 'c'].map((me) => placed(rest, me, members).claim),
      [[], [], ['4']],
    );
  },
);

t.test('a unit of nobody is not waiting for one who has looked already', async (t) => {
  // c saw `4` alone and would leave it to b; b sees `1` as well and would take that and leave `4` to c.
  const members = [member('b'), member('c')];
  const owned = [unit('2', 'b'), unit('3', 'c')];
  t.strictSame(placed([...owned, unit('1', 'a'), unit('4')], 'c', members).claim, ['4']);
});

t.test('a new member gets its share and no more, a few at a time', async (t) => {
  const members = [member('a'), member('b'), member('c')];
  const owners = [...many(6, 'a'), ...many(6, 'b')];
  t.equal(placed(owners, 'a', members).move.length, 2);
  t.equal(placed(owners, 'a', members, 1).move.length, 1);
  t.strictSame(placed([...many(4, 'a'), ...many(3, 'b'), ...many(4, 'c')], 'a', members), {
    claim: [],
    move: [],
    drop: [],
  });
});

t.test('a unit goes where it is pinned, and elsewhere while that member cannot', async (t) => {
  const owners = [unit('1', 'a', 'b'), unit('2', 'a', 'c'), unit('3', 'b'), unit('4', 'b')];
  t.strictSame(placed(owners, 'a', [member('a'), member('b')]).move, ['1']);
  t.strictSame(placed([unit('1', undefined, 'b')], 'a', [member('a')]).claim, ['1']);
  t.strictSame(placed([unit('1', undefined, 'b')], 'a', [member('a'), member('b')]).claim, []);
});

t.test('a unit goes only to members that reach its network', async (t) => {
  const members = [member('a', 'x'), member('b', 'y')];
  const owners = [...many(6, 'a'), unit('free', undefined, undefined, 'z')];
  t.strictSame(placed(owners, 'a', members), { claim: [], move: [], drop: [] });
  t.strictSame(placed(owners, 'b', members), { claim: [], move: [], drop: [] });
});

t.test('nothing moves between members that differ by one', async (t) => {
  const members = [member('a', 'x'), member('b', 'x'), member('c', 'y')];
  t.strictSame(placed([...many(3, 'a'), ...many(2, 'b')], 'a', members), { claim: [], move: [], drop: [] });
});

t.test('without anybody fit nothing moves', async (t) => {
  t.strictSame(placed([unit('1'), unit('2', 'a')], 'a', []), { claim: [], move: [], drop: [] });
});

t.test('who leaves keeps what is busy until nobody waits any more', async (t) => {
  const units = new Set(['1', '2']);
  const isBusy = (name: string) => name === '2';
  t.strictSame(drainStep(units, isBusy, false), { release: ['1'], state: 'leaving' });
  t.strictSame(drainStep(units, isBusy, true), { release: ['1', '2'], state: 'gone' });
  t.strictSame(drainStep(new Set(), isBusy, false), { release: [], state: 'gone' });
});

const SERVES = ['', SHARED_SITE];
const role = (owner?: string) => unit(GATEWAY_ROLE, owner, undefined, '');
const shared = (count: number, owner?: string) => many(count, owner).map((row) => ({ ...row, site: SHARED_SITE }));
const weighed = (owners: OwnerRow[], me: string, members: MemberRow[]) =>
  placement({ members, owners }, me, members, { moves: 1_000, weightOf: gatewayWeight });

t.test('of two members the gateway has an eighth of the units, of more none; the gateway role stays', async (t) => {
  const [a, b, c] = ['a', 'b', 'c'].map((id) => member(id, ...SERVES));
  if (!a || !b || !c) throw new Error('three members are missing');
  const all = [role('a'), ...shared(100, 'a')];
  t.equal(weighed(all, 'a', [a]).move.length, 0, 'alone it has all');
  t.equal(weighed(all, 'a', [a, b]).move.length, 87);
  t.equal(weighed(all, 'a', [a, b, c]).move.length, 100);
  t.strictSame(weighed([role('a'), ...shared(12, 'a'), ...shared(88, 'b')], 'b', [a, b]).move, []);
  t.equal(weighed([role('a'), ...shared(1, 'a')], 'a', [a, b]).move.length, 1, 'an only unit is for the other one');
  t.equal(weighed([role('a'), ...shared(2, 'a')], 'a', [a, b]).move.length, 2);
  t.equal(weighed([role('a'), ...shared(2, 'a')], 'a', [a, b, c]).move.length, 2);
  const fourth = [a, b, c, member('d', ...SERVES)];
  const three = [role('a'), ...shared(50, 'b'), ...shared(50, 'c')];
  t.equal(
    weighed(three, 'b', fourth).move.length,
    50 - 34,
    'a new one gets a third of what those have who are not the gateway',
  );
  t.strictSame(weighed(three, 'a', fourth), { claim: [], move: [], drop: [] });
});

t.test('who is not reached by the gateway gets and moves nothing, and keeps what it has', async (t) => {
  const [a, b] = ['a', 'b'].map((id) => member(id, ...SERVES));
  if (!a || !b) throw new Error('two members are missing');
  const c = { ...member('c', ...SERVES), linked: false };
  const all = [a, b, c];
  const free = [role('a'), ...shared(16)];
  t.equal(weighed(free, 'a', all).claim.length, 2, 'the others share all, as if it were not there');
  t.equal(weighed(free, 'b', all).claim.length, 14);
  t.strictSame(weighed(free, 'c', all).claim, []);
  t.strictSame(weighed([role(), ...shared(16)], 'c', all).claim, [GATEWAY_ROLE], 'it may be the gateway');
  t.strictSame(weighed([role('a'), ...shared(16, 'c')], 'c', all), { claim: [], move: [], drop: [] });
  t.strictSame(weighed([role('a'), ...shared(16, 'b')], 'b', all).move.length, 2, 'nothing moves to it');
  const removed = { ...unit('x', 'c', undefined, SHARED_SITE), removed: true };
  t.strictSame(weighed([role('a'), removed], 'c', all).drop, ['x']);
  const pinned = [role('a'), unit('x', 'b', 'c', SHARED_SITE)];
  t.strictSame(weighed(pinned, 'b', all).move, [], 'also what a person wants there');
  t.strictSame(weighed(pinned, 'b', [a, b, { ...c, linked: true }]).move, ['x']);
});

t.test('the gateway role is claimed by all who see it free, whatever they have', async (t) => {
  const members = [member('a', ...SERVES), member('b', ...SERVES), member('c')];
  const owners = [role(), ...shared(80, 'a'), ...shared(20, 'b')];
  const claims = ['a', 'b', 'c'].map((me) => placed(owners, me, members).claim);
  t.strictSame(claims, [[GATEWAY_ROLE], [GATEWAY_ROLE], []], 'c does not reach its network');
});

t.test(
  'a member keeps no unit that is removed, or that it or the gateway does not reach, and nobody claims one',
  async (t) => {
    const [serving, other, not] = [member('a', ...SERVES), member('b', ...SERVES), member('c', '')];
    const removed = shared(2, 'a').map((row) => ({ ...row, removed: true }));
    const units = removed.map((row) => row.unit);
    t.strictSame(placed([role('b'), ...removed], 'a', [serving, other], 1), { claim: [], move: [], drop: units });
    const free = removed.map((row) => ({ ...row, member: undefined }));
    t.strictSame(placed([role('b'), ...free], 'a', [serving, other]).claim, []);
    const kept = { claim: [], move: [], drop: shared(2, 'a').map((row) => row.unit) };
    t.strictSame(placed([role('c'), ...shared(2, 'a'), ...shared(3)], 'a', [serving, not]), kept);
    t.strictSame(placed([role('c'), ...shared(2, 'c'), ...shared(3)], 'c', [serving, not]).drop.length, 2);
    t.strictSame(placed([role('a'), ...shared(3)], 'c', [serving, not]).claim, []);
    const all = { members: [serving, other, not], owners: [role('c'), ...shared(3)] };
    t.strictSame(
      placement(all, 'a', [serving, other], { moves: 9 }).claim,
      [],
      'also of a gateway that is not heard of',
    );
    const former = { ...member(FORMER_OWNER.id), sites: [] };
    const nobodyKnows = { members: [serving, other, former], owners: [role(FORMER_OWNER.id), ...shared(2, 'a')] };
    t.strictSame(
      placement(nobodyKnows, 'a', [serving, other], { moves: 0 }).drop,
      [],
      'while nobody knows who was the gateway they stay',
    );
  },
);

t.test('a unit that counts more is given away only where the member has its share without it', async (t) => {
  const members = [member('a'), member('b')];
  const weightOf = ({ unit: name }: OwnerRow) => (name === 'heavy' ? 4 : 1);
  const moved = (owners: OwnerRow[]) => placement({ members, owners }, 'a', members, { moves: 9, weightOf }).move;
  t.strictSame(moved([unit('heavy', 'a'), unit('light', 'a')]), ['light'], 'the share is 3');
  t.strictSame(moved([unit('heavy', 'a'), ...many(4, 'a')]).length, 4);
  t.strictSame(moved([unit('heavy', 'b'), ...many(4, 'a')]), []);
});

t.test('those of the smallest rank move first', async (t) => {
  const members = [member('a'), member('b')];
  const owners = ['1', '2', '3', '4'].map((name) => unit(name, 'a'));
  const rank = (name: string) => (name === '3' ? 0 : name === '1' ? 2 : 1);
  t.strictSame(placement({ members, owners }, 'a', members, { moves: 2, rank }).move, ['3', '2']);
});

/** Numbers that look random, the same for a seed, below a limit (a linear congruence). */
function numbers(seed: number): (limit: number) => number {
  let state = seed;
  return (limit) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * limit);
  };
}

/** Members beat in any order, each by what it saw after its beat before, until nobody wants anything; gives what moved, and at most how much had to. */
function restOf(seed: number, sitesOf: (below: (limit: number) => number) => string[][]) {
  const below = numbers(seed);
  const members = sitesOf(below).map((sites, at) => member(`m${at}`, ...sites));
  const anyone = () => (below(4) > 0 ? members[below(members.length)]?.id : undefined);
  const sites = [...new Set(members.flatMap((row) => row.sites))].filter((site) => site !== '');
  const units = Array.from({ length: below(201) }, (_, at) =>
    unit(`u${at}`, anyone(), undefined, sites[below(sites.length)]),
  );
  const rows = new Map([role(members[below(members.length)]?.id), ...units].map((row) => [row.unit, row]));
  const view = () => ({ members, owners: [...rows.values()] });
  const counts = () =>
    new Map(members.map(({ id }) => [id, [...rows.values()].filter((row) => row.member === id).length]));
  const seen = new Map(members.map(({ id }) => [id, view()]));
  const before = counts();
  let moved = 0;
  let quiet = 0;
  let beats = 0;
  let turn: MemberRow[] = [];
  for (; quiet < 3 * members.length && beats < 3_000; beats += 1) {
    // All have their turn, in another order each time.
    if (turn.length === 0) turn = members.toSorted(() => below(3) - 1);
    const me = turn.pop()?.id ?? '';
    const asked = placement(seen.get(me) ?? view(), me, members, { moves: 5, weightOf: gatewayWeight });
    const give = (names: readonly string[], from: string | undefined, to: string | undefined) =>
      names.filter((name) => {
        const row = rows.get(name);
        if (row?.member !== from || !row) return false;
        rows.set(name, { ...row, member: to });
        return true;
      }).length;
    moved += give(asked.move, me, undefined);
    give(asked.drop, me, undefined);
    give(asked.claim, undefined, me);
    quiet = asked.move.length + asked.drop.length + asked.claim.length === 0 ? quiet + 1 : 0;
    seen.set(me, view());
  }
  const after = counts();
  const needed = members.reduce((sum, { id }) => sum + Math.max(0, (before.get(id) ?? 0) - (after.get(id) ?? 0)), 0);
  return { beats, moved, needed, rows: [...rows.values()], members, after };
}

t.test('random clusters come to rest with equal shares, and no unit moves that need not', async (t) => {
  for (let seed = 1; seed <= 400; seed += 1) {
    const serving = (below: (limit: number) => number) => Array.from({ length: 1 + below(5) }, () => SERVES);
    const { beats, moved, needed, rows, members, after } = restOf(seed, serving);
    const gateway = rows.find((row) => row.unit === GATEWAY_ROLE)?.member ?? '';
    const units = rows.length - 1;
    const own = (after.get(gateway) ?? 0) - 1;
    const others = members.filter(({ id }) => id !== gateway).map(({ id }) => after.get(id) ?? 0);
    const share = [1, 0.125, 0][members.length - 1] ?? 0;
    const isRight =
      rows.every((row) => row.member !== undefined) &&
      own <= Math.ceil(units * share) + 1 &&
      own >= Math.floor(units * share) - members.length &&
      Math.max(0, ...others) <= Math.ceil((units - own) / Math.max(1, others.length)) + 1;
    if (!isRight || beats >= 3_000 || moved > needed)
      t.fail(`seed ${seed}: ${JSON.stringify({ beats, moved, needed, units, own, others })}`);
  }
});

t.test('random clusters whose members reach different networks come to rest, too', async (t) => {
  for (let seed = 1; seed <= 200; seed += 1) {
    const choices = [SERVES, ['', 'x', 'y'], ['', 'y', SHARED_SITE], ['', 'x'], ['']];
    const some = (below: (limit: number) => number) => [
      ['', 'x', 'y', SHARED_SITE],
      ...Array.from({ length: below(5) }, () => choices[below(5)] ?? []),
    ];
    const { beats, rows } = restOf(seed, some);
    if (beats >= 3_000) t.fail(`seed ${seed} does not come to rest with ${rows.length} rows`);
  }
});
