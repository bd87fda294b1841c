/** Which units a member gives away, and when it begins to. */
import t from 'tap';
import { CLUSTER_TIMES } from '../../lib/cluster/times.ts';
import { GATEWAY_ROLE } from '../../lib/domain/cluster-units.ts';
import { named, withGateway } from './support/loops.ts';

const { beatMs } = CLUSTER_TIMES;

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

t.test('no unit begins to move for 30 s after the gateway has become another one', async (t) => {
  const { clock, store, begin, a } = await withGateway(t, 20);
  const [b, c] = [begin('b'), begin('c')];
  await clock.advance(60_000);
  t.strictSame([store.of('a'), store.of('b'), store.of('c')], [0, 10, 10]);
  const left = a.loop.leave(2_000);
  await clock.advance(beatMs);
  t.ok(await left);
  const next = [b, c].find(({ loop }) => loop.mayAct(GATEWAY_ROLE));
  next?.loop.declare(named(20));
  for (const { told } of [b, c]) told.length = 0;
  await clock.advance(20_000);
  begin('a');
  await clock.advance(4_000);
  t.strictSame([...b.told, ...c.told], [], 'the one before may come back, and wants its part');
  await clock.advance(90_000);
  t.strictSame([store.of('a'), store.of('b'), store.of('c')].toSorted(), [0, 10, 10], 'then it gets it');
});

t.test('units that move go on where no more may begin', async (t) => {
  const { clock, store, begin, a } = await withGateway(t, 20, { endsAtOnce: false });
  begin('b');
  await clock.advance(3 * beatMs);
  const [moving] = a.told;
  t.equal(moving?.length, 5);
  a.state.mayMove = false;
  await clock.advance(2 * beatMs);
  t.strictSame(a.told, [moving], 'their sessions are ending: they would begin again');
  a.ends();
  await clock.advance(2 * beatMs);
  t.strictSame([store.of('a'), store.of('b')], [15, 5]);
  t.strictSame(a.told.at(-1), []);
  a.state.mayMove = true;
  await clock.advance(2 * beatMs);
  t.equal(a.told.at(-1)?.length, 5);
});

t.test('no other unit begins in place of one that stays or is removed, where none may begin', async (t) => {
  const { clock, begin, a } = await withGateway(t, 20, { endsAtOnce: false });
  begin('b');
  await clock.advance(3 * beatMs);
  const moving = a.told[0] ?? [];
  t.equal(moving.length, 5);
  a.state.mayMove = false;
  const [stays = '', goes] = moving;
  a.kept.add(stays);
  a.loop.declare(named(20).filter(({ unit }) => unit !== goes));
  await clock.advance(2 * beatMs);
  const begun = a.told.flat().filter((unit) => !moving.includes(unit));
  t.strictSame(begun, []);
  t.strictSame([...a.loop.unwanted].toSorted(), moving.slice(1));
});
