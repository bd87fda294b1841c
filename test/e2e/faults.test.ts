/**
 * Every fault of the simulator's catalogue, as a caller meets it. The answer comes in bounded time and has the documented
 * form. It never has a value that the meter did not give. The gateway itself never fails, and works again after the fault.
 */
import t from 'tap';
import { CATALOGUE } from '../../simulator/faults/catalogue.ts';
import { openWorld } from '../support/world.ts';

const TRUE_VALUES: Readonly<Record<string, object>> = {
  '/battery': { battery_level: '100', battery_state: 'Full' },
  '/frequency-weighting': { frequency_weighting: 'A' },
  '/index-number': { index_number: '0042' },
  '/sleep/status': { sleep_mode: 'Off' },
  '/measurement-state': { measurement_state: 'Stop' },
  '/live': { data: { measurement_state: 'Stop', leq: null } },
};
const EXPECTED = [200, 409, 422, 502, 503, 504];
/** Connect, reply and queue have deadlines of some seconds each; a reading of several commands adds up. */
const LONGEST_MS = 60_000;

for (const kind of Object.keys(CATALOGUE)) {
  t.test(`under the fault ${kind} callers get answers, and the meter is well again afterwards`, async (t) => {
    const world = await openWorld(t);
    world.meter.set('Store Name', '0042');
    await world.post('/sim-1/ftp/enable');
    await world.pass(2_000);
    world.meter.faults.on(kind);
    for (const [path, value] of Object.entries(TRUE_VALUES)) {
      const began = world.clock.elapsed();
      const { status, body } = await world.get(`/sim-1${path}`);
      t.ok(EXPECTED.includes(status), `${path} ${status} ${JSON.stringify(body)}`);
      t.ok(world.clock.elapsed() - began < LONGEST_MS, `${path} in time`);
      if (status === 200) t.match(body, value, `${path}: no wrong value`);
    }
    const { status } = await world.get('/sim-1/ftp/files');
    t.ok([...EXPECTED, 404].includes(status), `/ftp/files ${status}`);
    world.meter.faults.clear();
    await world.clock.advance(200_000);
    await world.get('/sim-1/battery');
    await world.clock.advance(200_000);
    t.match(await world.get('/sim-1/battery'), { status: 200, body: TRUE_VALUES['/battery'] }, 'well again');
    t.same(world.meter.log.spacingViolations(), []);
    t.notOk(
      world.log.some((line) => line.includes('request failed')),
      'no fault of the gateway',
    );
  });
}
