/** The one slot of a meter: it comes free late, and a second client is neither refused nor served (field log). */
import { connect } from 'node:net';
import t from 'tap';
import { display, frequencyWeighting, startMeasurement } from '../../lib/drivers/nl43/commands.ts';
import { Viewer } from '../meter/support/viewer.ts';
import { openScene, type Scene } from './support/scene.ts';

/** Somebody else has the meter. */
async function intruder({ device, until }: Scene) {
  const socket = connect(device.tcpPort, device.host);
  socket.on('error', () => {});
  await until(new Promise<void>((resolve) => socket.once('connect', resolve)));
  return socket;
}

for (const [slot_free_delay_ms, early_connection] of [
  [4_500, 'forgotten'],
  [5_500, 'forgotten'],
  [5_500, 'served'],
] as const) {
  t.test(
    `a slot that is free only ${slot_free_delay_ms} ms after a close, early connections ${early_connection}: one caller waits, nobody gets an error`,
    async (t) => {
      const scene = await openScene(t, { meter: { profile: { slot_free_delay_ms, early_connection } } });
      await scene.until(scene.ask(display()));
      await scene.pass(2_000);
      scene.device.faults.on('half-close', { at_byte: 0 }, { times: 1 });
      await scene.until(scene.ask(display()));
      scene.device.log.clear();
      const next = await scene.until(Promise.all([scene.ask(frequencyWeighting('Main')), scene.ask(display())]));
      t.same(
        next.map(({ code }) => code),
        [undefined, undefined],
        JSON.stringify(next),
      );
      t.ok(Math.max(...next.map(({ ms }) => ms)) < 16_000, JSON.stringify(next.map(({ ms }) => ms)));
      t.same(scene.device.log.spacingViolations(), []);
    },
  );
}

t.test(
  'while another client has the meter, callers fail in time; when that client has gone, commands work at once',
  async (t) => {
    const scene = await openScene(t);
    const other = await intruder(scene);
    t.teardown(() => other.destroy());
    await scene.pass(500);
    const first = await scene.until(scene.ask(display()));
    t.match(first, { code: 'DEVICE_TIMEOUT' });
    t.ok(first.ms < 12_000, `${first.ms} ms`);
    const crowd = await scene.until(Promise.all([scene.ask(display()), scene.ask(frequencyWeighting('Main'))]));
    t.same(new Set(crowd.map(({ code }) => code)), new Set(['DEVICE_TIMEOUT']));
    t.ok(Math.max(...crowd.map(({ ms }) => ms)) < 12_000);
    t.same(scene.device.log.commands, [], 'what was typed meanwhile is not done later');
    other.destroy();
    await scene.pass(6_000);
    const again = await scene.until(scene.ask(display()));
    t.equal(again.code, undefined, again.text ?? '');
    t.equal(scene.device.log.commands.filter((text) => text === 'DOD?').length, 1);
  },
);

t.test(
  'a power cut in mid-stream: the state is read again, and the ended measurement is not claimed to run',
  async (t) => {
    const scene = await openScene(t);
    const { device, meter } = scene;
    await scene.until(scene.ask(startMeasurement()));
    const viewer = new Viewer();
    t.teardown(meter.feed.watch(viewer));
    await scene.pass(3_000);
    t.equal(meter.deviceState.measuring, true);
    const back = device.powerCycle(20_000);
    await scene.pass(5_000);
    t.match(meter.deviceState, { measuring: null, paused: null, storeName: null });
    await scene.until(back);
    await scene.pass(60_000);
    t.match(meter.deviceState, { measuring: false, startedAt: null });
    t.same(viewer.statuses.at(-1), 'ok');
    for (let read = 0; read < 4; read++) {
      await scene.until(scene.ask(display()));
      await scene.pass(2_500);
    }
    t.match(meter.deviceState, { measuring: false, storeName: /^\d{4}$/ }, 'the rest in turn with the next reads');
    t.type(meter.reachability.clock?.offsetMs, 'number');
  },
);

t.test('a prompt between the result of a stream and its frames harms nobody', async (t) => {
  const scene = await openScene(t, { meter: { profile: { prompt_before_frames: true } } });
  const viewer = new Viewer();
  t.teardown(scene.meter.feed.watch(viewer));
  await scene.pass(2_000);
  t.same(viewer.counters.slice(0, 5), [1, 2, 3, 4, 5]);
  t.same(viewer.statuses, []);
});
