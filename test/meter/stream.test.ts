import t from 'tap';
import { ask, data, outcome, patient } from './support/bench.ts';
import { FLOW, Flow, frames, STARTED, watched } from './support/flow.ts';
import { SUB } from './support/scripted-meter.ts';
import { Viewer } from './support/viewer.ts';

t.test('the first viewer starts the stream, and every viewer gets every frame', async (t) => {
  const { clock, device, meter, viewer } = watched(t);
  device.expect('DRD?', ...FLOW).always(SUB, '$');
  const second = new Viewer();
  meter.feed.watch(viewer);
  meter.feed.watch(second);
  await clock.advance(1_000);
  t.equal(meter.report().state, 'streaming');
  t.same(viewer.counters, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
  t.same(second.counters, viewer.counters);
  t.same(viewer.statuses, [], 'nothing to tell while all is well');
  t.equal(meter.report().counters.frames, 10);
});

t.test('a frame has the time when the meter accepted its stream, where its counter starts', async (t) => {
  const { clock, device, meter } = watched(t);
  device.expect('DRD?', ...FLOW).always(SUB, '$');
  const seen: { readonly begun: number; readonly now: number; readonly counter: number }[] = [];
  const asked = clock.elapsed();
  meter.feed.watch({
    frame: ({ begun, frame }) => void seen.push({ begun, now: clock.elapsed(), counter: frame.counter }),
    status() {},
    end() {},
  });
  await clock.advance(1_000);
  const [{ begun } = { begun: Number.NaN }] = seen;
  t.ok(begun >= asked && begun <= asked + 100);
  t.ok(seen.length > 5 && seen.every((each) => each.begun === begun), 'the same for all of one request');
  t.ok(
    seen.every(({ now, counter }) => Math.abs(now - begun - counter * 100) <= 100),
    'and the counter counts from there',
  );
});

t.test(
  'the stream goes on for a few seconds after its last viewer, then SUB ends it and the line is quiet',
  async (t) => {
    const bench = watched(t);
    const { clock, device, meter, viewer } = bench;
    new Flow(bench);
    const leave = meter.feed.watch(viewer);
    await clock.advance(1_001);
    leave();
    leave();
    await clock.advance(2_900);
    t.notOk(device.commands.includes(SUB));
    await clock.advance(200);
    t.ok(device.commands.includes(SUB));
    await clock.advance(2_000);
    t.equal(meter.report().state, 'ready');
    t.equal(viewer.counters.length, 10, 'nothing after it left');
    const seen = device.heard.length;
    await clock.advance(60_000);
    t.equal(device.heard.length, seen);
  },
);

t.test('a viewer that comes back in time costs the meter nothing', async (t) => {
  const bench = watched(t);
  const { clock, device, meter, viewer } = bench;
  new Flow(bench);
  const leave = meter.feed.watch(viewer);
  await clock.advance(1_000);
  leave();
  await clock.advance(2_000);
  meter.feed.watch(viewer);
  await clock.advance(10_000);
  t.same(device.commands, ['DRD?']);
});

t.test('a viewer that comes while the stream is being ended gets a new one', async (t) => {
  const bench = watched(t);
  const { clock, device, meter, viewer } = bench;
  new Flow(bench, { lateFrames: 3 });
  const leave = meter.feed.watch(viewer);
  await clock.advance(1_000);
  leave();
  await clock.advance(3_050);
  t.equal(meter.report().state, 'draining');
  const second = new Viewer();
  meter.feed.watch(second);
  await clock.advance(3_000);
  t.same(device.commands, ['DRD?', SUB, 'DRD?']);
  t.ok(second.counters.length > 5);
});

for (const prompt of [true, false]) {
  t.test(
    `a command interrupts the stream and gets its own answer (${prompt ? 'with' : 'without'} a prompt)`,
    async (t) => {
      const bench = watched(t);
      const { clock, device, meter, viewer } = bench;
      new Flow(bench, { prompt });
      device
        .expect('DRD?', STARTED)
        .expect(SUB, ...frames(1, 900), ...(prompt ? ['$'] : []))
        .expect('Clock?', data('now'));
      meter.feed.watch(viewer);
      await clock.advance(3_150);
      const asked = clock.elapsed();
      t.equal(await clock.until(meter.run(ask('Clock'), patient())), 'now');
      t.ok(clock.elapsed() - asked < 1_300, `took ${clock.elapsed() - asked} ms`);
      t.same(viewer.statuses, ['interrupted']);
      await clock.advance(3_000);
      t.same(device.commands, ['DRD?', SUB, 'Clock?', 'DRD?']);
      t.same(viewer.statuses, ['interrupted', 'ok']);
      t.ok(device.shortestRest >= 1_000, `rested ${device.shortestRest} ms`);
      t.equal(device.connects, 1);
      t.notOk(viewer.counters.includes(900), 'frames after SUB are not passed on');
    },
  );
}

t.test(
  'a prompt that is withheld after a stream costs the connection twice; then the gateway expects no prompt',
  async (t) => {
    const bench = watched(t);
    const { clock, device, meter, viewer } = bench;
    new Flow(bench, { prompt: false });
    device.always('Clock?', data('now'));
    meter.feed.watch(viewer);
    const connects: number[] = [];
    for (let interruptions = 0; interruptions < 5; interruptions++) {
      await clock.advance(15_000);
      t.equal(await clock.until(meter.run(ask('Clock'), patient())), 'now');
      connects.push(device.connects);
    }
    t.same(connects, [1, 2, 3, 3, 3], 'the first connection had shown no prompt before its stream');
  },
);

t.test('a command that already waits when the stream is asked for interrupts it as soon as it has begun', async (t) => {
  const { clock, device, meter, viewer } = watched(t);
  device
    .expect('DRD?', 500, STARTED)
    .expect(SUB, '$')
    .expect('Clock?', data('now'))
    .expect('DRD?', ...FLOW)
    .always(SUB, '$');
  meter.feed.watch(viewer);
  await clock.advance(100);
  t.equal(await clock.until(meter.run(ask('Clock'), patient())), 'now');
  await clock.advance(1_500);
  device.verify(t);
});

t.test('two reads at once: one interruption of the stream serves both, a rest apart', async (t) => {
  const bench = watched(t);
  const { clock, device, meter, viewer } = bench;
  new Flow(bench);
  device.always('A?', data('a')).always('B?', data('b'));
  meter.feed.watch(viewer);
  await clock.advance(1_050);
  await clock.until(Promise.all([meter.run(ask('A'), patient()), meter.run(ask('B'), patient())]));
  await clock.advance(2_000);
  t.same(device.commands, ['DRD?', SUB, 'A?', 'B?', 'DRD?']);
  t.ok(device.shortestRest >= 1_000);
});

t.test('frames that come behind the prompt are not read as an answer', async (t) => {
  const { clock, device, meter, viewer } = watched(t);
  device
    .expect('DRD?', ...FLOW.slice(0, 20))
    .expect(SUB, '$', 300, '900,frame\r\n')
    .expect('Clock?', data('now'));
  device.always('DRD?', STARTED).always(SUB, '$');
  meter.feed.watch(viewer);
  await clock.advance(2_000);
  t.equal(await clock.until(meter.run(ask('Clock'), patient())), 'now');
  t.equal(device.connects, 1);
  t.ok(device.shortestRest >= 1_000);
});

t.test('a line that the meter broke off at SUB does not become a part of the next answer', async (t) => {
  const { clock, device, meter, viewer } = watched(t);
  device
    .expect('DRD?', STARTED, ...frames(5), '6,fr')
    .expect(SUB)
    .expect('Clock?', data('now'));
  device.always('DRD?', STARTED).always(SUB, '$');
  meter.feed.watch(viewer);
  await clock.advance(600);
  t.equal(await clock.until(meter.run(ask('Clock'), patient())), 'now');
  t.equal(device.connects, 1);
});

t.test('a stopping gateway sends SUB, closes the connection and ends the feed', async (t) => {
  const bench = watched(t);
  const { clock, device, fleet, meter, viewer } = bench;
  new Flow(bench);
  meter.feed.watch(viewer);
  await clock.advance(1_050);
  const began = clock.elapsed();
  await clock.until(fleet.close());
  t.equal(viewer.ended, 'stopping');
  t.equal(device.commands.at(-1), SUB);
  t.match(device.line.ending, { by: 'peer' }, 'in good order');
  t.ok(clock.elapsed() - began < 1_000);
  const late = new Viewer();
  meter.feed.watch(late);
  t.equal(late.ended, 'stopping');
  t.equal(await outcome(meter.run(ask('Clock'), patient())), 'STOPPING');
});
