/** Reachability of a meter: each change comes once, with its reason, to all listeners. */
import t from 'tap';
import * as nl43 from '../../lib/drivers/nl43/commands.ts';
import type { GatewayEvent } from '../../lib/events/contract.ts';
import { ask, createBench, data, outcome, patient } from './support/bench.ts';
import { ADDRESS, ScriptedMeter } from './support/scripted-meter.ts';

function followed(t: Parameters<typeof createBench>[0]) {
  const bench = createBench(t);
  const changes: GatewayEvent<'reachability'>[] = [];
  bench.events.on('reachability', (change) => changes.push(change));
  const read = () => bench.clock.until(outcome(bench.meter.run(ask('DOD'), patient())));
  return { ...bench, changes, read, states: () => changes.map(({ data }) => data.reachability.state) };
}

t.test('online, degraded, offline and online again: each is one event, with reason, time and failures', async (t) => {
  const { clock, device, network, changes, states, read } = followed(t);
  device.always('DOD?', data('43.7'));
  await read();
  await read();
  t.same(states(), ['online']);
  const lastSuccess = clock.now();
  device.hangUp();
  device.line.destroy('gone');
  for (let i = 0; i < 5; i++) await read();
  t.same(states(), ['online', 'degraded', 'offline']);
  t.match(changes[1], {
    unitId: 'roof',
    data: { from: 'online', reachability: { consecutiveFailures: 1, reason: /refused/ } },
  });
  t.match(changes[2]?.data, { from: 'degraded', reachability: { consecutiveFailures: 3, reachable: false } });
  t.ok((changes[2]?.data.reachability.lastSuccess ?? 0) <= lastSuccess);
  new ScriptedMeter(network, clock).always('DOD?', data('43.7'));
  await read();
  t.match(changes[3]?.data, {
    from: 'offline',
    reachability: { state: 'online', since: clock.now(), consecutiveFailures: 0 },
  });
});

t.test('wedged: the control port refuses while FTP answers; the reason names the cure', async (t) => {
  const { device, network, changes, read } = followed(t);
  device.hangUp();
  network.listen({ host: ADDRESS.host, port: 21 }, () => {});
  await read();
  t.match(changes, [{ data: { from: 'unknown', reachability: { state: 'wedged', reason: /Power-cycle/ } } }]);
});

t.test('asleep?: no connection in time, and the sleep mode was on when it was last seen', async (t) => {
  const { clock, device, meter, network, states, read } = followed(t);
  device.expect('Sleep Mode?', data('On'));
  await clock.until(meter.run(nl43.sleepMode(), patient()));
  device.line.close('asleep');
  await clock.advance(10_000);
  network.hang(ADDRESS);
  for (let i = 0; i < 3; i++) await read();
  t.same(states(), ['online', 'degraded', 'asleep?']);
});

t.test('a meter that stays offline for another reason: the new reason is sent once', async (t) => {
  const { network, device, changes, states, read } = followed(t);
  device.hangUp();
  await read();
  await read();
  t.same(states(), ['offline']);
  network.hang(ADDRESS);
  await read();
  await read();
  t.same(states(), ['offline', 'offline']);
  const [refused, late] = changes.map(({ data }) => data.reachability);
  t.match(changes[1]?.data, { from: 'offline', reachability: { lastError: { code: 'DEVICE_TIMEOUT' } } });
  t.not(late?.reason, refused?.reason);
  t.equal(late?.since, refused?.since, 'it is in this state since then');
});

t.test('a refusal is an answer, an unreadable reply is not', async (t) => {
  const { device, states, read } = followed(t);
  device.expect('DOD?', 'R+0004\r\n$').expect('DOD?', 'rubbish\r\n');
  await read();
  t.same(states(), ['online']);
  await read();
  t.same(states(), ['online', 'degraded']);
});
