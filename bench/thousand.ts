/**
 * The cost of a thousand polled meters for the process of the gateway on one core: the delay of its event loop, its share of
 * the core, its memory. The meters run in their own process. Exits with 1 when the delay is beyond its bound.
 * `node bench/thousand.ts [meters] [interval in s]`, about two minutes.
 */
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { openSetting, pause, quantile } from './setting/index.ts';

const METERS = Number(process.argv[2] ?? 1_000);
const INTERVAL_S = Number(process.argv[3] ?? 60);
/** Over this time the first polls are spread; a minute more, and every meter has been read twice. */
const SPREAD_S = 30;
const WINDOWS = 6;
const WINDOW_MS = 10_000;
const PERIOD_MS = 1;
const BOUND_MS = 20;

const setting = await openSetting({
  meters: METERS,
  settings: { plugin_settings: { polling: { start_spread_seconds: SPREAD_S } } },
  config: () => ({ pollEnabled: true, pollIntervalSeconds: INTERVAL_S }),
});
try {
  await pause(SPREAD_S * 1_000 + 10_000);
  const delay = monitorEventLoopDelay({ resolution: PERIOD_MS });
  const cpu = process.cpuUsage();
  const began = performance.now();
  const late: number[] = [];
  for (let window = 0; window < WINDOWS; window++) {
    delay.reset();
    delay.enable();
    await pause(WINDOW_MS);
    delay.disable();
    late.push(delay.percentile(99) / 1e6 - PERIOD_MS);
  }
  const { user, system } = process.cpuUsage(cpu);
  const share = (user + system) / 1_000 / (performance.now() - began);
  const units = setting.gateway.store.configs.list().map(({ unitId }) => setting.gateway.store.snapshots.get(unitId));
  const read = units.filter(({ levelsAt }) => levelsAt !== null).length;
  const worst = quantile(late, 1);
  console.log(`${METERS} meters polled every ${INTERVAL_S} s, ${read} of them read so far`);
  console.log(
    `event loop late by p99 ${quantile(late, 0.5).toFixed(1)} ms (middle of ${WINDOWS} windows), ${worst.toFixed(1)} ms (worst)`,
  );
  console.log(
    `${(share * 100).toFixed(1)} % of a core, ${(process.memoryUsage.rss() / 2 ** 20).toFixed(0)} MB resident`,
  );
  if (quantile(late, 0.5) > BOUND_MS || read < METERS) process.exitCode = 1;
} finally {
  await setting.close();
}
process.exit();
