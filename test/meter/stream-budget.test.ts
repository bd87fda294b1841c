/** A watched stream keeps its share of the line, whoever asks; and whoever asks is answered. */
import t, { type Test } from 'tap';
import { NL43 } from '../../lib/drivers/nl43/index.ts';
import type { Reservation } from '../../lib/meter/contract.ts';
import { readClock } from '../../lib/meter/device-clock.ts';
import { StreamBudget } from '../../lib/meter/stream-budget.ts';
import { loadProfile, type Profile } from '../../simulator/index.ts';
import {
  askBattery,
  type BusyLine,
  fewestIn,
  longestBreak,
  openBusyLine,
  type Question,
} from '../support/busy-line.ts';
import { patient } from './support/bench.ts';

interface SlowMeter {
  readonly what: string;
  readonly quirks?: Partial<Profile>;
  /** Frames that come after the end of the stream, 50 ms apart. */
  readonly lateFrames?: number;
  readonly longerS: number;
}

async function lineOf(t: Test, profile = 'lan', quirks: Partial<Profile> = {}): Promise<BusyLine> {
  const line = await openBusyLine({ ...loadProfile(profile), ...quirks });
  t.teardown(() => line.close());
  return line;
}

const fiveReads = async (reservation: Reservation) => {
  for (const name of ['live', 'measuring', 'battery', 'cardSpace', 'clock'] as const) await reservation.perform(name);
};
const askSleep: Question = (meter, caller) => meter.perform('sleepMode', caller);
const askResult: Question = (meter, caller) => meter.perform('lastResult', caller);

/** A clock that moves only when a test moves it. */
function budgetAt() {
  const clock = { at: 0, elapsed: () => clock.at };
  const budget = new StreamBudget(clock);
  const question = (who: string, isBackground = false) => ({ key: who, isBackground });
  /** One interruption of so many seconds that sends one command. */
  const interrupt = (who: string, seconds = 2) => {
    budget.interrupted();
    budget.sent(question(who));
    clock.at += seconds * 1_000;
    budget.asked();
    budget.frame(1);
    clock.at += 500;
  };
  budget.asked();
  budget.frame(0);
  clock.at += 10_000;
  return { clock, budget, question, interrupt };
}

t.test('first questions of a caller may use six seconds of credit, and then wait for the balance', (t) => {
  const { budget, question, interrupt } = budgetAt();
  let count = 0;
  while (budget.inMs(question(`q${count}`)) === 0) interrupt(`q${count++}`);
  t.ok(count >= 5 && count <= 7, `${count} questions`);
  const waitMs = budget.inMs(question('next'));
  t.ok(waitMs > 0 && waitMs < 11_000, `${waitMs} ms`);
  t.end();
});

t.test('a question that its caller asked within the last minute leaves three seconds for others', (t) => {
  const { clock, budget, question, interrupt } = budgetAt();
  interrupt('again');
  t.ok(budget.inMs(question('again')) > 0);
  t.equal(budget.inMs(question('another')), 0, 'the first question of another caller goes at once');
  clock.at += 60_000;
  t.equal(budget.inMs(question('again')), 0);
  t.end();
});

t.test('a repeated question waits at most until a minute after the same question before', (t) => {
  const { clock, budget, question, interrupt } = budgetAt();
  interrupt('again');
  const from = clock.at;
  for (let count = 0; budget.inMs(question(`q${count}`)) === 0; count += 1) interrupt(`q${count}`);
  clock.at += 20_000;
  const minuteInMs = 60_000 - (clock.at - from);
  const waitMs = budget.inMs(question('again'));
  t.ok(waitMs > minuteInMs - 5_000 && waitMs <= minuteInMs, `${waitMs} ms`);
  clock.at += waitMs;
  t.equal(budget.inMs(question('again')), 0);
  t.end();
});

t.test('background questions open one break a minute, and ride along in that of others', (t) => {
  const { clock, budget, question } = budgetAt();
  const background = question('session', true);
  t.equal(budget.inMs(background), 0);
  budget.interrupted();
  budget.sent(background);
  clock.at += 2_000;
  budget.asked();
  budget.frame(1);
  t.ok(budget.inMs(background) > 55_000);
  clock.at += 20_000;
  budget.interrupted();
  budget.sent(question('person'));
  t.equal(budget.inMs(background), 0, 'the stream is interrupted for somebody else');
  t.end();
});

t.test('a new stream without a frame delays questions for five seconds', (t) => {
  const { clock, budget, question } = budgetAt();
  budget.interrupted();
  budget.asked();
  t.equal(budget.inMs(question('a')), 5_000);
  clock.at += 5_000;
  t.equal(budget.inMs(question('a')), 0);
  t.end();
});

for (const profile of ['lan', 'lte']) {
  t.test(`${profile}: three programs that ask without a pause leave 75 % of the frames of any minute`, async (t) => {
    const line = await lineOf(t, profile);
    line.watch();
    await line.pass(3_000);
    line.poll(100, 'one', askBattery);
    line.poll(100, 'two', askSleep);
    line.poll(100, 'three', askResult);
    await line.pass(80_000);
    const fewest = fewestIn(60, line.frames);
    const wanted = profile === 'lte' ? 400 : 450;
    t.ok(fewest >= wanted, `${fewest} of 600`);
    t.same(line.failures, [], 'whoever asks is answered');
    t.ok(line.waits.length > 4, `${line.waits.length} answers`);
  });
}

/** Faults of slow meters, and how much longer one interruption takes with each, s. */
const SLOW_METERS: readonly SlowMeter[] = [
  { what: 'takes 3 s for a reply', quirks: { think_query_ms: [3_000, 3_000] }, longerS: 6 },
  { what: 'ends its stream 2 s late', lateFrames: 40, longerS: 2 },
  {
    // Over a new connection the gateway asks first which meter it is, and whether it measures: three questions more.
    what: 'must be connected to again for each question',
    lateFrames: 100,
    longerS: 7,
  },
];

for (const { what, quirks, lateFrames, longerS } of SLOW_METERS)
  t.test(`a meter that ${what}: the budget counts real time, and all bounds have this time added`, async (t) => {
    const line = await lineOf(t, 'lte', quirks);
    if (lateFrames) line.simulated.faults.on('data-after-sub', { frames: lateFrames, gap_ms: 50 });
    line.watch();
    await line.pass(15_000);
    for (const ask of ['sleepMode', 'fileServer'] as const) {
      const from = line.clock.elapsed();
      await line.clock.until(line.meter.perform(ask, patient({ who: 'person', maxAgeMs: 0 })));
      const ms = line.clock.elapsed() - from;
      t.ok(ms <= 3_000 + longerS * 1_000, `a person waits ${ms} ms`);
      await line.pass(10_000);
    }
    const hole = longestBreak(line.frames);
    t.ok(hole <= 4_000 + longerS * 1_000, `no frame for ${hole} ms`);
    const from = line.clock.elapsed();
    line.poll(10, 'one', askBattery);
    line.poll(10, 'two', askSleep);
    await line.pass(125_000);
    t.same(line.failures, [], 'whoever asks is answered');
    // First questions owe six seconds.
    const later = fewestIn(
      60,
      line.frames.filter((at) => at > from + 60_000),
    );
    t.ok(later >= 450 - longerS * 10, `${later} of 600 frames beside ${line.waits.length} answers`);
  });

t.test('a person waits at most four seconds beside a program that asks without a pause', async (t) => {
  const line = await lineOf(t);
  line.watch();
  line.poll(100, 'program');
  await line.pass(40_000);
  for (const ask of ['sleepMode', 'fileServer', 'lastResult'] as const) {
    const from = line.clock.elapsed();
    await line.clock.until(line.meter.perform(ask, patient({ who: 'person', maxAgeMs: 0 })));
    t.ok(line.clock.elapsed() - from < 4_000, `${ask}: ${line.clock.elapsed() - from} ms`);
    await line.pass(15_000);
  }
});

t.test('a person alone waits less than three seconds, and no hole is longer than 3.5 s', async (t) => {
  const line = await lineOf(t);
  line.watch();
  await line.pass(5_000);
  for (const ask of ['sleepMode', 'fileServer', 'lastResult', 'storeName', 'sleepMode'] as const) {
    const from = line.clock.elapsed();
    await line.clock.until(line.meter.perform(ask, patient({ who: 'person', maxAgeMs: 0 })));
    t.ok(line.clock.elapsed() - from < 3_000, `${ask}: ${line.clock.elapsed() - from} ms`);
    await line.pass(10_000);
  }
  t.ok(longestBreak(line.frames) < 3_500, `${longestBreak(line.frames)} ms`);
});

t.test('work that reads with several commands is one interruption', async (t) => {
  const line = await lineOf(t);
  line.watch();
  await line.pass(2_000);
  const before = line.simulated.log.commands.length;
  const from = line.clock.elapsed();
  await line.clock.until(line.meter.reserve('read', fiveReads, patient({ who: 'person' }), { isRead: true }));
  t.ok(line.clock.elapsed() - from < 9_000, `${line.clock.elapsed() - from} ms`);
  t.notOk(line.simulated.log.commands.slice(before).some((text) => text.startsWith('DRD')));
});

t.test('in a break of the stream the battery is that of the last frame, and the clock is read', async (t) => {
  const line = await lineOf(t);
  line.watch();
  await line.pass(2_000);
  const caller = patient({ who: 'person' });
  await line.clock.until(line.meter.perform('sleepMode', { ...caller, maxAgeMs: 0 }));
  await line.pass(600);
  const sent = line.simulated.log.commands.length;
  const from = line.clock.elapsed();
  t.same(await line.clock.until(line.meter.perform('battery', caller)), { percent: 100, word: 'Full' });
  t.equal(line.clock.elapsed(), from);
  t.same(line.simulated.log.commands.slice(sent), []);
  await line.clock.until(line.meter.perform('clock', caller));
  t.same(line.simulated.log.commands.slice(sent), ['Clock?']);
});

t.test(
  'the clock is read for a job at once, although a background reading has just interrupted the stream',
  async (t) => {
    const line = await lineOf(t);
    line.watch();
    await line.pass(2_000);
    await line.clock.until(line.meter.perform('battery', patient({ priority: 'background' })));
    await line.pass(1_000);
    const from = line.clock.elapsed();
    await line.clock.until(readClock(line.meter, line.clock, patient({ who: 'mirror', job: 'mirror' })));
    t.ok(line.clock.elapsed() - from < 15_000, `${line.clock.elapsed() - from} ms`);
  },
);

t.test('after a setting of an operator frames go on within 2.5 s', async (t) => {
  const line = await lineOf(t);
  line.watch();
  await line.pass(300);
  await line.clock.until(line.meter.perform('start', patient({}), { isAwake: true }));
  const at = line.clock.elapsed();
  await line.pass(2_500);
  t.ok(line.frames.some((each) => each > at));
  const stopped = line.meter.perform('stop', patient());
  const sentBy = line.clock.elapsed() + 1_500;
  await line.clock.until(stopped);
  t.ok(line.clock.elapsed() <= sentBy, 'it does not wait for a budget');
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
  await line.pass(30_000);
  await cycle;
  const first = line.frames.find((each) => each > back) ?? Number.POSITIVE_INFINITY;
  t.ok(first - back < 5_000, `${first - back} ms`);
});

t.test('a question whose caller leaves while the break begins is not sent', async (t) => {
  const line = await lineOf(t);
  line.watch();
  await line.pass(3_000);
  const leaving = new AbortController();
  const asked = line.meter.perform('sleepMode', { signal: leaving.signal });
  asked.catch(() => {});
  await line.pass(500);
  leaving.abort(new Error('the caller has gone'));
  await t.rejects(asked);
  await line.pass(5_000);
  t.notOk(line.simulated.log.commands.includes('Sleep Mode?'));
  t.ok((line.frames.at(-1) ?? 0) > line.clock.elapsed() - 500, 'frames go on');
});

t.test('callers take turns: twenty questions of one do not go before the question of another', async (t) => {
  const line = await lineOf(t);
  line.watch();
  await line.pass(3_000);
  const names = ['serialNumber', 'firmware', 'model', 'storeMode', 'storeName', 'sleepMode', 'fileServer'] as const;
  const flood = names.map((name) => line.meter.perform(name, patient({ who: 'flood', maxAgeMs: 0 })));
  const other = line.meter.perform('lastResult', patient({ who: 'other' }));
  await line.clock.until(other);
  const sent = line.simulated.log.commands;
  t.ok(sent.slice(-3).includes('DLC?') && !sent.includes('FTP?'), sent.slice(-5).join(' '));
  await line.clock.until(Promise.all(flood));
});

t.test('a job that reads with several commands says so', (t) => {
  const changing = ['start', 'reset'];
  for (const [name, operation] of Object.entries(NL43.operations))
    if (operation?.reserves) t.equal(operation.reads ?? false, !changing.includes(name), name);
  t.end();
});
