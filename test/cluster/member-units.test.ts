/** Members on one store and one clock, one of them the gateway: it names the units, they are shared, and each session ends before its unit goes. */
import t from 'tap';
import { unitOwner } from '../../lib/cluster/owners.ts';
import { CLUSTER_TIMES } from '../../lib/cluster/times.ts';
import { GATEWAY_ROLE, unitIdOf, unitRow } from '../../lib/domain/cluster-units.ts';
import { SHARED_SITE } from '../../lib/remote/shared-site.ts';
import { cluster, named, withGateway } from './support/loops.ts';

const { beatMs, answerMs, takeMs, ownMs } = CLUSTER_TIMES;
const [first] = named(1).map(({ unit }) => unit);
const FIRST = first ?? '';

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

t.test('one that could not be the gateway leaves that role to others, but not the meters', async (t) => {
  const { clock, begin, a, store } = await withGateway(t, 8);
  const b = begin('b');
  b.state.canBeGateway = false;
  await clock.advance(60_000);
  t.equal(store.of('b'), 7);
  void a.loop.leave(1_000);
  await clock.advance(60_000);
  t.notOk(b.loop.holds(GATEWAY_ROLE), 'although nobody else is there');
  t.equal(store.of('b'), 8);
  b.state.canBeGateway = true;
  await clock.advance(beatMs + answerMs);
  t.ok(b.loop.holds(GATEWAY_ROLE), 'from the moment on at which it could');
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
    ...{
      kind: 'beat',
      member: 'c',
      epoch: 1,
      beat: 1_000,
      answered: 0,
      release: [],
      voters: [],
      linked: true,
      state: 'staying',
    },
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
