/** The meter layer over real sockets against the simulated meter, both on one clock that the test moves. */
import t, { type Test } from 'tap';
import { createFamilies } from '../../lib/drivers/index.ts';
import { measureState, startMeasurement, statusFrames, stopMeasurement } from '../../lib/drivers/nl43/commands.ts';
import { createEventStream } from '../../lib/events/stream.ts';
import { createLog } from '../../lib/log.ts';
import { createFleet } from '../../lib/meter/fleet.ts';
import { tcpTransport } from '../../lib/transport/tcp.ts';
import { type MeterOptions, profileNames, startMeter, VirtualClock } from '../../simulator/index.ts';
import { Configs, outcome, patient, UNIT } from './support/bench.ts';
import { Viewer } from './support/viewer.ts';

async function createWorld(t: Test, options: MeterOptions = {}) {
  const clock = new VirtualClock();
  const device = await startMeter({ clock, soundStepMs: 100, ...options });
  const configs = new Configs();
  configs.set({ host: device.host, tcpPort: device.tcpPort, ftpPort: device.ftpPort });
  const fleet = createFleet({
    configs,
    families: createFamilies(),
    events: createEventStream(clock, createLog('silent')),
    transport: tcpTransport({ clock }),
    clock,
    log: createLog('silent'),
    settings: { queueLimit: 50 },
  });
  t.teardown(async () => {
    await clock.until(fleet.close());
    await clock.until(device.stop());
  });
  return { clock, device, fleet, meter: fleet.meter(UNIT) };
}

/** Time goes on together with the sockets. */
const pass = (clock: VirtualClock, ms: number) =>
  clock.until(new Promise<void>((resolve) => clock.after(ms, resolve)), { stepMs: 50 });

for (const profile of profileNames()) {
  t.test(`commands, stream and interruption work with the quirks "${profile}"`, async (t) => {
    const { clock, device, meter } = await createWorld(t, { profile });
    const viewer = new Viewer();
    await clock.until(meter.run(startMeasurement(), patient()));
    const leave = meter.feed.watch(viewer);
    await pass(clock, 5_000);
    const asked = clock.elapsed();
    await clock.until(meter.run(stopMeasurement(), patient()));
    t.ok(clock.elapsed() - asked < 3_000, `the stop took ${clock.elapsed() - asked} ms`);
    await pass(clock, 5_000);
    leave();
    t.equal(await clock.until(meter.run(measureState(), patient())), 'Stop');
    t.type(
      await clock.until(outcome(meter.reserve('status', (line) => line.peek(statusFrames()), patient()))),
      'object',
    );
    t.ok(viewer.counters.length > 30, `${viewer.counters.length} frames`);
    t.same(viewer.statuses.slice(0, 2), ['interrupted', 'ok']);
    t.same(device.log.spacingViolations(), []);
    t.equal(device.log.connects, 1);
    t.match(meter.report().counters, { framesUnreadable: 0, garbled: 0, timeouts: 0 });
  });
}

t.test('a meter whose power was cut is dialled again for its viewers, without a person', async (t) => {
  const { clock, device, meter } = await createWorld(t);
  const viewer = new Viewer();
  meter.feed.watch(viewer);
  await pass(clock, 3_000);
  await clock.until(device.powerCycle(10_000));
  await pass(clock, 30_000);
  t.equal(viewer.statuses[0], 'lost');
  t.equal(viewer.statuses.at(-1), 'ok');
  t.match(meter.reachability, { state: 'online' });
  t.same(device.log.spacingViolations(), []);
});
