import t, { type Test } from 'tap';
import { type FleetMember, startFleet, stopFleet } from '../../simulator/fleet.ts';
import { type SimulatedMeter, VirtualClock } from '../../simulator/index.ts';
import { Client } from './rig.ts';

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
  for (const { meter } of fleet) meter.set('Measure', 'Start');
  await clock.advance(10_000);
  different(fleet.map(({ meter }) => meter.read('DOD')));
});

t.test('when one meter cannot start, the others are stopped again', async (t) => {
  const clock = new VirtualClock();
  await t.rejects(startFleet({ meters: 2, clock, scenario: 'nowhere' }), /nowhere/);
  t.equal(clock.pending, 0);
});

/** Replies of each meter to a round of commands, each meter on its own connection. */
async function round(fleet: readonly FleetMember[], clock: VirtualClock, lines: readonly string[]) {
  const heard: string[] = [];
  for (const { meter } of fleet) {
    const typist = await Client.open(meter.tcpPort);
    for (const line of lines) heard.push(await typist.ask(line));
    typist.close();
  }
  await clock.advance(10_000);
  return heard;
}

t.test('broken meters among thirty harm no other: the rest answer byte for byte as without them', async (t) => {
  const rounds = [
    ['Store Mode,Auto', 'Lp Store Interval,1s', 'Measure,Start'],
    ['DOD?', 'Clock?'],
    ['Measure,Stop', 'DLC?', 'Battery Level?'],
  ];
  const answers = async (broken: boolean) => {
    const clock = new VirtualClock();
    const fleet = await startFleet({ meters: 30, clock, profile: 'instant', scenario: 'roadside' });
    t.teardown(() => stopFleet(fleet));
    const troubled = fleet.slice(0, 6).map(({ meter }) => meter);
    const deaf = broken ? await breakThem(t, troubled) : [];
    await clock.advance(5_000);
    const healthy = fleet.slice(troubled.length);
    const heard = [];
    for (const lines of rounds) heard.push(...(await round(healthy, clock, lines)));
    for (const client of deaf) client.close();
    return heard;
  };
  const alone = await answers(false);
  t.equal(alone.length, 24 * 8);
  t.notMatch(alone.join(), /R\+000[1-4]/);
  t.strictSame(await answers(true), alone);
});

/** Six faults: a wedge, a reset, an endless line, a power cut, a full card, a noisy client that never reads. */
async function breakThem(t: Test, [wedged, reset, endless, dark, full, noisy]: readonly SimulatedMeter[]) {
  wedged?.faults.on('wedge');
  reset?.faults.on('reset-on-connect');
  endless?.faults.on('endless-data');
  dark?.powerCycle(3_600_000).catch((error) => t.error(error));
  full?.card.fill(0);
  const deaf = await Promise.all([endless, noisy].map((meter) => Client.open(meter?.tcpPort ?? 0)));
  for (const client of deaf) client.type(`${'\x00\xff$?,'.repeat(2_000)}\r\nDRD?\r\n`);
  return deaf;
}
