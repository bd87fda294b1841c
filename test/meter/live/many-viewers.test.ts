/** Two hundred viewers of one meter: a stream, an operator, and one connection between them. */
import t from 'tap';
import { startMeasurement, stopMeasurement } from '../../../lib/drivers/nl43/commands.ts';
import { openScene } from '../../fault/support/scene.ts';
import { Viewer } from '../support/viewer.ts';

for (const profile of ['default', 'lte']) {
  t.test(
    `with 200 viewers, a stop reaches a meter of the profile ${profile} within 3 s, and all see the gap`,
    async (t) => {
      const scene = await openScene(t, { meter: { profile } });
      const { device, clock, meter } = scene;
      await scene.until(scene.ask(startMeasurement()));
      const viewers = Array.from({ length: 200 }, () => new Viewer());
      for (const viewer of viewers) t.teardown(meter.feed.watch(viewer));
      await scene.pass(5_000);
      const asked = clock.elapsed();
      await scene.until(scene.ask(stopMeasurement()));
      const stop = device.log.events.find((event) => event.kind === 'command' && event.text === 'Measure,Stop');
      t.ok((stop?.at ?? Number.POSITIVE_INFINITY) - asked <= 3_000, `after ${(stop?.at ?? 0) - asked} ms`);
      await scene.pass(5_000);
      t.same(new Set(viewers.map(({ statuses }) => statuses.join())), new Set(['interrupted,ok']));
      const [first] = viewers;
      t.ok((first?.counters.length ?? 0) > 50);
      t.ok(
        viewers.every(({ counters }) => counters.join() === first?.counters.join()),
        'all saw the same',
      );
      t.equal(device.log.commands.filter((text) => text.startsWith('DRD')).length, 2, 'one stream, before and after');
      t.equal(device.log.connects, 1);
      t.same(device.log.spacingViolations(), []);
      const late = new Viewer();
      t.teardown(meter.feed.watch(late));
      t.equal(late.counters.length, 1, 'a newcomer has the last frame at once');
    },
  );
}
