/** Many units that move at once, without sockets. */
import t from 'tap';
import { memoryTransport } from '../../lib/transport/memory.ts';
import { VirtualClock } from '../../simulator/index.ts';
import { data, STREAM } from '../meter/support/bench.ts';
import { FLOW } from '../meter/support/flow.ts';
import { ScriptedMeter, SUB } from '../meter/support/scripted-meter.ts';
import { familiesWith } from '../support/families/usual.ts';
import { openShared, outcomeOf, patient, Viewer } from './support/shared-world.ts';

const UNITS = 200;

t.test(
  '200 units that are watched and asked move from one instance to the other and back; none is lost or asked twice',
  async (t) => {
    const clock = new VirtualClock(undefined, { timersOnly: true });
    const network = memoryTransport();
    const families = familiesWith({ stream: STREAM, stateQuestions: {} });
    const world = openShared(t, { clock, families, transport: () => network.transport });
    const { configs, shared, claim, give, until, link, told } = world;
    const units = Array.from({ length: UNITS }, (_, index) => `m${index}`);
    const meters = units.map((unitId) => {
      const address = { host: `${unitId}.test`, port: 2255 };
      configs.put(unitId, { host: address.host, tcpPort: address.port });
      return new ScriptedMeter(network, clock, address)
        .always('Battery Level?', data('Full'))
        .always('DRD?', 'R+0000\r\n', '1,frame\r\n')
        .always(SUB, '$');
    });
    link();
    await claim(units, 'here');
    const viewers = units.map((unitId) => {
      const viewer = new Viewer();
      shared.meter(unitId).feed.watch(viewer);
      return viewer;
    });
    for (const owner of ['b', 'here'] as const) {
      const asked = Promise.all(units.map((unitId) => outcomeOf(shared.meter(unitId).perform('battery', patient()))));
      await until(Promise.all([asked, give(units, owner)]));
      t.strictSame(
        (await asked).filter((answer) => typeof answer === 'string'),
        [],
        `all are answered while they go to ${owner}`,
      );
      await until(new Promise<void>((resolve) => clock.after(5_000, resolve)));
    }
    for (const meter of meters) meter.verify(t);
    for (const viewer of viewers) {
      t.ok(viewer.frames.length >= 3, 'a frame of each session');
      t.equal(viewer.ended, undefined);
    }
    t.ok(units.every((unitId) => shared.meter(unitId).feed.state === 'ok'));
    t.strictSame(
      told.filter(({ state }) => state !== 'online'),
      [],
      'nothing of it is trouble',
    );
  },
);

t.test('what an instance kept is told when it is the gateway, also where the unit has left it by then', async (t) => {
  const clock = new VirtualClock(undefined, { timersOnly: true });
  const network = memoryTransport();
  const families = familiesWith({ stream: STREAM, stateQuestions: {} });
  const world = openShared(t, { clock, families, transport: () => network.transport });
  const { configs, shared, members, claim, give, until, link } = world;
  const pass = (ms: number) => until(new Promise<void>((resolve) => clock.after(ms, resolve)));
  configs.put('m1', { host: 'm1.test', tcpPort: 2255 });
  new ScriptedMeter(network, clock, { host: 'm1.test', port: 2255 }).always('DRD?', ...FLOW).always(SUB, '$');
  link();
  await claim(['m1'], 'here');
  const early = new Viewer();
  const leave = shared.meter('m1').feed.watch(early);
  await pass(2_050);
  const before = early.frames.length;
  t.ok(before > 0);
  members.here.served.here(undefined);
  await pass(1_000);
  leave();
  await give(['m1'], 'b');
  const late = new Viewer();
  shared.meter('m1').feed.watch(late);
  await pass(4_000);
  const counters = late.frames.map(({ frame }) => frame.counter);
  const again = counters.indexOf(1);
  t.ok(again >= 10, 'a second of frames, then those of the next session');
  t.strictSame(
    counters.slice(0, again),
    Array.from({ length: again }, (_, index) => before + 1 + index),
  );
});
