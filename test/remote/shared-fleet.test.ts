/** Many units that move at once, without sockets. */
import t from 'tap';
import { memoryTransport } from '../../lib/transport/memory.ts';
import { VirtualClock } from '../../simulator/index.ts';
import { data, STREAM } from '../meter/support/bench.ts';
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
