import t from 'tap';
import type { MeterEvent, SimulatedMeter } from '../../simulator/index.ts';
import { rig, typing } from './rig.ts';

const SUB = '\x1a';
const counters = (text: string) => [...text.matchAll(/^ *(\d+),/gm)].map(([, counter]) => Number(counter));

const frameTimes = (meter: SimulatedMeter) =>
  meter.log.events
    .filter((event): event is Extract<MeterEvent, { kind: 'out' }> => event.kind === 'out')
    .flatMap(({ at, bytes }) => counters(Buffer.from(bytes).toString()).map(() => at));

t.test('frames follow the result at 100 ms, counted from 1, until SUB; then the prompt and nothing more', async (t) => {
  const { clock, typist } = await typing(t);
  typist.type('DRD?\r\n');
  t.equal(await typist.take('\r\n'), 'R+0000\r\n');
  await clock.advance(1_000);
  t.same(counters(await typist.take(/^ 10,.*\r\n/m)), [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
  typist.type(SUB);
  t.equal(await typist.take('$'), '$');
  await clock.advance(1_000);
  t.equal(await typist.ask('Pause?'), 'R+0000\r\nOff\r\n$', 'no frame in front of the next reply');
});

t.test('frames keep to the grid of the request', async (t) => {
  const { clock, meter, typist } = await typing(t);
  await clock.advance(37);
  await typist.stream();
  const began = clock.elapsed();
  for (let i = 0; i < 30; i++) await clock.advance(i % 2 ? 33 : 190);
  const times = frameTimes(meter);
  t.ok(times.length >= 30);
  times.forEach((at, index) => void t.equal(Math.round((at - began) * 1e6) / 1e6, (index + 1) * 100));
});

t.test('a clock that comes late gets the missed frames at once, and no drift', async (t) => {
  const late = 7;
  let waits = 0;
  const { client, clock } = await rig(t);
  const after = clock.after.bind(clock);
  // A timer of a busy machine: never early, now and then late.
  clock.after = (ms, fire) => after(ms + (waits++ % 3) * late, fire);
  const typist = await client();
  await typist.stream();
  await clock.advance(10_000 + 2 * late);
  t.equal(counters(await typist.take(/^100,.*\r\n/m)).length, 100);
});

t.test('the counter wraps from 600 to 1 and begins at 1 with each request', async (t) => {
  const { clock, typist } = await typing(t, {}, { soundStepMs: 100 });
  await typist.stream();
  await clock.advance(60_200);
  t.same(counters(await typist.take(/^ {2}2,[^$]*^ {2}2,.*\r\n/m)).slice(-4), [599, 600, 1, 2]);
  typist.type(SUB);
  await typist.take('$');
  await typist.stream();
  await clock.advance(100);
  t.same(counters(await typist.take(/,-\r\n/)), [1]);
});

t.test('frames on their way still arrive after SUB', async (t) => {
  const { clock, typist } = await typing(t, { late_frames: 2 });
  await typist.stream();
  await clock.advance(150);
  typist.type(SUB);
  await clock.until(
    typist.take('$').then((heard) => t.same(counters(heard), [1, 2, 3])),
    { stepMs: 50 },
  );
});

t.test('commands other than SUB in a stream are ignored, or refused where the profile says so', async (t) => {
  for (const [rule, answer] of [
    ['ignored', ''],
    ['refused', 'R+0004\r\n$'],
  ] as const) {
    const { clock, meter, typist } = await typing(t, { stream_input: rule });
    await typist.stream();
    typist.type('Measure,Start\r\n');
    await clock.advance(100);
    const heard = await typist.take(/,-\r\n/);
    t.equal(heard.replace(/ {2}1,.*\r\n/, ''), answer, rule);
    t.equal(meter.read('Measure'), 'Stop');
  }
});

t.test('closing the connection ends the stream and leaves no timer', async (t) => {
  const { client, clock, meter } = await rig(t);
  const before = clock.pending;
  const typist = await client();
  await typist.stream();
  t.equal(clock.pending, before + 1);
  const gone = new Promise<void>((resolve) => {
    meter.log.follow((event) => event.kind === 'disconnect' && resolve());
  });
  typist.close();
  await gone;
  t.equal(clock.pending, before);
});

t.test('a cellular link brings frames in bunches', async (t) => {
  const { clock, meter, typist } = await typing(t, { frames_bunched: 5 });
  await typist.stream();
  await clock.advance(1_000);
  t.same(frameTimes(meter), [500, 500, 500, 500, 500, 1000, 1000, 1000, 1000, 1000]);
});

t.test('in Auto store mode a stream needs an Lp store interval of 100 ms', async (t) => {
  const { meter, typist } = await typing(t);
  meter.set('Store Mode', 'Auto');
  meter.set('Lp Store Interval', '1s');
  t.equal(await typist.ask('DRD?'), 'R+0004\r\n$');
  meter.set('Lp Store Interval', '100ms');
  typist.type('DRD?\r\n');
  t.equal(await typist.take('\r\n'), 'R+0000\r\n');
});

t.test('DRD?status adds time, power, battery, card and state', async (t) => {
  const { clock, meter, typist } = await typing(t);
  meter.set('Clock', '2025/12/24 02:10:55');
  meter.set('Power Source', 'Battery');
  meter.set('Battery Level', 'Middle');
  meter.set('Measure', 'Start');
  meter.card.fill(1_234);
  typist.type('DRD?status\r\n');
  await typist.take('\r\n');
  await clock.advance(100);
  const fields = (await typist.take(/,M\r\n/)).trim().split(',');
  t.equal(fields.length, 33 + 5);
  t.same(fields.slice(33), ['2025/12/24 02:10:55', 'I', 'M', '1234', 'M']);
});

t.test('a stream runs stopped as well as measuring, and a frame is a step of its own 100 ms', async (t) => {
  const { clock, typist } = await typing(t);
  await typist.ask('Time Weighting (Main),S');
  await typist.stream();
  await clock.advance(5_000);
  const frames = (await typist.take(/^ 50,.*\r\n/m))
    .trim()
    .split('\r\n')
    .map((line) => line.split(',').map(Number));
  for (const [counter, lp = 0, leq = 0, lmax = 0, lmin = 0] of frames) {
    t.ok(lmin <= lp && lp <= lmax, `Lp of frame ${counter} within its own extremes`);
    // With S weighting one step of 100 ms goes a tenth of the way to the interval's Leq, never further.
    t.ok(lmax - lmin <= Math.abs(leq - lp) / 5 + 1, `frame ${counter} is one interval, not the measurement`);
  }
});

t.test('SUB twice is as good as once', async (t) => {
  const { clock, meter, typist } = await typing(t, { late_frames: 2 });
  await typist.stream();
  typist.type('\x1a\x1a');
  t.same(counters(await clock.until(typist.take('$'))), [1, 2]);
  await clock.advance(1_500);
  t.equal(await typist.ask('Pause?'), 'R+0000\r\nOff\r\n$');
  t.same(meter.log.spacingViolations(), [], 'both are done with');
});

t.test('commands queued in front of a stream are lost in it', async (t) => {
  const { clock, meter, typist } = await typing(t, { busy_input: 'queued', think_query_ms: [10, 10] });
  typist.type('DRD?\r\nMeasure,Start\r\n');
  const heard = await clock.until(typist.take(/ {2}3,.*\r\n/));
  t.same(counters(heard), [1, 2, 3]);
  t.equal(meter.read('Measure'), 'Stop');
});
