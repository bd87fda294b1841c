/** What the next gateway asks of meters whose streams go on at other instances, on a store of the cluster in memory. */
import t, { type Test } from 'tap';
import type { SimulatedMeter } from '../../simulator/index.ts';
import { memoryDatabase } from './support/memory-database.ts';
import { openSharing } from './support/sharing.ts';

const STEP = { stepMs: 100 };

/** Three instances; the gateway serves no meter. Their logs are empty. */
async function openThree(t: Test) {
  const sharing = await openSharing(t, memoryDatabase, ['one', 'two', 'three'], 4, { history: 'stream' });
  const { atRest, pass, instances, until, meters } = sharing;
  t.strictSame(await atRest(), { one: 0, two: 2, three: 2 });
  await pass(10_000, STEP);
  for (const { log } of meters) log.clear();
  const [, ...others] = instances;
  const next = () => others.find(({ instance }) => instance.gateway());
  /** Until one of the others is the gateway. */
  const takesOver = async () => {
    await until(() => next() !== undefined, STEP.stepMs);
    return next()?.base ?? '';
  };
  return { ...sharing, takesOver };
}

const asked = ({ log }: SimulatedMeter): readonly string[] => log.commands;

type Sharing = Pick<Awaited<ReturnType<typeof openSharing>>, 'coverages' | 'clock' | 'pass'>;

/**
 * How many seconds of levels each meter lacks, from then until 4 s ago. Levels come over links and through a thread in the time of the computer: it
 * asks again until the last second is there, and with it all before.
 */
async function lackingSince({ coverages, clock, pass }: Sharing, base: string, from: number): Promise<number[]> {
  const to = clock.now() - 4_000;
  const limit = clock.elapsed() + 60_000;
  let parts = await coverages(base, from, to);
  while (parts.some((each) => each.at(-1) !== 1) && clock.elapsed() < limit) {
    await pass(500, STEP);
    parts = await coverages(base, from, to);
  }
  return parts.map((each) => each.reduce((sum, part) => sum + 1 - part, 0));
}

for (const end of ['stopped in order', 'lost'] as const) {
  t.test(`where the gateway is ${end} the next one asks no weighting that another instance knows`, async (t) => {
    const sharing = await openThree(t);
    const { first, passing, pass, takesOver, meters, clock, knocks } = sharing;
    const from = clock.now() - 3_000;
    if (end === 'lost') {
      first.store.isAway = true;
      await pass(45_000, STEP);
    } else await passing(first.instance.stop());
    const base = await takesOver();
    await pass(10_000, STEP);
    t.strictSame(meters.map(asked), [[], [], [], []], 'so no stream ends');
    const lacking = await lackingSince(sharing, base, from);
    // The second in which the gateway changes is in two parts; a question takes three.
    t.ok(Math.max(...lacking) < 2, `${lacking.join(' ')} s of levels`);
    t.strictSame(knocks(), []);
  });
}

t.test('a meter that comes from the gateway before is not asked again which one it is', async (t) => {
  const sharing = await openSharing(t, memoryDatabase, ['one', 'two'], 4, { history: 'stream' });
  const { atRest, pass, passing, instances, first, meters, clock, knocks, takesOver, ask } = sharing;
  const [, two] = instances;
  t.strictSame(await atRest(), { one: 1, two: 3 });
  await pass(10_000, STEP);
  const sessions = await Promise.all(meters.map((_, index) => ask('GET', `${first.base}/m${index}/session`)));
  const comes = sessions.map(({ json }) => json.data.instance === 'one');
  for (const { log } of meters) log.clear();
  const from = clock.now() - 3_000;
  await passing(first.instance.stop());
  if (two) await takesOver(two.instance, STEP.stepMs);
  await pass(20_000, STEP);
  const lacking = await lackingSince(sharing, two?.base ?? '', from);
  // The gateway before ended its stream. It begins again once, after what is asked of every meter that comes, and nothing ends it then.
  const begun = ['\u001a', 'Frequency Weighting (Main)?', 'Time Weighting (Main)?', 'Serial Number?', 'DRD?status'];
  t.strictSame(
    meters.map(asked),
    comes.map((here) => (here ? begun : [])),
  );
  const others = lacking.filter((_, index) => !comes[index]);
  t.equal(others.length, 3);
  t.ok(Math.max(...others) < 2, `${lacking.join(' ')} s of levels`);
  t.strictSame(knocks(), []);
});

t.test('the next gateway asks at once for weightings that are not known after trouble', async (t) => {
  const { first, pass, takesOver, meters, clock } = await openThree(t);
  first.store.isAway = true;
  await pass(45_000, STEP);
  const faults = meters.map((meter) => [meter, meter.faults.on('refused', { connections: 'reset' })] as const);
  await pass(200, STEP);
  for (const [meter, fault] of faults) meter.faults.off(fault);
  await takesOver();
  const from = clock.elapsed();
  await pass(10_000, STEP);
  for (const { log } of meters) {
    const question = log.events.find((event) => event.kind === 'command' && event.text.startsWith('Frequency'));
    t.ok(question && question.at - from < 3_000, `asked after ${question && question.at - from} ms`);
  }
});
