/** Levels that come after their time: windows that are on are read again, and events are of all levels that there are. */
import t from 'tap';
import { openWorld } from '../support/world.ts';

const iso = (ms: number) => new Date(ms).toISOString();
const MINUTE = 60_000;

t.test('an import counts in the present window: its broken limit is reported', async (t) => {
  const world = await openWorld(t);
  await world.put('/sim-1/config', { timezone: 'UTC', tcp_enabled: false });
  const hour = Math.floor(world.clock.now() / 3_600_000) * 3_600_000;
  await world.clock.advance(hour + 20 * MINUTE - world.clock.now());
  const rule = { name: 'Hour', units: ['sim-1'], kind: 'level', quantity: 'leq', window: '1h', limit_db: 70 };
  t.equal((await world.post('/_alerts/rules', rule)).status, 201);
  const isRead = async () => (await world.get('/sim-1/budget')).body.data[0];
  const untilMeasured = async (seconds: number) => {
    for (let tries = 0; tries < 30 && (await isRead()).measured_s !== seconds; tries++) await world.pass(200);
    return isRead();
  };
  await world.pass(12_000);
  t.match(await untilMeasured(0), { measured_s: 0 });

  const lines = Array.from({ length: 15 }, (_, minute) => `${iso(hour + minute * MINUTE)},60,95`);
  await world.bring(lines, 'leq');
  await world.pass(12_000);
  t.match(await untilMeasured(900), { state: 'exceeded', leq_so_far: 95 });
  t.match((await world.get('/_alerts/events')).body.data, [{ rule_name: 'Hour', window_from: iso(hour) }]);
});
