/** Members on one store and one clock, one of them the gateway: it names the units, they are shared, and each session ends before its unit goes. */
import t, { type Test } from 'tap';
import type { ClusterRequest, SharedClusterStore } from '../../lib/cluster/contract.ts';
import { MemberLoop } from '../../lib/cluster/member-loop.ts';
import { unitOwner } from '../../lib/cluster/owners.ts';
import { gatewayWeight } from '../../lib/cluster/placement.ts';
import { CLUSTER_TIMES } from '../../lib/cluster/times.ts';
import { GATEWAY_ROLE, SHARED_SITE, unitIdOf, unitRow } from '../../lib/domain/cluster-units.ts';
import { createLog } from '../../lib/log.ts';
import { VirtualClock } from '../../simulator/index.ts';
import { aboutMember, MemoryClusterStore } from './support/memory-store.ts';

const { beatMs, answerMs, takeMs, ownMs } = CLUSTER_TIMES;
const log = createLog('silent', { write: () => {} });
const named = (count: number) =>
  Array.from({ length: count }, (_, at) => ({ unit: unitRow(String(at).padStart(3, '0')), site: SHARED_SITE }));
const [first] = named(1).map(({ unit }) => unit);
const FIRST = first ?? '';

/** A store that can be away, and tells what it was asked. */
class Store implements Pick<SharedClusterStore, 'ask' | 'members'> {
  isAway = false;
  isSilent = false;
  readonly asked: ClusterRequest[] = [];
  readonly kept = new MemoryClusterStore([{ unit: GATEWAY_ROLE, site: '' }]);

  async ask(request: ClusterRequest, signal: AbortSignal) {
    this.asked.push(request);
    if (this.isSilent) await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    if (this.isAway) throw new Error('nobody listens');
    return this.kept.ask(request, signal);
  }

  get rows() {
    return this.kept.owners.filter(({ unit }) => unit !== GATEWAY_ROLE);
  }
  members = async () => this.kept.members;
  of = (member: string) => this.rows.filter((row) => row.member === member).length;
}

function cluster(t: Test) {
  const clock = new VirtualClock(undefined, { timersOnly: true });
  const store = new Store();
  const loops = new Map<string, MemberLoop>();
  /** Each has a session for each unit that it owns and keeps; they end when `ends` is called, or at once. */
  const begin = (id: string, { serves = true, endsAtOnce = true } = {}) => {
    const told: (readonly string[])[] = [];
    const open = new Set<string>();
    const kept = new Set<string>();
    const follow = () => {
      for (const { unit } of store.rows) if (loop.holds(unit) && !loop.unwanted.has(unit)) open.add(unit);
    };
    const ends = (units: readonly string[] = told.at(-1) ?? []) => {
      for (const unit of units) open.delete(unit);
      loop.hurry();
    };
    const loop: MemberLoop = new MemberLoop({
      ...{ id, about: aboutMember(id), times: CLUSTER_TIMES, movesPerBeat: 5, store, clock, log },
      sites: serves ? ['', SHARED_SITE] : [''],
      weightOf: gatewayWeight,
      isBusy: (unit) => open.has(unit),
      stays: (unit) => kept.has(unit),
      onUnwanted: (units) => {
        told.push(units);
        if (endsAtOnce) ends(units);
      },
      askPromise: async (voter) => {
        const epoch = loop.view.members.find((row) => row.id === id)?.epoch ?? 0;
        return loops.get(voter.id)?.promise({ id, epoch }) ?? false;
      },
    });
    loop.onChange(follow);
    loops.set(id, loop);
    t.teardown(() => loop.close());
    return { loop, told, open, kept, ends };
  };
  return { clock, store, begin };
}

/** `a` is the gateway and has named so many units. */
async function withGateway(t: Test, count: number, options: Parameters<ReturnType<typeof cluster>['begin']>[1] = {}) {
  const parts = cluster(t);
  const a = parts.begin('a', options);
  await parts.clock.advance(1);
  a.loop.declare(named(count));
  await parts.clock.advance(1);
  return { ...parts, a };
}

t.test('a unit has a row of its own, and the gateway role is no unit', async (t) => {
  t.equal(unitIdOf(unitRow('roof')), 'roof');
  t.equal(unitIdOf(GATEWAY_ROLE), undefined);
});

t.test('the gateway serves a new unit at once, and owns it with the beat that names it', async (t) => {
  const { clock, store, begin } = cluster(t);
  const a = begin('a');
  await clock.advance(1);
  t.ok(a.loop.mayAct(FIRST), 'what has no row is the gateway’s');
  a.loop.declare([...named(1), ...named(1), { unit: GATEWAY_ROLE, site: SHARED_SITE }]);
  t.equal(unitOwner(a.loop.view, FIRST), 'a');
  await clock.advance(1);
  t.match(store.rows, [{ unit: FIRST, member: 'a' }]);
  t.ok(a.loop.mayAct(FIRST));
  const asked = store.asked.length;
  a.loop.declare(named(1));
  await clock.advance(1);
  t.equal(store.asked.length, asked, 'the store is not told again what it shows');

  const b = begin('b');
  await clock.advance(3 * beatMs);
  t.notOk(store.asked.slice(asked).some((request) => request.kind === 'beat' && request.units));
  t.equal(unitOwner(b.loop.view, FIRST), 'b', 'an only unit goes to the other one');
  t.ok(b.loop.mayAct(FIRST) && !a.loop.mayAct(FIRST));
  const other = unitRow('other');
  t.equal(unitOwner(b.loop.view, other), 'a');
  t.ok(a.loop.mayAct(other) && !b.loop.mayAct(other));
  b.loop.declare(named(3));
  await clock.advance(1);
  t.equal(store.rows.length, 1, 'only the gateway names units');
  a.loop.declare([{ unit: FIRST, site: 'elsewhere' }]);
  await clock.advance(1);
  t.match(store.rows, [{ unit: FIRST, site: 'elsewhere', member: 'b' }]);
  await clock.advance(beatMs);
  t.match(store.rows, [{ member: undefined }], 'who does not reach it gives it away');
});

t.test('sessions end before their units go, five at a time and in 5 s', async (t) => {
  const { clock, store, begin, a } = await withGateway(t, 20, { endsAtOnce: false });
  t.equal(store.of('a'), 20);
  begin('b');
  await clock.advance(2 * beatMs);
  t.equal(a.told.length, 0, 'the others may not have seen it yet');
  await clock.advance(beatMs);
  t.equal(a.told[0]?.length, 5);
  t.equal(store.of('a'), 20, 'nothing goes while sessions are open');
  await clock.advance(3 * beatMs);
  t.equal(a.told.length, 1, 'and they are the same, however long they take');
  a.ends(a.told[0]?.slice(0, 2));
  await clock.advance(1);
  t.equal(store.of('a'), 18, 'those that ended go at once');
  a.ends();
  await clock.advance(1);
  t.equal(store.of('a'), 13);
  t.equal(a.told.at(-1)?.length, 3, 'two of the next had begun');
  a.ends();
  await clock.advance(1);
  t.equal(store.of('a'), 10);
  t.strictSame(a.told.at(-1), [], 'not more than five in 5 s, however soon they end');
  await clock.advance(3 * beatMs);
  a.ends();
  await clock.advance(3 * beatMs);
  a.ends();
  await clock.advance(3 * beatMs);
  t.strictSame([store.of('a'), store.of('b')], [3, 17], 'an eighth, rounded up, stays with the gateway');
  const { length } = a.told;
  await clock.advance(60_000);
  t.equal(a.told.length, length, 'and then nothing moves');
});

t.test('a unit of which something is kept for the next gateway does not move before that has it', async (t) => {
  const { clock, store, begin, a } = await withGateway(t, 4);
  for (const { unit } of named(3)) a.kept.add(unit);
  begin('b');
  await clock.advance(6 * beatMs);
  t.strictSame([store.of('a'), store.of('b')], [3, 1], 'only the one that may go has gone');
  a.kept.clear();
  await clock.advance(6 * beatMs);
  t.strictSame([store.of('a'), store.of('b')], [1, 3]);
  const [one] = store.rows;
  a.kept.add(one?.unit ?? '');
  a.loop.declare(named(4).filter(({ unit }) => unit !== one?.unit));
  await clock.advance(2 * beatMs);
  t.equal(store.rows.length, 3, 'a removed one goes all the same');
});

t.test('a unit that should go may stay where the other member has gone', async (t) => {
  const { clock, begin, a } = await withGateway(t, 8, { endsAtOnce: false });
  const b = begin('b');
  await clock.advance(3 * beatMs);
  t.equal(a.loop.unwanted.size, 5);
  const left = b.loop.leave(2_000);
  await clock.advance(1);
  t.ok(await left);
  await clock.advance(beatMs);
  t.strictSame(a.told.at(-1), []);
  t.ok(named(8).every(({ unit }) => a.loop.mayAct(unit)));
});

t.test('all sessions of removed units end at once; a unit that is made again stays with who has it', async (t) => {
  const { clock, store, begin, a } = await withGateway(t, 40);
  const b = begin('b', { endsAtOnce: false });
  await clock.advance(60_000);
  t.equal(store.of('b'), 35);
  a.loop.declare([]);
  t.equal(a.loop.unwanted.size, 0);
  await clock.advance(1);
  t.equal(store.of('a'), 0, 'its own go with the same beat, or the next');
  t.equal(store.of('b'), 35);
  await clock.advance(beatMs);
  t.equal(b.told.at(-1)?.length, 35);
  t.notOk(a.loop.mayAct(b.told.at(-1)?.[0] ?? ''), 'until these have ended nobody else may act there');
  const [again = '', other = ''] = b.told.at(-1) ?? [];
  a.loop.declare([{ unit: again, site: SHARED_SITE }]);
  await clock.advance(beatMs);
  t.notOk(b.loop.unwanted.has(again));
  b.ends();
  await clock.advance(1);
  t.match(store.rows, [{ unit: again, member: 'b', removed: false }]);
  await clock.advance(beatMs);
  t.ok(a.loop.mayAct(other), 'it could be made again');
  t.notOk(b.loop.mayAct(other));
});

t.test('who leaves tells all its units at once, and is gone when the last session has ended', async (t) => {
  const { clock, store, begin, a } = await withGateway(t, 12, { endsAtOnce: false });
  const b = begin('b');
  await clock.advance(1);
  const left = a.loop.leave(2_000, 10_000);
  t.equal(a.told.at(-1)?.length, 13, 'with the gateway role');
  await clock.advance(1_000);
  t.equal(store.of('a'), 12);
  a.ends(named(11).map(({ unit }) => unit));
  await clock.advance(1);
  t.equal(store.of('a'), 1);
  a.ends();
  await clock.advance(1);
  t.ok(await left);
  t.strictSame(a.told.at(-1), []);
  await clock.advance(beatMs);
  t.equal(store.of('b'), 12);
  t.ok(b.loop.mayAct(GATEWAY_ROLE));
});

t.test('who leaves waits for sessions until its time is over, and not longer', async (t) => {
  const { clock, store, begin, a } = await withGateway(t, 3, { endsAtOnce: false });
  begin('b');
  await clock.advance(1);
  const left = a.loop.leave(2_000, 7_000);
  await clock.advance(6_999);
  t.equal(store.of('a'), 3);
  await clock.advance(1);
  t.ok(await left);
  t.equal(store.of('a'), 0);
});

t.test('a gateway that does not share gets the units of the others before it acts there', async (t) => {
  const { clock, store, begin, a } = await withGateway(t, 4);
  const b = begin('b', { endsAtOnce: false });
  await clock.advance(20_000);
  t.equal(store.of('b'), 3);
  const c = begin('c', { serves: false });
  await clock.advance(beatMs);
  t.equal(store.of('c'), 0);
  a.loop.close();
  // b must not be the one that takes over.
  await clock.advance(takeMs - ownMs);
  const free = store.kept.members.find(({ id }) => id === 'a');
  store.kept.done({
    ...{ kind: 'beat', member: 'c', epoch: 1, beat: 1_000, answered: 0, release: [], voters: [], state: 'staying' },
    close: free ? [{ id: 'a', epoch: free.epoch, beat: free.beat }] : [],
    claim: [GATEWAY_ROLE],
  });
  c.loop.close();
  const again = begin('c', { serves: false });
  await clock.advance(1);
  t.ok(again.loop.mayAct(GATEWAY_ROLE));
  const [unit = ''] = [...b.open];
  t.ok(b.loop.mayAct(unit) && !again.loop.mayAct(unit));
  again.loop.declare([]);
  await clock.advance(2 * beatMs);
  t.equal(b.loop.unwanted.size, b.open.size);
  t.ok(b.loop.mayAct(unit) && !again.loop.mayAct(unit), 'it waits for the end of the session');
  b.ends();
  await clock.advance(beatMs);
  t.ok(again.loop.mayAct(unit) && !b.loop.mayAct(unit));
  t.strictSame(store.rows, []);
});

t.test('what a gateway has named is forgotten with its role', async (t) => {
  const { clock, store, begin, a } = await withGateway(t, 4);
  const b = begin('b');
  await clock.advance(20_000);
  const left = a.loop.leave(2_000);
  await clock.advance(beatMs);
  await left;
  const again = begin('a');
  await clock.advance(beatMs);
  t.ok(b.loop.mayAct(GATEWAY_ROLE));
  b.loop.declare(named(6));
  await clock.advance(1);
  store.asked.length = 0;
  b.loop.close();
  await clock.advance(takeMs + 3 * beatMs);
  t.ok(again.loop.mayAct(GATEWAY_ROLE));
  t.equal(store.of('a'), 6);
  t.notOk(
    store.asked.some((request) => request.kind === 'beat' && request.units),
    'it names none that it does not know',
  );
});

t.test('while the store is away each goes on with its own units by the promises of the others', async (t) => {
  const { clock, store, begin, a } = await withGateway(t, 20);
  const [b, c] = [begin('b'), begin('c')];
  await clock.advance(60_000);
  const before = store.kept.owners;
  t.strictSame([store.of('a'), store.of('b'), store.of('c')], [0, 10, 10]);
  store.isAway = true;
  await clock.advance(3 * takeMs);
  for (const [loop, id] of [
    [a.loop, 'a'],
    [b.loop, 'b'],
    [c.loop, 'c'],
  ] as const)
    for (const row of before) t.equal(loop.mayAct(row.unit), row.member === id);
  store.isAway = false;
  await clock.advance(takeMs + 3 * beatMs);
  t.strictSame(store.kept.owners, before, 'and nothing has changed hands');
});

t.test('so it is where the store goes away again just after it failed over', async (t) => {
  const { clock, store, begin, a } = await withGateway(t, 20);
  const [b, c] = [begin('b'), begin('c')];
  await clock.advance(60_000);
  const before = store.kept.owners;
  store.kept.failOver();
  await clock.advance(2 * beatMs);
  store.isAway = true;
  await clock.advance(takeMs);
  for (const [loop, id] of [
    [a.loop, 'a'],
    [b.loop, 'b'],
    [c.loop, 'c'],
  ] as const)
    for (const row of before) t.equal(loop.mayAct(row.unit), row.member === id);
});

t.test(
  'without the promise of one of them a member gives up its units, and they are taken over by the others',
  async (t) => {
    const { clock, store, begin, a } = await withGateway(t, 20);
    const [b, c] = [begin('b'), begin('c')];
    await clock.advance(60_000);
    store.isAway = true;
    c.loop.close();
    await clock.advance(ownMs + 2 * answerMs);
    t.notOk(store.kept.owners.some(({ unit }) => a.loop.mayAct(unit) || b.loop.mayAct(unit)));
    store.isAway = false;
    await clock.advance(takeMs + 3 * beatMs);
    t.equal(store.of('c'), 0);
    t.equal(store.of('a') + store.of('b'), 20);
  },
);

t.test('a unit that was given away as the store went away is nobody’s until it is back', async (t) => {
  const { clock, store, begin, a } = await withGateway(t, 4, { endsAtOnce: false });
  const b = begin('b');
  await clock.advance(3 * beatMs);
  const [unit = ''] = a.told.at(-1) ?? [];
  store.isAway = true;
  a.ends();
  await clock.advance(takeMs);
  t.ok(a.loop.mayAct(GATEWAY_ROLE));
  t.notOk(a.loop.mayAct(unit) || b.loop.mayAct(unit));
  store.isAway = false;
  await clock.advance(2 * beatMs);
  t.ok(b.loop.mayAct(unit) && !a.loop.mayAct(unit));
});

t.test('what a beat without an answer gave away is given away again, whatever is wanted by then', async (t) => {
  const { clock, store, begin, a } = await withGateway(t, 4, { endsAtOnce: false });
  begin('b');
  await clock.advance(3 * beatMs);
  const [unit = ''] = a.told.at(-1) ?? [];
  store.isAway = true;
  a.ends();
  // By then the other one is not heard of: nothing would move to it.
  await clock.advance(4 * beatMs);
  const asked = store.asked.length;
  await clock.advance(beatMs);
  const again = store.asked.slice(asked).find(({ member }) => member === 'a');
  t.ok(again?.kind === 'beat' && again.release.includes(unit), 'the store may have it, and another one the unit');
});

t.test('who is in a hurry while the store is silent does not ask twice at the same time', async (t) => {
  const { clock, store, a } = await withGateway(t, 1);
  store.isSilent = true;
  a.loop.hurry();
  await clock.advance(1);
  const asked = store.asked.length;
  a.loop.hurry();
  a.loop.declare(named(2));
  await clock.advance(answerMs - 2);
  t.equal(store.asked.length, asked);
  store.isSilent = false;
  await clock.advance(2);
  t.equal(store.asked.length, asked + 1);
  t.equal(store.of('a'), 2);
});
