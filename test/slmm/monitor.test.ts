/** The monitor beside a recorded stream, and what SLMM says of its devices. */
import t from 'tap';
import { configOf } from '../support/world.ts';
import { openSlmmWorld } from './world.ts';

t.test('when a command interrupts a recorded stream, the monitor goes on each second', async (t) => {
  const { world, watch } = await openSlmmWorld(t);
  await world.put('/sim-1/config', { history: 'stream' });
  await world.until('the stream', () => world.meter.log.commands.some((text) => text.startsWith('DRD?')));
  await world.pass(12_000);
  const client = await watch('/sim-1/monitor');
  const times: number[] = [];
  client.socket.on('message', () => times.push(world.clock.elapsed()));
  await world.pass(5_000);
  world.meter.log.clear();
  t.equal((await world.get('/sim-1/frequency-weighting')).status, 200);
  await world.pass(30_000);
  t.ok(world.meter.log.commands.includes('\u001a'), 'the stream was interrupted');
  const pauses = times.slice(1).map((at, index) => at - (times[index] ?? 0));
  t.ok(Math.max(...pauses) <= 3_500, `the longest pause is ${Math.max(...pauses)} ms of ${pauses.length}`);
  t.equal(
    world.meter.log.commands.filter((text) => text === 'DOD?').length <= 3,
    true,
    'and it does not interrupt the stream itself',
  );
});

t.test('/health/devices has the fields of SLMM, for each unit with TCP', async (t) => {
  const { world, ask } = await openSlmmWorld(t);
  await world.put('/off/config', { ...configOf(world.meter), tcp_enabled: false });
  await world.get('/sim-1/live');
  const { host, tcpPort: port } = world.meter;
  t.same((await ask('GET', '//health/devices')).body, {
    status: 'ok',
    devices: [{ unit_id: 'sim-1', host, port, reachable: true, error: null }],
    total_devices: 1,
    reachable_devices: 1,
  });
});
