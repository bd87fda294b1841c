/** Questions of a background reading, so that levels have their percentages and weightings. */
import t from 'tap';
import { GatewayError } from '../../lib/errors.ts';
import { createLog } from '../../lib/log.ts';
import type { DeviceState, Meter, Reservation } from '../../lib/meter/contract.ts';
import { learnLevelSettings } from '../../lib/status/level-settings.ts';
import type { SlowParts } from '../../lib/status/slow.ts';
import { VirtualClock } from '../../simulator/clock.ts';
import { standIn } from '../support/stand-in.ts';

const HOUR_MS = 3_600_000;

function setup() {
  const clock = new VirtualClock();
  const asked: string[] = [];
  const percentiles: (number | null)[] = [null, null, null, null, null];
  const state: DeviceState = {
    measuring: null,
    paused: false,
    startedAt: null,
    startSource: null,
    storeName: null,
    frequencyWeighting: 'A',
    timeWeighting: 'F',
    percentiles,
  };
  const rig = { asked, percentiles, fails: undefined as GatewayError | undefined, waits: false, clock };
  const meter = standIn<Meter>({ unitId: 'roof', can: () => true, deviceState: state });
  const reservation = standIn<Reservation>({
    perform: async (...[name, slot = 0]: [string, ...unknown[]]) => {
      asked.push(`${name} ${slot}`);
      if (rig.fails) throw rig.fails;
      percentiles[Number(slot) - 1] = 10 * Number(slot);
    },
  });
  const parts = standIn<SlowParts>({ meter, clock, log: createLog('silent'), mustYield: () => rig.waits });
  return { ...rig, rig, read: () => learnLevelSettings(parts, reservation) };
}

t.test('each place is asked for once, and again after an hour or when it is not known any more', async (t) => {
  const { asked, percentiles, read, clock } = setup();
  await read();
  t.strictSame(asked, ['percentile 1', 'percentile 2', 'percentile 3', 'percentile 4', 'percentile 5']);
  await clock.advance(HOUR_MS - 1);
  await read();
  t.equal(asked.length, 5);
  percentiles.fill(null, 3);
  await read();
  t.strictSame(asked.slice(5), ['percentile 4', 'percentile 5'], 'after trouble with the connection');
  await clock.advance(1);
  await read();
  t.strictSame(asked.slice(7), ['percentile 1', 'percentile 2', 'percentile 3']);
});

t.test('somebody who waits comes first', async (t) => {
  const busy = setup();
  busy.rig.waits = true;
  await busy.read();
  t.strictSame(busy.asked, []);
});

t.test('a meter that refuses is asked again after an hour; a silent one costs one timeout', async (t) => {
  const refused = setup();
  refused.rig.fails = new GatewayError('DEVICE_REFUSED_COMMAND', 'R+0001');
  await refused.read();
  await refused.read();
  t.equal(refused.asked.length, 5);
  await refused.clock.advance(HOUR_MS);
  await refused.read();
  t.equal(refused.asked.length, 10);
  const silent = setup();
  silent.rig.fails = new GatewayError('DEVICE_TIMEOUT', 'no reply');
  await silent.read();
  await silent.read();
  t.strictSame(silent.asked, ['percentile 1']);
  const gone = setup();
  gone.rig.fails = new GatewayError('DEVICE_UNREACHABLE', 'gone');
  await t.rejects(gone.read(), { code: 'DEVICE_UNREACHABLE' });
});
