/** What the session of a meter knew is known to the next one where a unit moves in order, and not after trouble. */
import t, { type Test } from 'tap';
import { startMeter } from '../../simulator/index.ts';
import { openRoof, outcomeOf, patient } from './support/shared-world.ts';

/** A unit that the gateway's own instance serves, and that has said its weightings. */
async function openKnown(t: Test) {
  const world = await openRoof(t);
  const states: unknown[] = [];
  world.events.on('state', ({ data }) => states.push(data.state.frequencyWeighting));
  const roof = world.shared.meter('roof');
  await world.until(roof.perform('weightings', patient()));
  await world.until(roof.perform('measuring', patient()));
  const known = roof.deviceState;
  t.match(known, { measuring: false, frequencyWeighting: 'A', timeWeighting: 'F' });
  states.length = 0;
  return { ...world, roof, known, states };
}

t.test('a session that begins after another one has ended in order knows what that knew', async (t) => {
  const { clock, roof, known, states, give, until, meter } = await openKnown(t);
  for (const owner of ['b', 'here', 'b'] as const) {
    await until(give(['roof'], owner));
    await until(roof.perform('battery', patient()));
    t.strictSame(roof.deviceState, known, `at ${owner}`);
    await until(roof.perform('start', patient()));
    await until(roof.perform('stop', patient()));
    await clock.pass(2_000);
    t.match(roof.deviceState, { measuring: false, frequencyWeighting: 'A', timeWeighting: 'F' });
  }
  t.notOk(states.includes(null), 'nobody was told that it is not known');
  t.strictSame(meter.log.spacingViolations(), [], 'the next instance keeps the rest that the meter has left');
});

t.test('after trouble, or some time later, nothing is claimed', async (t) => {
  const { clock, roof, give, claim, until, meter } = await openKnown(t);
  await until(claim(['roof'], undefined));
  await clock.pass(10_000);
  await until(claim(['roof'], 'b'));
  await until(roof.perform('battery', patient()));
  t.match(roof.deviceState, { frequencyWeighting: null }, 'it may have been somebody at the keys meanwhile');
  await until(roof.perform('weightings', patient()));
  void meter.powerCycle(3_600_000);
  t.equal(await until(outcomeOf(roof.perform('battery', patient()))), 'DEVICE_UNREACHABLE');
  await until(give(['roof'], 'here'));
  await until(outcomeOf(roof.perform('battery', patient())));
  t.match(roof.deviceState, { frequencyWeighting: null });
});

t.test(
  'another meter under the same name begins anew, whether its config came before the move or after it',
  async (t) => {
    for (const isBefore of [true, false]) {
      const { clock, configs, shared, give, claim, until } = await openKnown(t);
      const other = await startMeter({ clock, profile: 'instant', soundStepMs: 100, seed: 2, serial: '00000002' });
      t.teardown(() => until(other.stop()));
      const change = () => configs.put('roof', { tcpPort: other.tcpPort, ftpPort: other.ftpPort });
      await until(claim(['roof'], undefined));
      if (isBefore) change();
      await until(give(['roof'], 'b'));
      if (!isBefore) change();
      await until(shared.meter('roof').perform('battery', patient()));
      t.match(shared.meter('roof').deviceState, { frequencyWeighting: null });
    }
  },
);

t.test('a meter whose place is free only some time after a move is tried twice, and is not in trouble', async (t) => {
  const { roof, give, until, meter, told } = await openKnown(t);
  meter.faults.on('late-slot', { ms: 3_000 });
  await until(give(['roof'], 'b'));
  t.equal(typeof (await until(outcomeOf(roof.perform('battery', patient())))), 'object');
  t.match(roof.reachability, { state: 'online', consecutiveFailures: 0 });
  t.notOk(told.some(({ state }) => state !== 'online'));
});
