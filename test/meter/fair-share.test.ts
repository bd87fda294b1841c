/** A watched stream keeps its share of the line, whoever asks; and whoever asks is answered. */
import t, { type Test } from 'tap';
import { NL43 } from '../../lib/drivers/nl43/index.ts';
import type { Reservation } from '../../lib/meter/contract.ts';
import { loadProfile, profileNames } from '../../simulator/index.ts';
import { seeded } from '../../simulator/random.ts';
import { type BusyLine, fewestInTenSeconds, longestBreak, openBusyLine } from '../support/busy-line.ts';
import { patient } from './support/bench.ts';

const SEEDS = [1, 2, 3];
/** Frames of a slow link come five at a time. */
const BUNCH = 5;

async function lineOf(t: Test, profile = 'default', seed = 1): Promise<BusyLine> {
  const line = await openBusyLine(loadProfile(profile), seed);
  t.teardown(() => line.close());
  return line;
}

const fiveReads = async (reservation: Reservation) => {
  for (const name of ['live', 'measuring', 'battery', 'cardSpace', 'clock'] as const) await reservation.perform(name);
};

for (const profile of profileNames()) {
  t.test(`${profile}: 70 % of the frames of any ten seconds, whatever is asked how often`, async (t) => {
    for (const seed of SEEDS) {
      const random = seeded(seed);
      const line = await lineOf(t, profile, seed);
      line.watch();
      const ends = [line.poll(random() * 1_000), line.poll(random() * 6_000)];
      const reading = line.meter.reserve('read', fiveReads, patient({ priority: 'background', deadlineMs: 300_000 }));
      reading.catch(() => {});
      await line.pass(40_000 + random() * 20_000);
      for (const end of ends) end();
      // On a slow link one command alone may take more than three seconds; no second one is in these ten seconds.
      const wanted = Math.min(70, (10_000 - longestBreak(line.frames)) / 100 - BUNCH);
      const fewest = fewestInTenSeconds(line.frames);
      t.ok(fewest >= wanted, `seed ${seed}: ${fewest} of 100, ${wanted} wanted`);
      t.ok(longestBreak(line.frames) < 4_500, `${longestBreak(line.frames)} ms without a frame`);
      t.same(line.failures, [], 'who asks is answered');
      t.ok(line.waits.length > 1);
    }
  });
}

t.test('a viewer that comes while a reading of many commands runs gets 25 frames within four seconds', async (t) => {
  const line = await lineOf(t);
  const reading = line.meter.reserve('read', fiveReads, patient({ priority: 'background' }));
  await line.pass(200);
  line.watch();
  await line.pass(4_000);
  t.ok(line.frames.length >= 25, `${line.frames.length} frames`);
  reading.catch(() => {});
});

t.test('after a setting of an operator frames go on within 2.5 s', async (t) => {
  for (const waitMs of [300, 2_000, 9_000]) {
    const line = await lineOf(t, 'lan');
    line.watch();
    await line.pass(waitMs);
    await line.clock.until(line.meter.perform('start', patient({}), { isAwake: true }));
    const at = line.clock.elapsed();
    await line.pass(2_500);
    t.ok(
      line.frames.some((each) => each > at),
      `asked after ${waitMs} ms`,
    );
    const stopped = line.meter.perform('stop', patient());
    const sentBy = line.clock.elapsed() + 1_500;
    await line.clock.until(stopped);
    t.ok(line.clock.elapsed() <= sentBy, 'it does not wait for the share of the stream');
  }
});

t.test('a meter that was switched off and on: the first frame comes within five seconds of its return', async (t) => {
  const line = await lineOf(t);
  line.watch();
  line.poll(200);
  await line.pass(10_000);
  let back = Number.POSITIVE_INFINITY;
  const cycle = line.simulated.powerCycle(8_000).then(() => {
    back = line.clock.elapsed();
  });
  await line.pass(40_000);
  await cycle;
  const first = line.frames.find((each) => each > back) ?? Number.POSITIVE_INFINITY;
  t.ok(first - back < 5_000, `${first - back} ms`);
  const after = line.frames.filter((each) => each >= first);
  t.ok(fewestInTenSeconds(after) >= 70, `${fewestInTenSeconds(after)} of 100`);
});

t.test('an answer younger than two seconds is given again with its age, until a setting is sent', async (t) => {
  const line = await lineOf(t, 'instant');
  const asked = () => line.simulated.log.commands.filter((text) => text === 'Battery Level?').length;
  const ask = () => {
    const told: number[] = [];
    const answer = line.clock.until(line.meter.perform('battery', patient({ onAge: (ms) => told.push(ms) })));
    return answer.then((value) => ({ value, told }));
  };
  await ask();
  await ask();
  t.equal(asked(), 2, 'without a viewer each is asked anew');
  line.watch();
  await line.pass(3_500);
  const { value } = await ask();
  await line.pass(500);
  const again = await ask();
  t.same(again, { value, told: [500] });
  t.equal(asked(), 3);
  await line.clock.until(line.meter.perform('setClock', patient(), '2026/11/22 12:00:00'));
  const fresh = await ask();
  t.same(fresh.told, []);
  t.equal(asked(), 4);
});

t.test('a reading that nobody waits for any more sends nothing more', async (t) => {
  const line = await lineOf(t, 'instant');
  line.watch();
  await line.pass(1_000);
  const reading = line.meter.reserve('read', fiveReads, patient({ priority: 'background', deadlineMs: 8_000 }));
  const refused = t.rejects(reading, { code: 'QUEUE_TIMEOUT' });
  await line.pass(8_100);
  await refused;
  const before = line.simulated.log.commands.length;
  await line.pass(20_000);
  t.equal(line.simulated.log.commands.length, before);
  t.equal(line.meter.report().waiting.length, 0);
});

t.test('what reads with several commands says so', (t) => {
  const changing = ['start', 'reset'];
  for (const [name, operation] of Object.entries(NL43.operations))
    if (operation?.reserves) t.equal(operation.reads ?? false, !changing.includes(name), name);
  t.end();
});
