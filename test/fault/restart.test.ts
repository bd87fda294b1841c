/** A meter that restarts while its stream is watched: how soon all is well after it is there again. */
import t from 'tap';
import { batteryLevel, startMeasurement } from '../../lib/drivers/nl43/commands.ts';
import { Viewer } from '../meter/support/viewer.ts';
import { openScene } from './support/scene.ts';

for (const awayMs of [3_000, 4_300, 25_000]) {
  t.test(`away for ${awayMs} ms: the stream and a waiting request are back within 5 s`, async (t) => {
    const scene = await openScene(t);
    const { device, meter, clock } = scene;
    await scene.until(scene.ask(startMeasurement()));
    const viewer = new Viewer();
    t.teardown(meter.feed.watch(viewer));
    await scene.pass(3_000);
    const connects = meter.report().counters.connectFailures;
    device.faults.on('reboot', { boot_ms: awayMs });
    await scene.pass(100);
    const seen = viewer.counters.length;
    const request = scene.ask(batteryLevel(), 60_000);
    await scene.pass(awayMs);
    const back = clock.elapsed();
    while (viewer.counters.length === seen && clock.elapsed() - back < 30_000) await scene.pass(50);
    t.ok(clock.elapsed() - back <= 5_000, `the stream was back after ${clock.elapsed() - back} ms`);
    await scene.until(request);
    const failures = meter.report().counters.connectFailures - connects;
    t.ok(failures <= 3 + awayMs / 1_500, `${failures} failed connects`);
    const again = await scene.until(scene.ask(batteryLevel()));
    t.equal(again.code, undefined);
    t.ok(again.ms <= 5_000);
  });
}

t.test(
  'a request that comes while the meter is away is answered within 5 s, and one that meets its return after the first frames',
  async (t) => {
    const scene = await openScene(t);
    await scene.until(scene.ask(batteryLevel()));
    t.teardown(scene.meter.feed.watch(new Viewer()));
    await scene.pass(3_000);
    scene.device.faults.on('reboot', { boot_ms: 10_000 });
    await scene.pass(1_000);
    for (let i = 0; i < 6; i++) {
      const { ms, code } = await scene.until(scene.ask(batteryLevel()));
      t.ok(ms <= (code === undefined ? 9_000 : 5_000), `${ms} ms`);
    }
  },
);
