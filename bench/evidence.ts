/**
 * What a package of evidence of a month costs: a unit with 30 days of the stream and 200 MB of files of its card, packed, hashed and thrown
 * away. Memory of the process beyond what it has at rest, and CPU. Exits with 1 beyond the bound. `node bench/evidence.ts [days]`
 */
import { fork } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../lib/clock.ts';
import { evidenceArchive } from '../lib/evidence/archive.ts';
import type { StoredRows } from '../lib/history/contract.ts';
import { openHistory } from '../lib/history/index.ts';
import { createLog } from '../lib/log.ts';
import { levelParts } from '../plugins/evidence/level-parts.ts';

const DAY_S = 86_400;
const BOUND_MB = 60;
const FILE_PIECES = 3_200;
const days = Number(process.argv[2] ?? 30);
const from = Date.UTC(2026, 9, 1) / 1_000;
const span = { from: from * 1_000, to: (from + days * DAY_S) * 1_000 };

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const mb = () => process.memoryUsage().rss / 1e6;

async function* parts(history: StoredRows) {
  const piece = randomBytes(65_536);
  async function* sound() {
    for (let n = 0; n < FILE_PIECES; n++) yield piece;
  }
  yield { path: 'files/1/sound.wav', content: sound() };
  const signal = new AbortController().signal;
  yield* levelParts({ host: { stored: history }, unitId: 'roof', span, zone: 'Europe/Berlin', signal });
}

const opened = (folder: string) =>
  openHistory({ path: join(folder, 'history.db'), clock: systemClock, log: createLog('silent') });

async function fill(folder: string): Promise<void> {
  const history = await opened(folder);
  for (let hour = 0; hour < days * 24; hour++) {
    const seconds = Array.from({ length: 3_600 }, (_, n) => ({
      ...{ at: from + hour * 3_600 + n, steps: 10, leq: 50 + ((n * 31) % 997) / 70, lmax: 62, lmin: 41, lpeak: 75 },
      lp: Array.from({ length: 10 }, (_, step) => 48 + ((n * 7 + step * 13) % 80) / 10),
    }));
    history.append({ unitId: 'roof', source: 'stream', weighting: { frequency: 'A', time: 'F' }, seconds });
    await history.flush();
  }
  await history.close();
}

async function measure(folder: string): Promise<void> {
  const history = await opened(folder);
  await pause(1_000);
  globalThis.gc?.();
  await pause(1_000);
  const rest = mb();
  let most = rest;
  let bytes = 0;
  const look = setInterval(() => {
    most = Math.max(most, mb());
  }, 20);
  const began = process.cpuUsage();
  const fields = {
    ...{ unit_id: 'roof', gateway: { version: '0' }, key: { fingerprint: 'sha256:' } },
    query: {
      from: new Date(span.from).toISOString(),
      to: new Date(span.to).toISOString(),
      timezone: 'UTC',
      include: [],
    },
  };
  for await (const chunk of evidenceArchive(parts(history), fields, async () => ({ envelope: '{}', publicKey: '' })))
    bytes += (chunk as Buffer).length;
  clearInterval(look);
  const { user, system } = process.cpuUsage(began);
  console.log(
    `${days} days and 210 MB of files: ${(bytes / 1e6).toFixed(0)} MB, ${((user + system) / 1e6).toFixed(1)} s of CPU, ` +
      `${rest.toFixed(0)} MB at rest, ${(most - rest).toFixed(0)} MB more at the most (at most ${BOUND_MB})`,
  );
  if (most - rest > BOUND_MB) process.exitCode = 1;
  await history.close();
}

// The process that measures is a fresh one, as the gateway is started: what filling needed is not at rest.
const given = process.env.SLM_BENCH_FOLDER;
if (given) await measure(given);
else {
  const folder = await mkdtemp(join(tmpdir(), 'slm-bench-'));
  try {
    await fill(folder);
    const env = { ...process.env, SLM_BENCH_FOLDER: folder };
    const child = fork(new URL(import.meta.url), process.argv.slice(2), {
      env,
      execArgv: ['--expose-gc', '--max-semi-space-size=4'],
    });
    [process.exitCode] = await once(child, 'exit');
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
