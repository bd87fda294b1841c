import t from 'tap';
import type { MeterSettings } from '../../lib/meter/settings.ts';
import { ask, type Bench, createBench, data, OK, outcome, patient, set } from './support/bench.ts';
import { type Act, ADDRESS, CLOSE, RESET, SUB } from './support/scripted-meter.ts';
import { Viewer } from './support/viewer.ts';

const STARTED = 'R+0000\r\n';
/** `count` frames, one every 100 ms, numbered from `first`. */
const frames = (count: number, first = 1): Act[] =>
  Array.from({ length: count }, (_, index) => [100, `${first + index},frame\r\n`]).flat();
/** Frames for as long as a test cares. */
const FLOW = [STARTED, ...frames(600)];

function watched(
  t: Parameters<typeof createBench>[0],
  settings: Partial<MeterSettings> = {},
): Bench & { viewer: Viewer } {
  return { ...createBench(t, settings), viewer: new Viewer() };
}

/** A meter that streams until SUB, shows what was on its way, and then its prompt. */
class Flow {
  #flowing = 0;
  #counter = 0;
  readonly #bench: Bench;

  constructor(bench: Bench, { lateFrames = 1, prompt = true } = {}) {
    this.#bench = bench;
    bench.device.always('DRD?', STARTED).always(SUB, ...frames(lateFrames, 900), ...(prompt ? ['$'] : []));
    this.#tick();
  }

  /** Frames flow from the last DRD? to the next SUB. */
  #tick(): void {
    const { clock, device } = this.#bench;
    this.#flowing = clock.elapsed();
    clock.after(100, () => {
      if (device.commands.findLast((text) => text === 'DRD?' || text === SUB) === 'DRD?' && !device.line.ending) {
        this.#counter += 1;
        device.say(`${this.#counter},frame\r\n`);
      }
      if (this.#flowing < 600_000) this.#tick();
    });
  }
}

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

t.test('who comes later sees the last frame at once', async (t) => {
  const { clock, device, meter, viewer } = watched(t);
  device.expect('DRD?', ...FLOW).always(SUB, '$');
  meter.feed.watch(viewer);
  await clock.advance(550);
  const late = new Viewer();
  meter.feed.watch(late);
  t.same(late.counters, [5]);
});

t.test(
  'the stream goes on for a few seconds after its last viewer, then SUB ends it and the line is quiet',
  async (t) => {
    const bench = watched(t);
    const { clock, device, meter, viewer } = bench;
    new Flow(bench);
    const leave = meter.feed.watch(viewer);
    await clock.advance(1_000);
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
      await clock.advance(1_050);
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

t.test('a stop reaches the meter within three seconds with 200 viewers on', async (t) => {
  const bench = watched(t);
  const { clock, device, meter } = bench;
  new Flow(bench);
  device.always('Measure,Stop', OK);
  for (let i = 0; i < 200; i++) meter.feed.watch(new Viewer());
  await clock.advance(5_030);
  const asked = clock.elapsed();
  await clock.until(meter.run(set('Measure,Stop'), patient()));
  const sent = device.heard.find(({ text }) => text === 'Measure,Stop')?.at ?? Number.POSITIVE_INFINITY;
  t.ok(sent - asked < 3_000, `${sent - asked} ms`);
});

t.test('a command that waits already when the stream is asked for interrupts it as soon as it has begun', async (t) => {
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

t.test('several commands are worked off before the stream goes on', async (t) => {
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

t.test('a frame that cannot be read is left out and counted, and the stream goes on', async (t) => {
  const { clock, device, meter, viewer } = watched(t);
  device.expect('DRD?', STARTED, ...frames(2), 100, 'rub', 'bish\r\n', `${'9'.repeat(5_000)}\r\n`, ...frames(2, 4));
  device.always(SUB, '$');
  meter.feed.watch(viewer);
  await clock.advance(1_000);
  t.same(viewer.counters, [1, 2, 4, 5]);
  t.equal(meter.report().counters.framesUnreadable, 2);
  t.same(viewer.statuses, []);
});

t.test('a refused stream ends for its viewers with the reason, and a new viewer tries again', async (t) => {
  const { clock, device, meter, viewer } = watched(t);
  device.expect('DRD?', 'R+0004\r\n$');
  meter.feed.watch(viewer);
  await clock.advance(10_000);
  t.equal(viewer.ended, 'failed');
  t.match(viewer.details, [/R\+0004/]);
  t.equal(meter.feed.watchers, 0);
  device.expect('DRD?', ...FLOW).always(SUB, '$');
  const second = new Viewer();
  meter.feed.watch(second);
  await clock.advance(1_000);
  t.ok(second.counters.length > 0);
  device.verify(t);
});

t.test('a lost connection is told, dialled again, and the stream goes on', async (t) => {
  const { clock, device, meter, viewer } = watched(t);
  device
    .expect('DRD?', STARTED, ...frames(3), RESET)
    .expect('DRD?', ...FLOW)
    .always(SUB, '$');
  meter.feed.watch(viewer);
  await clock.advance(400);
  t.same(viewer.statuses, ['lost']);
  t.match(viewer.details[0], /connection.*lost/i);
  const late = new Viewer();
  meter.feed.watch(late);
  t.same(late.statuses, ['lost'], 'who comes now is told too');
  t.same(late.counters, [], 'and is not shown an old frame');
  await clock.advance(3_000);
  t.same(viewer.statuses, ['lost', 'ok']);
  t.equal(device.connects, 2);
  t.ok(device.shortestRest >= 1_000);
});

t.test('a meter that stays away is dialled 1 s, 2 s, 4 s ... at most 60 s apart', async (t) => {
  const { clock, device, meter, viewer, network } = watched(t);
  device.hangUp();
  const dials: number[] = [];
  network.listen(ADDRESS, (connection) => {
    dials.push(clock.elapsed());
    connection.destroy('not now');
  });
  meter.feed.watch(viewer);
  await clock.advance(600_000);
  const gaps = dials.slice(1).map((at, index) => Math.round((at - (dials[index] ?? 0)) / 1_000));
  t.same(gaps.slice(0, 8), [1, 2, 4, 8, 16, 32, 60, 60]);
  t.same(viewer.statuses, ['lost'], 'told once');
});

t.test('a command that gets through ends the wait of a lost stream', async (t) => {
  const { clock, device, meter, viewer, network } = watched(t);
  const back = network.hang(ADDRESS);
  meter.feed.watch(viewer);
  await clock.advance(120_000);
  back();
  device
    .expect('Clock?', data('now'))
    .expect('DRD?', ...FLOW)
    .always(SUB, '$');
  t.equal(await clock.until(meter.run(ask('Clock'), patient())), 'now');
  await clock.advance(1_500);
  t.same(viewer.statuses, ['lost', 'ok']);
  device.verify(t);
});

t.test('a command to a meter whose stream is lost does not wait for the next try of the stream', async (t) => {
  const { clock, device, meter, viewer, network } = watched(t);
  const back = network.hang(ADDRESS);
  meter.feed.watch(viewer);
  await clock.advance(100_000);
  back();
  device
    .expect('Clock?', data('now'))
    .expect('DRD?', ...FLOW)
    .always(SUB, '$');
  const asked = clock.elapsed();
  t.equal(await clock.until(meter.run(ask('Clock'), patient())), 'now');
  t.ok(clock.elapsed() - asked < 7_000, `${clock.elapsed() - asked} ms`);
});

t.test('a viewer that comes to a meter that stayed away does not wait for the tries of those before', async (t) => {
  const { clock, device, meter, viewer, network } = watched(t);
  const back = network.hang(ADDRESS);
  const leave = meter.feed.watch(viewer);
  await clock.advance(300_000);
  leave();
  back();
  await clock.advance(5_000);
  device.expect('DRD?', ...FLOW).always(SUB, '$');
  const second = new Viewer();
  meter.feed.watch(second);
  await clock.advance(1_000);
  t.ok(second.counters.length > 0);
  device.verify(t);
});

t.test('a stream that falls silent is lost after its time, and begun anew', async (t) => {
  const { clock, device, meter, viewer } = watched(t);
  device
    .expect('DRD?', STARTED, ...frames(3))
    .expect('DRD?', ...FLOW)
    .always(SUB, '$');
  meter.feed.watch(viewer);
  await clock.advance(30_200);
  t.same(viewer.statuses, []);
  await clock.advance(200);
  t.same(viewer.statuses, ['lost']);
  t.match(viewer.details[0], /no frame.*30000 ms/);
  await clock.advance(3_000);
  t.same(viewer.statuses, ['lost', 'ok']);
});

t.test('a stream that is asked for over a dead kept connection starts without a word about it', async (t) => {
  const { clock, device, meter, viewer } = watched(t);
  device
    .expect('Clock?', data('now'))
    .expect('DRD?', CLOSE)
    .expect('DRD?', ...FLOW)
    .always(SUB, '$');
  await clock.until(meter.run(ask('Clock'), patient()));
  meter.feed.watch(viewer);
  await clock.advance(4_000);
  t.same(viewer.statuses, []);
  t.ok(viewer.counters.length > 0);
  t.equal(device.connects, 2);
  device.verify(t);
});

t.test(
  'a meter that goes on streaming after SUB loses the connection, and the command is still answered',
  async (t) => {
    const { clock, device, meter, viewer } = watched(t);
    device
      .expect('DRD?', ...FLOW)
      .expect(SUB)
      .expect('Clock?', data('now'))
      .always('DRD?', STARTED)
      .always(SUB, '$');
    meter.feed.watch(viewer);
    await clock.advance(1_000);
    t.equal(await clock.until(meter.run(ask('Clock'), patient())), 'now');
    t.equal(device.connects, 2);
  },
);

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

t.test('a line that the meter broke off at SUB is not put in front of the next answer', async (t) => {
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

t.test('after a success the waits begin from the shortest again', async (t) => {
  const { clock, device, meter, viewer } = watched(t);
  for (let i = 0; i < 5; i++) device.expect('DRD?', RESET);
  device
    .expect('DRD?', STARTED, ...frames(3), RESET)
    .expect('DRD?', ...FLOW)
    .always(SUB, '$');
  meter.feed.watch(viewer);
  await clock.advance(40_000);
  t.same(viewer.statuses, ['lost', 'ok', 'lost', 'ok']);
  const [before, after] = device.heard.slice(-2).map(({ at }) => at);
  t.ok((after ?? 0) - (before ?? 0) < 1_500, 'frames for 300 ms, then one second');
});

t.test('a viewer that throws is removed, and the others see every frame', async (t) => {
  const { clock, device, meter, viewer } = watched(t);
  device.expect('DRD?', ...FLOW).always(SUB, '$');
  const boom = () => {
    throw new Error('boom');
  };
  meter.feed.watch({ frame: boom, status: boom, end: boom });
  meter.feed.watch(viewer);
  await clock.advance(1_000);
  t.equal(viewer.counters.length, 10);
  t.equal(meter.feed.watchers, 1);
});

t.test('nobody is left watching a stream that is being opened: it is not asked for', async (t) => {
  const { clock, device, meter, viewer, network } = watched(t);
  const back = network.hang(ADDRESS);
  const leave = meter.feed.watch(viewer);
  await clock.advance(1_000);
  leave();
  back();
  await clock.advance(60_000);
  t.same(device.commands, []);
  t.equal(clock.pending, 0);
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
