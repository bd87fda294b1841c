/** Meters that go from one instance to another, on a store of the cluster in memory: how long they are away, and what is not lost. */
import t from 'tap';
import type { SimulatedMeter } from '../../simulator/index.ts';
import { memoryDatabase } from './support/memory-database.ts';
import { openSharing } from './support/sharing.ts';

const SUB = '\x1a';
const STREAMED = { history: 'stream' };

/** How long a meter was not streamed where its session moved, ms: from the end of one stream to the request of the next one on another connection. */
const breaksOf = ({ log }: SimulatedMeter): number[] => {
  const asked = log.events.filter((event) => event.kind === 'command');
  return asked.flatMap(({ text, at, connection }, place) => {
    if (text !== SUB) return [];
    const next = asked.slice(place).find((later) => later.text.startsWith('DRD?'));
    return next && next.connection !== connection ? [next.at - at] : [];
  });
};

/** Seconds without levels. */
const lackingIn = (coverages: readonly number[]): number => coverages.reduce((sum, part) => sum + 1 - part, 0);

t.test('a meter that moves is streamed again after its rest, a question and its rest, and lacks no more', async (t) => {
  const sharing = await openSharing(t, memoryDatabase, ['one', 'two'], 4, STREAMED);
  const { atRest, begin, pass, meters, knocks, first, clock, coverages } = sharing;
  t.strictSame(await atRest(), { one: 1, two: 3 });
  await pass(20_000, { stepMs: 100 });
  for (const { log } of meters) log.clear();
  const from = clock.now() - 2_000;
  await begin('three');
  await pass(20_000, { stepMs: 20 });
  const breaks = meters.flatMap(breaksOf);
  t.equal(breaks.length, 2, 'two have moved');
  t.ok(Math.max(...breaks) <= 2_200, `${breaks.join(' and ')} ms`);
  const lacking = (await coverages(first.base, from, from + 15_000)).map(lackingIn);
  t.ok(Math.max(...lacking) <= 2.4, `${lacking.join(' ')} s of levels`);
  for (const { log } of meters) t.strictSame(log.spacingViolations(980), [], 'the rest of the meter is kept');
  t.strictSame(knocks(), []);
});

t.test('so does a meter whose instance is stopped in order', async (t) => {
  const sharing = await openSharing(t, memoryDatabase, ['one', 'two', 'three'], 2, STREAMED);
  const { atRest, pass, passing, meters, knocks, first, clock, coverages, instances } = sharing;
  t.strictSame(await atRest(), { one: 0, two: 1, three: 1 });
  await pass(10_000, { stepMs: 100 });
  for (const { log } of meters) log.clear();
  const from = clock.now() - 2_000;
  const [, two] = instances;
  if (two) await passing(two.instance.stop());
  await pass(10_000, { stepMs: 20 });
  const breaks = meters.flatMap(breaksOf);
  t.equal(breaks.length, 1);
  t.ok(Math.max(...breaks) <= 2_200, `${breaks.join(' ')} ms`);
  const lacking = (await coverages(first.base, from, from + 8_000)).map(lackingIn);
  t.ok(Math.max(...lacking) <= 2.4, `${lacking.join(' ')} s of levels`);
  for (const { log } of meters) t.strictSame(log.spacingViolations(980), []);
  t.strictSame(knocks(), []);
});

t.test('while a session takes long to end the store is asked no more than usual, and then at once', async (t) => {
  const sharing = await openSharing(t, memoryDatabase, ['one', 'two'], 2, STREAMED);
  const { atRest, begin, pass, meters, instances, served } = sharing;
  const [, two] = instances;
  if (!two) throw new Error('there are no two instances');
  await atRest();
  await pass(10_000, { stepMs: 100 });
  let beats = 0;
  const { ask } = two.store;
  two.store.ask = (...request) => {
    beats += 1;
    return ask(...request);
  };
  for (const { faults } of meters) faults.on('latency', { ms: 1_000 });
  await begin('three');
  await pass(20_000, { stepMs: 100 });
  t.strictSame(await served(), { one: 0, two: 1, three: 1 });
  t.ok(beats < 12, `${beats} requests`);
});

t.test('frames that are kept for the next gateway are not lost because an instance has joined', async (t) => {
  const sharing = await openSharing(t, memoryDatabase, ['one', 'two', 'three'], 6, STREAMED);
  const { instances, atRest, begin, clock, pass, until, knocks, gatewayOf, served, coverages } = sharing;
  const [one, two, three] = instances;
  t.strictSame(await atRest(), { one: 0, two: 3, three: 3 });
  const from = clock.now() - 5_000;
  if (one) one.store.isAway = true;
  await pass(45_000, { stepMs: 100 });
  const four = await begin('four');
  instances.push(four);
  await pass(10_000, { stepMs: 100 });
  await until(() => [two, three, four].some((each) => each?.instance.gateway()), 100);
  await pass(30_000, { stepMs: 100 });
  const { base = '' } = gatewayOf() ?? {};
  const lacking = (await coverages(base, from, from + 70_000)).map(lackingIn);
  t.ok(Math.max(...lacking) < 7, `${lacking.join(' ')} s of levels: those of a move or two`);
  t.ok(Number((await served(base)).four) > 0, 'then it gets its share');
  t.strictSame(knocks(), []);
});
