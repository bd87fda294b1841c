/** One meter under two names: the gap between commands and the one connection belong to where it really is. */
import t, { type Test } from 'tap';
import { createEventStream } from '../../lib/events/stream.ts';
import { createLog } from '../../lib/log.ts';
import { createFleet } from '../../lib/meter/fleet.ts';
import { VirtualClock } from '../../simulator/clock.ts';
import { familiesWith } from '../support/families/usual.ts';
import { memoryTransport } from '../support/memory-transport.ts';
import { ask, Configs, data, outcome, patient, STREAM } from './support/bench.ts';
import { FLOW } from './support/flow.ts';
import { ADDRESS, ScriptedMeter, SUB } from './support/scripted-meter.ts';
import { Viewer } from './support/viewer.ts';

/** Two units, `roof` and `cellar`, whose names are resolved to what `where` says. */
function twoNames(t: Test, where: Record<string, readonly string[]>) {
  const clock = new VirtualClock(undefined, { timersOnly: true });
  const { transport, listen } = memoryTransport();
  const device = new ScriptedMeter({ transport, listen, hang: () => () => {} }, clock, {
    ...ADDRESS,
    host: '192.0.2.7',
  });
  const configs = new Configs();
  configs.set({ host: 'roof.test' });
  configs.set({ host: 'cellar.test' }, 'cellar');
  const log = createLog('silent');
  const fleet = createFleet({
    configs,
    transport: {
      resolve: async ({ host }) => where[host] ?? [host],
      dial: ({ port }, signal, resolved = []) => transport.dial({ host: resolved[0] ?? '', port }, signal),
    },
    families: familiesWith({ stream: STREAM, stateQuestions: {}, proof: ask('Proof') }),
    events: createEventStream(clock, log),
    clock,
    log,
    random: () => 1,
  });
  t.teardown(() => clock.until(fleet.close()));
  return { clock, device, configs, fleet, roof: fleet.meter('roof'), cellar: fleet.meter('cellar') };
}
const SAME = { 'roof.test': ['192.0.2.7'], 'cellar.test': ['192.0.2.7', '2001:db8::7'] };

t.test('commands of both units keep the gap, and there is one connection at a time', async (t) => {
  const { clock, device, roof, cellar } = twoNames(t, SAME);
  device.always('DOD?', 100, data('43.7'));
  const answers = [roof, cellar, roof, cellar].map((meter) => meter.run(ask('DOD'), patient()));
  t.same(await clock.until(Promise.all(answers)), ['43.7', '43.7', '43.7', '43.7']);
  for (let i = 0; i < 3; i++) {
    await clock.until(roof.run(ask('DOD'), patient()));
    await clock.until(cellar.run(ask('DOD'), patient()));
  }
  t.ok(device.shortestRest >= 1_000, `${device.shortestRest} ms`);
  t.equal(device.connections.filter(({ ending }) => !ending).length, 1);
  t.same(roof.report().sharedWith, ['cellar']);
  t.same(cellar.report().sharedWith, ['roof']);
});

t.test('a stream of one gives way to a command of the other, and comes back', async (t) => {
  const { clock, device, roof, cellar } = twoNames(t, SAME);
  device
    .always('DRD?', ...FLOW)
    .always(SUB, '$')
    .always('DOD?', data('43.7'));
  const viewer = new Viewer();
  roof.feed.watch(viewer);
  await clock.advance(3_000);
  t.equal(await clock.until(cellar.run(ask('DOD'), patient())), '43.7');
  t.ok(viewer.statuses.includes('lost') || viewer.statuses.includes('interrupted'));
  await clock.advance(10_000);
  t.equal(viewer.statuses.at(-1), 'ok');
  t.equal(device.connections.filter(({ ending }) => !ending).length, 1);
});

t.test('a name that now means another meter shares nothing with the old meter', async (t) => {
  const where: Record<string, readonly string[]> = { ...SAME };
  const { clock, device, configs, roof, cellar } = twoNames(t, where);
  device.always('DOD?', data('43.7'));
  await clock.until(roof.run(ask('DOD'), patient()));
  await clock.until(cellar.run(ask('DOD'), patient()));
  where['cellar.test'] = ['192.0.2.8'];
  device.line.destroy('gone');
  await clock.advance(2_000);
  t.equal(await clock.until(outcome(cellar.run(ask('DOD'), patient()))), 'DEVICE_UNREACHABLE');
  configs.remove('cellar');
  await clock.advance(1_000);
  t.equal(await clock.until(roof.run(ask('DOD'), patient())), '43.7');
  t.same(roof.report().sharedWith, []);
});
