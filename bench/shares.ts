/**
 * The cost of the readers of a share, for the gateway as it is built. CPU of a thousand readers of its data, compared with a
 * thousand requests for `/livez`, which answers a constant. Also compared with one reader when nothing is kept. The unit has
 * eight days of minutes. Exits with 1 where a reader costs more than five times a constant.
 * `npm run build && npx node bench/shares.ts`
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import autocannon from 'autocannon';
import { BUILD, cpuSeconds, startProgram } from './setting/program.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const READERS = 1_000;
/** Longer than any part of an answer is kept. */
const FORGOTTEN_MS = 61_000;
const MOST_BESIDE_A_CONSTANT = 5;

const folder = await mkdtemp(join(tmpdir(), 'slm-bench-'));
const flags = ['--port', '0', '--data-dir', join(folder, 'data'), '--key-file', join(folder, 'key')];
const gateway = await startProgram(['--max-semi-space-size=4', BUILD, ...flags, '--log-level', 'warn']);
const { base, pid } = gateway;

// biome-ignore lint/suspicious/noExplicitAny: an answer of the gateway, as docs/api.md shows it
async function send(method: string, path: string, body: string, type = 'application/json'): Promise<any> {
  const answer = await fetch(`${base}${path}`, { method, headers: { 'Content-Type': type }, body });
  if (!answer.ok) throw new Error(await answer.text());
  return answer.json();
}

/** CPU of the gateway, s. */
async function costOf(work: () => Promise<unknown>): Promise<number> {
  const before = cpuSeconds(pid);
  await work();
  return cpuSeconds(pid) - before;
}

const many = (url: string) => async () => {
  const { non2xx, errors } = await autocannon({ url, connections: 50, amount: READERS });
  if (non2xx + errors > 0) throw new Error(`${non2xx} answers of ${url} are no success, ${errors} did not come`);
};

try {
  const config = { host: '192.0.2.1', tcp_enabled: false, name: 'Roof', timezone: 'Europe/Berlin', history: 'poll' };
  await send('PUT', '/roof/config', JSON.stringify(config));
  const now = Math.floor(Date.now() / MINUTE_MS) * MINUTE_MS;
  const rows = Array.from({ length: (8 * DAY_MS) / MINUTE_MS }, (_, n) => {
    const at = new Date(now - 8 * DAY_MS + n * MINUTE_MS).toISOString();
    return `${at},60,${40 + ((n * 7_919) % 300) / 10},80`;
  });
  await send('POST', '/roof/history/import', ['start,duration_s,leq,lmax', ...rows].join('\n'), 'text/csv');
  const { data } = await send(
    'POST',
    '/_shares',
    JSON.stringify({
      name: 'bench',
      units: ['roof'],
      show: ['live', 'levels', 'indices', 'limits'],
      expires_at: new Date(now + DAY_MS).toISOString(),
      title: '',
      text: '',
    }),
  );
  const page = new URL(`${data.link}/data`, base).href;
  const livez = new URL('/livez', base).href;
  // Both are warm before anything is counted.
  await many(page)();
  await many(livez)();
  const alone: number[] = [];
  for (let turn = 0; turn < 3; turn += 1) {
    await pause(FORGOTTEN_MS);
    alone.push(await costOf(async () => (await fetch(page)).text()));
  }
  const one = Math.max(...alone);
  const readers = await costOf(many(page));
  const constant = await costOf(many(livez));
  const beside = readers / constant;
  console.log(
    `${READERS} readers of a share: ${readers.toFixed(2)} s of CPU; ${READERS} requests for /livez: ${constant.toFixed(2)} s; ` +
      `${beside.toFixed(1)} times (at most ${MOST_BESIDE_A_CONSTANT}); one reader when nothing is kept: ${(one * 1_000).toFixed(0)} ms`,
  );
  if (beside > MOST_BESIDE_A_CONSTANT) process.exitCode = 1;
} finally {
  await gateway.stop();
  await rm(folder, { recursive: true, force: true });
}
