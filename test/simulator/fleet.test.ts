import t from 'tap';
import { startFleet, stopFleet } from '../../simulator/fleet.ts';
import { VirtualClock } from '../../simulator/index.ts';
import { startMeter } from '../../simulator/meter.ts';

t.test('meters of a fleet have names, ports, serial numbers and sounds of their own', async (t) => {
  const clock = new VirtualClock();
  const fleet = await startFleet({ meters: 3, clock, profile: 'instant' });
  t.teardown(() => stopFleet(fleet));
  await clock.advance(10_000);
  const different = (values: unknown[]) => t.equal(new Set(values).size, 3, String(values));
  t.same(
    fleet.map(({ unitId }) => unitId),
    ['sim-1', 'sim-2', 'sim-3'],
  );
  different(fleet.map(({ meter }) => meter.tcpPort));
  different(fleet.map(({ meter }) => meter.ftpPort));
  different(fleet.map(({ meter }) => meter.read('Serial Number')));
  for (const { meter } of fleet) meter.turn('Measure', 'Start');
  await clock.advance(10_000);
  different(fleet.map(({ meter }) => meter.read('DOD')));
});

t.test('the same seed gives the same numbers', async (t) => {
  const shown = async (seed: number) => {
    const clock = new VirtualClock();
    const meter = await startMeter({ clock, seed, profile: 'instant' });
    t.teardown(() => meter.stop());
    meter.turn('Measure', 'Start');
    await clock.advance(12_300);
    return meter.read('DOD');
  };
  t.equal(await shown(4), await shown(4));
  t.not(await shown(4), await shown(5));
});

t.test('when one meter cannot start, the others are stopped again', async (t) => {
  const clock = new VirtualClock();
  await t.rejects(startFleet({ meters: 2, clock, scenario: 'nowhere' }), /nowhere/);
  t.equal(clock.pending, 0);
});
