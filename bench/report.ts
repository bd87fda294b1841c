/**
 * A PDF of a month of a unit with a row each minute: how long it takes, how much memory it needs while it is made, and how long the gateway makes
 * others wait meanwhile. Exits with 1 above 3 s, 60 MB or 250 ms. `node --expose-gc bench/report.ts` or `npm run bench -- report`, about half a minute.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { startGateway } from '../lib/app/gateway.ts';
import { createLog } from '../lib/log.ts';
import { deviceConfig } from '../test/support/config.ts';
import { held } from './setting/held.ts';

const MINUTES = 30 * 24 * 60;
const FROM = Date.UTC(2025, 10, 1);
const BOUND = { ms: 3_000, mb: 60, waitMs: 250 };

const folder = await mkdtemp(join(tmpdir(), 'slm-bench-'));
const places = { data_dir: join(folder, 'data'), key_file: join(folder, 'key') };
const gateway = await startGateway({ port: 0, ...places }, { log: createLog('silent') });
await gateway.store.configs.change('unit', () => deviceConfig({ unitId: 'unit', tcpEnabled: false }));
const lines = Array.from({ length: MINUTES }, (_, n) => {
  const leq = 50 + 10 * Math.sin(n / 230) + ((n * 7_919) % 100) / 25;
  return `${new Date(FROM + n * 60_000).toISOString()},60,${leq.toFixed(1)},${(leq + 12).toFixed(1)}`;
});
const imported = await fetch(`${gateway.baseUrl}/unit/history/import`, {
  method: 'POST',
  headers: { 'Content-Type': 'text/csv' },
  body: ['start,duration_s,leq,lmax', ...lines].join('\n'),
});
if (imported.status !== 202) throw new Error(`the import answered ${imported.status} ${await imported.text()}`);

const address = (days: number) =>
  `${gateway.baseUrl}/_reports/preview?units=unit&format=pdf&zone=Europe/Berlin&from=${new Date(FROM).toISOString()}&to=${new Date(FROM + days * 86_400_000).toISOString()}`;

async function made(days: number) {
  const before = await held();
  const delay = monitorEventLoopDelay({ resolution: 5 });
  delay.enable();
  let most = 0;
  const watch = setInterval(() => {
    most = Math.max(most, process.memoryUsage().rss);
  }, 10);
  const rss = process.memoryUsage().rss;
  const began = performance.now();
  const response = await fetch(address(days));
  const bytes = (await response.arrayBuffer()).byteLength;
  const ms = performance.now() - began;
  clearInterval(watch);
  delay.disable();
  if (response.status !== 200) throw new Error(`the report answered ${response.status}`);
  const kept = ((await held()) - before) / 2 ** 20;
  return { ms, bytes, mb: Math.max(0, most - rss) / 2 ** 20, kept, waitMs: delay.max / 1e6 };
}

const rounds = [await made(30), await made(30), await made(30)];
for (const { ms, bytes, mb, kept, waitMs } of rounds)
  console.log(
    `a month: ${ms.toFixed(0)} ms, ${(bytes / 1e3).toFixed(0)} kB of PDF, ${mb.toFixed(0)} MB more while it is made, ${kept.toFixed(1)} MB kept, others wait ${waitMs.toFixed(0)} ms at most`,
  );
const isBeyond = rounds.some(({ ms, mb, waitMs }) => ms > BOUND.ms || mb > BOUND.mb || waitMs > BOUND.waitMs);
await gateway.stop();
await rm(folder, { recursive: true, force: true });
process.exitCode = isBeyond ? 1 : 0;
