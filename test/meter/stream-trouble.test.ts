import t, { type Test } from 'tap';
import { ask, type Bench, data, patient } from './support/bench.ts';
import { FLOW, frames, STARTED, watched } from './support/flow.ts';
import { ADDRESS, CLOSE, RESET, SUB } from './support/scripted-meter.ts';
import { Viewer } from './support/viewer.ts';

async function newViewerIsServed(t: Test, { clock, device, meter }: Bench): Promise<void> {
  device.expect('DRD?', ...FLOW).always(SUB, '$');
  const viewer = new Viewer();
  meter.feed.watch(viewer);
  await clock.advance(1_000);
  t.ok(viewer.counters.length > 0);
  device.verify(t);
}

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
  const bench = watched(t);
  const { clock, device, meter, viewer } = bench;
  device.expect('DRD?', 'R+0004\r\n$');
  meter.feed.watch(viewer);
  await clock.advance(10_000);
  t.equal(viewer.ended, 'failed');
  t.match(viewer.details, [/R\+0004/]);
  t.equal(meter.feed.watchers, 0);
  await newViewerIsServed(t, bench);
});

t.test('a lost connection is reported and dialled again, and the stream goes on', async (t) => {
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
  t.same(late.statuses, ['lost'], 'a viewer who comes now gets the status too');
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

t.test('a viewer that comes to a meter that stayed away does not wait for the tries of earlier viewers', async (t) => {
  const bench = watched(t);
  const { clock, meter, viewer, network } = bench;
  const back = network.hang(ADDRESS);
  const leave = meter.feed.watch(viewer);
  await clock.advance(300_000);
  leave();
  back();
  await clock.advance(5_000);
  await newViewerIsServed(t, bench);
});

t.test(
  'when a stream falls silent, its viewers get a status after 3 s; after 30 s it is lost and started again',
  async (t) => {
    const { clock, device, meter, viewer } = watched(t);
    device
      .expect('DRD?', STARTED, ...frames(3))
      .expect('DRD?', ...FLOW)
      .always(SUB, '$');
    meter.feed.watch(viewer);
    await clock.advance(3_200);
    t.same(viewer.statuses, []);
    await clock.advance(200);
    t.same(viewer.statuses, ['interrupted']);
    t.match(viewer.details[0], /no frame for 3 s/);
    await clock.advance(26_800);
    t.same(viewer.statuses, ['interrupted']);
    await clock.advance(200);
    t.same(viewer.statuses, ['interrupted', 'lost']);
    t.match(viewer.details[1], /no frame.*within 30 s/);
    await clock.advance(3_000);
    t.same(viewer.statuses, ['interrupted', 'lost', 'ok']);
  },
);

t.test('a stream over a dead kept connection starts without a status for viewers', async (t) => {
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

t.test('when all viewers leave while a stream is opened, it is not asked for', async (t) => {
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

t.test('a stream that is never answered is reported as lost, and tried less and less', async (t) => {
  const { clock, device, meter, viewer } = watched(t);
  device.always('A?', data('1')).always('DRD?');
  await clock.until(meter.run(ask('A'), patient()));
  await clock.advance(60_000);
  meter.feed.watch(viewer);
  await clock.advance(20_000);
  t.equal(meter.feed.state, 'lost');
  await clock.advance(1_800_000);
  const tries = device.commands.filter((text) => text === 'DRD?').length;
  t.ok(tries >= 20 && tries <= 80, `${tries} tries in half an hour`);
  t.ok(device.connects <= tries + 1, `${device.connects} connections`);
});
