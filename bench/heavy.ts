/**
 * The load that one caller causes by long answers. Each kind is asked 200 times at once: reports of 365 days, histories of
 * 100 years by day, indices of a year and of 4,000 days, years of minutes as CSV, extents, ZIPs of files. The unit has a
 * year of quarters of an hour. Measured: growth of memory, the wait for `/livez`, the longest turn of the event loop in time
 * of the processor, and the ends of the requests. The wait for `/livez` depends on other programs of the computer; the turn
 * does not. Exits with 1 beyond a bound. `node bench/heavy.ts [requests] [MB of heap]`
 */
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { pause, quantile } from './setting/index.ts';
import { BUILD, residentMb, startProgram } from './setting/program.ts';

const REQUESTS = Number(process.argv[2] ?? 200);
const HEAP = process.argv[3] ? [`--max-old-space-size=${process.argv[3]}`] : [];
/** `livezMs`: p99. `turnMs`: what keeps `/livez` waiting at the most. */
const BOUND = { mb: 300, livezMs: 50, turnMs: 50 };
const TURNS = ['--import', new URL('setting/turns.ts', import.meta.url).href];
const START = Date.UTC(2025, 0, 1);
const STEP_MS = 900_000;
const MAIN = existsSync(BUILD) ? BUILD : 'lib/app/main.ts';

const folder = await mkdtemp(join(tmpdir(), 'slm-bench-'));
const places = ['--data-dir', join(folder, 'data'), '--key-file', join(folder, 'key')];
const program = await startProgram([...HEAP, ...TURNS, MAIN, '--port', '0', '--log-level', 'error', ...places]);
let turnMs = 0;
createInterface(program.output).on('line', (line) => {
  const [, ms = '0'] = /^turn ([\d.]+)$/.exec(line) ?? [];
  turnMs = Math.max(turnMs, Number(ms));
});
try {
  const unit = `${program.base}/roof`;
  await sent(`${unit}/config`, 'PUT', '{"host":"192.0.2.1","tcp_enabled":false}', 'application/json');
  await sent(`${unit}/history/import?frequency_weighting=A&time_weighting=F`, 'POST', yearOfRows(), 'text/csv');
  const year = 'from=2025-01-01T00:00:00Z&to=2026-01-01T00:00:00Z';
  const century = 'from=1970-01-02T00:00:00Z&to=2069-12-31T00:00:00Z';
  const long = 'from=2015-01-20T00:00:00Z&to=2026-01-01T00:00:00Z';
  const questions = {
    reports: `report?${year}`,
    histories: `history?${century}&step=1d`,
    indices: `indices?${year}`,
    decade: `indices?${long}`,
    csv: `history?${year}&step=1m&format=csv`,
    extents: 'history/extent',
    zips: 'files/archive?path=/',
  };
  for (const [name, path] of Object.entries(questions)) {
    // The first use loads code.
    await (await fetch(`${unit}/${path}`)).arrayBuffer();
    const found = await under(`${unit}/${path}`);
    const isBeyond = found.mb > BOUND.mb || found.p99 > BOUND.livezMs || found.turn > BOUND.turnMs || found.others > 0;
    if (isBeyond) process.exitCode = 1;
    console.log(
      `${name.padEnd(10)} ${found.answered} answered, ${found.refused} refused, ${found.others} else; ${found.mb.toFixed(0)} MB more (at most ${BOUND.mb}); /livez ${found.p50.toFixed(0)} ms (p50), ${found.p99.toFixed(0)} ms (p99, at most ${BOUND.livezMs}), ${found.most.toFixed(0)} ms at most; longest turn ${found.turn.toFixed(0)} ms (at most ${BOUND.turnMs})`,
    );
  }
} finally {
  await program.stop();
  await rm(folder, { recursive: true, force: true });
}

async function under(url: string) {
  const before = residentMb(program.pid);
  turnMs = 0;
  let mb = 0;
  let over = false;
  const waits: number[] = [];
  const watching = (async () => {
    while (!over) {
      const began = performance.now();
      await (await fetch(new URL('/livez', program.base))).arrayBuffer();
      waits.push(performance.now() - began);
      mb = Math.max(mb, residentMb(program.pid) - before);
      await pause(20);
    }
  })();
  const one = async () => {
    const answer = await fetch(url);
    await answer.arrayBuffer();
    return answer.status;
  };
  const statuses = await Promise.all(Array.from({ length: REQUESTS }, one));
  over = true;
  await watching;
  const counted = (status: number) => statuses.filter((each) => each === status).length;
  const [answered, refused] = [counted(200), counted(503)];
  const [p50, p99, most] = [0.5, 0.99, 1].map((part) => quantile(waits, part));
  return {
    answered,
    refused,
    others: REQUESTS - answered - refused,
    mb,
    p50: p50 ?? 0,
    p99: p99 ?? 0,
    most: most ?? 0,
    turn: turnMs,
  };
}

async function sent(url: string, method: string, body: string, type: string): Promise<void> {
  const answer = await fetch(url, { method, body, headers: { 'Content-Type': type } });
  if (!answer.ok) throw new Error(`${method} ${url}: ${answer.status} ${await answer.text()}`);
  await answer.arrayBuffer();
}

function yearOfRows(): string {
  const lines = ['start,duration_s,leq,lmax,l10'];
  for (let at = START; at < Date.UTC(2026, 0, 1); at += STEP_MS) {
    const level = 50 + ((at / STEP_MS) % 200) / 10;
    lines.push(`${new Date(at).toISOString().slice(0, 19)}Z,900,${level},${level + 10},${level + 3}`);
  }
  return lines.join('\n');
}
