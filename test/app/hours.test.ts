/** Hours of work leave nothing behind: no timer, no watcher, no waiting work, and no connection but one for each meter. */
import { join } from 'node:path';
import t from 'tap';
import { plainMeter } from '../../bench/setting/plain-meter.ts';
import { pluginHost } from '../../bench/setting/probe.ts';
import { startGateway } from '../../lib/app/gateway.ts';
import { createLog } from '../../lib/log.ts';
import { VirtualClock } from '../../simulator/clock.ts';
import { config } from '../store/setup.ts';
import { memoryTransport } from '../support/memory-transport.ts';

const HOUR_MS = 3_600_000;
const STREAM_MS = 60_000;
const HOST = '192.0.2.1';
const UNITS = ['roof', 'gate', 'yard'];

t.test('each hour with polls, a stream and a cut line ends like the hour before', async (t) => {
  const clock = new VirtualClock();
  const network = memoryTransport();
  const home = t.testdir();
  const probe = new URL('../../bench/setting/probe.ts', import.meta.url).pathname;
  const gateway = await startGateway(
    { port: 0, data_dir: join(home, 'data'), key_file: join(home, 'key'), plugins: ['live', 'polling', probe] },
    { clock, transport: network.transport, log: createLog('silent') },
  );
  t.teardown(() => clock.until(gateway.stop()));
  const meters = UNITS.map((_, index) => plainMeter(network, { host: HOST, port: 1_000 + index }, clock));
  for (const [index, unitId] of UNITS.entries()) {
    const address = { host: HOST, tcpPort: 1_000 + index };
    await gateway.store.configs.change(unitId, () => config(unitId, { ...address, pollEnabled: true }));
  }

  const hour = async () => {
    const quiet = { frame: () => {}, status: () => {}, end: () => {} };
    const leaving = UNITS.map((unitId) => pluginHost().meter(unitId).feed.watch(quiet));
    await clock.advance(STREAM_MS);
    for (const leave of leaving) leave();
    await clock.advance(HOUR_MS / 2 - STREAM_MS);
    for (const meter of meters) meter.cut();
    await clock.advance(HOUR_MS / 2);
    return clock.pending;
  };
  const pending = [await hour(), await hour(), await hour()];
  t.ok(
    pending.every((count) => Math.abs(count - Number(pending[0])) <= UNITS.length),
    `timers after each hour: ${pending}`,
  );
  for (const unitId of UNITS) {
    const report = pluginHost().report(unitId);
    t.match(report, { waiting: [], watchers: 0 });
    t.equal(report?.counters.connects, 4, `${unitId}: one connection, and one after each cut`);
    t.equal(report?.counters.timeouts, 0);
    const { levelsAt } = gateway.store.snapshots.get(unitId);
    t.ok(levelsAt !== null && clock.now() - levelsAt <= 66_000, 'and it is read to the end');
  }
});
