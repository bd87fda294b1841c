/** A working day with a simulated meter: readings every minute, operators now and then, a stream in between. */
import t from 'tap';
import { display, measureState, startMeasurement, stopMeasurement } from '../../lib/drivers/nl43/commands.ts';
import { Viewer } from '../meter/support/viewer.ts';
import { openScene } from './support/scene.ts';

t.test('eight hours on one connection', async (t) => {
  const scene = await openScene(t);
  const { clock, device, meter } = scene;
  const done = (work: Promise<unknown>) => clock.until(work, { stepMs: 500 });
  for (let minute = 0; minute < 480; minute++) {
    if (minute % 60 === 0) await done(scene.ask(startMeasurement()));
    await done(Promise.all([scene.ask(display()), scene.ask(measureState())]));
    if (minute % 60 === 5) await done(scene.ask(stopMeasurement()));
    if (minute % 120 === 30) {
      const leave = meter.feed.watch(new Viewer());
      await scene.pass(10_000);
      leave();
    }
    await clock.advance(57_000);
  }
  t.equal(device.log.connects, 1);
  t.same(device.log.spacingViolations(), []);
  t.match(meter.report().counters, { connects: 1, connectFailures: 0, timeouts: 0, garbled: 0, resent: 0, refused: 0 });
  t.same(
    scene.got.filter(({ code }) => code),
    [],
  );
  t.same(scene.states, ['online']);
});
