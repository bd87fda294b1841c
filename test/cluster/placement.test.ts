/** Few units move: those of nobody, those above the share, those that a person has pinned. */
import t from 'tap';
import type { MemberRow, OwnerRow } from '../../lib/cluster/contract.ts';
import { drainStep } from '../../lib/cluster/drain.ts';
import { placement } from '../../lib/cluster/placement.ts';
import { aboutMember } from './support/memory-store.ts';

const member = (id: string, ...sites: string[]): MemberRow => ({
  id,
  epoch: 1,
  beat: 1,
  open: true,
  leaving: false,
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
