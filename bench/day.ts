/**
 * Whether the gateway holds more and more: a virtual day of polled meters, with a stream of five minutes and a cut
 * connection on every meter each hour. The heap after a collection is noted every two hours; the figures of the last
 * eight hours are compared with those of hours 4 to 12. Exits with 1 when it grew. `node bench/day.ts`, about two minutes.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startGateway } from '../lib/app/gateway.ts';
import { createLog } from '../lib/log.ts';
import { VirtualClock } from '../simulator/clock.ts';
import { deviceConfig } from '../test/support/config.ts';
import { memoryTransport } from '../test/support/memory-transport.ts';
import { held } from './setting/held.ts';
import { quantile } from './setting/index.ts';
import { plainMeter } from './setting/plain-meter.ts';
import { pluginHost } from './setting/probe.ts';

const METERS = 5;
const HOURS = 24;
const HOUR_MS = 3_600_000;
const STREAM_MS = 300_000;
/** The heap itself moves by so much from one collection to the next. */
const BOUND = { bytes: 1_000_000, ratio: 1.05 };

const clock = new VirtualClock();
const network = memoryTransport();
const folder = await mkdtemp(join(tmpdir(), 'slm-bench-'));
const gateway = await startGateway(
  {
    port: 0,
    data_dir: join(folder, 'data'),
    key_file: join(folder, 'key'),
    plugins: ['live', 'polling', 'status', new URL('setting/probe.ts', import.meta.url).pathname],
  },
  { clock, transport: network.transport, log: createLog('silent') },
);
const units = Array.from({ length: METERS }, (_, index) => ({ unitId: `unit-${index}`, port: 1_000 + index }));
const meters = units.map(({ port }) => plainMeter(network, { host: '192.0.2.1', port }, clock));
for (const { unitId, port } of units) {
  await gateway.store.configs.change(unitId, () => deviceConfig({ unitId, tcpPort: port, pollEnabled: true }));
}

/** Everything that a working hour has. */
async function hour(): Promise<void> {
  const quiet = { frame: () => {}, status: () => {}, end: () => {} };
  const leaving = units.map(({ unitId }) => pluginHost().meter(unitId).feed.watch(quiet));
  await clock.advance(STREAM_MS);
  for (const leave of leaving) leave();
  await clock.advance(HOUR_MS / 2 - STREAM_MS);
  for (const meter of meters) meter.cut();
  await clock.advance(HOUR_MS / 2);
}

const figures: number[] = [];
for (let done = 1; done <= HOURS; done++) {
  await hour();
  if (done % 2 > 0) continue;
  figures.push(await held());
  console.log(`after ${String(done).padStart(2)} h: ${((figures.at(-1) ?? 0) / 2 ** 20).toFixed(2)} MB held`);
}
const { counters } = pluginHost().report('unit-0') ?? {};
console.log(`unit-0: ${counters?.commands} commands, ${counters?.frames} frames, ${counters?.connects} connects`);
const early = quantile(figures.slice(1, 6), 0.5);
const late = quantile(figures.slice(-4), 0.5);
const grew = late - early;
console.log(`grown by ${(grew / 1_024).toFixed(0)} KB between hours 4-12 and 18-24`);
if (grew > BOUND.bytes || late / early > BOUND.ratio) process.exitCode = 1;
await clock.until(gateway.stop());
await rm(folder, { recursive: true, force: true });
process.exit();
