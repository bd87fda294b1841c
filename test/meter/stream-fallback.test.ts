/** A stream that the meter does not have in this form: another one is asked for, and remembered for the session. */
import t from 'tap';
import type { Frame, StreamCommand } from '../../lib/drivers/wire/contract.ts';
import { createBench, STREAM } from './support/bench.ts';
import { FLOW, STARTED } from './support/flow.ts';
import { SUB } from './support/scripted-meter.ts';
import { Viewer } from './support/viewer.ts';

const RICH: StreamCommand<Frame> = {
  text: 'RICH?',
  decode: (line) => STREAM.decode(line.replace(/^rich /, '')),
  tells: () => ({ measuring: true }),
  fallback: STREAM,
};
const bench = (t: Parameters<typeof createBench>[0]) => ({
  ...createBench(t, {}, { stream: RICH }),
  viewer: new Viewer(),
});

for (const [what, code] of [
  ['does not know', 'R+0001'],
  ['takes no such text', 'R+0002'],
  ['has not in this form', 'R+0003'],
]) {
  t.test(`a stream that the meter ${what}: the viewer gets the other stream and no trouble`, async (t) => {
    const { clock, device, meter, viewer } = bench(t);
    device.expect('RICH?', `${code}\r\n$`).always('DRD?', ...FLOW);
    device.always(SUB, '$');
    const leave = meter.feed.watch(viewer);
    await clock.advance(3_000);
    t.ok(viewer.counters.length > 10);
    t.same(viewer.statuses, []);
    leave();
    await clock.advance(10_000);
    meter.feed.watch(viewer);
    await clock.advance(2_000);
    t.same(device.commands, ['RICH?', 'DRD?', SUB, 'DRD?'], 'it is not tried again');
  });
}

t.test('lines that cannot be read from the first on: the other stream is asked for', async (t) => {
  const { clock, device, meter, viewer } = bench(t);
  const strange = Array.from({ length: 50 }, () => [100, 'strange\r\n']).flat();
  device.expect('RICH?', STARTED, ...strange).always('DRD?', ...FLOW);
  device.always(SUB, '$');
  meter.feed.watch(viewer);
  await clock.advance(10_000);
  t.match(device.commands.slice(0, 3), ['RICH?', SUB, 'DRD?']);
  t.ok(viewer.counters.length > 10);
});

t.test('a stream that begins and brings nothing: the other stream is next', async (t) => {
  const { clock, device, meter, viewer } = bench(t);
  device.expect('RICH?', STARTED).always('DRD?', ...FLOW);
  device.always(SUB, '$');
  meter.feed.watch(viewer);
  await clock.advance(60_000);
  t.same(device.commands.slice(0, 2), ['RICH?', 'DRD?']);
  t.ok(viewer.counters.length > 10);
});

t.test('not now is no reason for another stream, and neither is a bad line among good ones', async (t) => {
  const { clock, device, meter, viewer } = bench(t);
  const bad = Array.from({ length: 9 }, () => [100, 'strange\r\n']).flat();
  device.expect('RICH?', STARTED, 100, 'rich 1,frame\r\n', ...bad, 100, 'rich 2,frame\r\n');
  meter.feed.watch(viewer);
  await clock.advance(5_000);
  t.same(viewer.counters, [1, 2]);
  t.same(device.commands, ['RICH?']);
  t.equal(meter.deviceState.measuring, true, 'what a frame says of the meter is known');
  device.expect(SUB, '$').expect('Proof?', 'R+0000\r\nx\r\n$').expect('RICH?', 'R+0004\r\n$');
  device.always('RICH?', STARTED, 100, 'rich 3,frame\r\n').always(SUB, '$');
  await clock.until(
    meter.run({ text: 'Proof?', kind: 'request', decode: (line) => line }, { signal: AbortSignal.any([]) }),
  );
  await clock.advance(65_000);
  t.ok(!device.commands.includes('DRD?'));
  t.ok(viewer.counters.includes(3));
});
