/**
 * The cost of a package of evidence of a month: the gateway as it is built, a unit with 30 days of the stream and 210 MB of
 * files of its card, two packages one after the other. Memory of the process above its memory at rest, and CPU. Exits with 1
 * beyond the bound. `npm run build && npx node bench/evidence.ts [days]`
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { openHistory } from '../lib/history/index.ts';
import { createLog } from '../lib/log.ts';
import { VirtualClock } from '../simulator/clock.ts';
import { MB, made, serveFtp } from './setting/ftp.ts';
import { BUILD, cpuSeconds, residentMb, startProgram } from './setting/program.ts';

const HOUR_S = 3_600;
const DAY_S = 24 * HOUR_S;
const BOUND_MB = 60;
const FILE_BYTES = 67 * MB;

const [, , role = '30'] = process.argv;
const days = role === 'card' ? 1 : Number(role);
const to = Math.floor(Date.now() / 1_000 / DAY_S) * DAY_S;
const from = to - days * DAY_S;
const span = { from: new Date(from * 1_000).toISOString(), to: new Date(to * 1_000).toISOString() };

/** A card with three files of sound of the last day. */
async function card(): Promise<void> {
  const [, day, month] = new Date((to - HOUR_S) * 1_000).toUTCString().split(' ');
  const line = (name: string) => `-rw-rw-rw-   1 root  root  ${FILE_BYTES} ${month} ${day} 12:00 ${name}\r\n`;
  let folder = '/';
  await serveFtp({
    answers: {
      CWD(session, path) {
        folder = path;
        session.reply('250 OK');
      },
      LIST: (session) => session.send(folder === '/SOUND' ? ['1.wav', '2.wav', '3.wav'].map(line).join('') : ''),
      RETR: (session) => session.send(made(FILE_BYTES)),
    },
  });
}

/** Hours as they are stored when they were recorded: each is packed after its end. */
async function fill(path: string): Promise<void> {
  const clock = new VirtualClock(from * 1_000);
  const history = await openHistory({ path, clock, log: createLog('silent') });
  for (let at = from; at < to; at += HOUR_S) {
    const seconds = Array.from({ length: HOUR_S }, (_, n) => ({
      at: at + n,
      steps: 10,
      leq: 50 + ((n * 31) % 997) / 70,
      lmax: 62,
      lmin: 41,
      lpeak: 75,
      lp: Array.from({ length: 10 }, (_, step) => 48 + ((n * 7 + step * 13) % 80) / 10),
    }));
    history.append({ unitId: 'roof', source: 'stream', weighting: { frequency: 'A', time: 'F' }, seconds });
    await history.flush();
    await clock.advance(HOUR_S * 1_000);
  }
  for (let minute = 0; minute < 60; minute += 1) {
    await clock.advance(60_000);
    await history.units();
  }
  await history.close();
}

// biome-ignore lint/suspicious/noExplicitAny: an answer of the gateway, as docs/api.md shows it
async function ask(method: string, url: string, json?: object): Promise<any> {
  const headers = { 'Content-Type': 'application/json' };
  const response = await fetch(url, { method, headers, ...(json && { body: JSON.stringify(json) }) });
  const body = await response.json();
  if (!response.ok) throw new Error(JSON.stringify(body));
  return body;
}

async function ended(base: string, { job }: { job: string }): Promise<void> {
  for (;;) {
    const { data } = await ask('GET', `${base}/_jobs/${job}`);
    if (data.state === 'done') return;
    if (data.state === 'failed') throw new Error(JSON.stringify(data.error));
    await pause(100);
  }
}

/** Days that have ended are sealed, which is work of its own. */
async function isSealed(base: string): Promise<void> {
  while ((await ask('GET', `${base}/roof/seals`)).data.length < days - 1) await pause(1_000);
}

async function measure(base: string, pid: number): Promise<void> {
  await ask(
    'GET',
    `${base}/roof/history?from=${span.from}&to=${new Date((from + HOUR_S) * 1_000).toISOString()}&step=1m`,
  );
  await pause(3_000);
  const rest = residentMb(pid);
  for (const name of ['first', 'second']) {
    let most = rest;
    const look = setInterval(() => {
      most = Math.max(most, residentMb(pid));
    }, 20);
    const began = cpuSeconds(pid);
    await ended(base, await ask('POST', `${base}/roof/evidence`, span));
    clearInterval(look);
    console.log(
      `${days} days and 210 MB of files, the ${name} package: ${(cpuSeconds(pid) - began).toFixed(1)} s of CPU, ` +
        `${rest.toFixed(0)} MB at rest, ${(most - rest).toFixed(0)} MB more at the most (at most ${BOUND_MB})`,
    );
    if (most - rest > BOUND_MB) process.exitCode = 1;
  }
}

if (role === 'card') await card();
else {
  const folder = await mkdtemp(join(tmpdir(), 'slm-bench-'));
  const meter = fork(new URL(import.meta.url), ['card']);
  const [ftpPort] = await once(meter, 'message');
  const flags = ['--port', '0', '--data-dir', join(folder, 'data'), '--key-file', join(folder, 'key')];
  const start = () =>
    startProgram(['--max-semi-space-size=4', BUILD, ...flags, '--allow-loopback-meters', '--log-level', 'warn']);
  try {
    const first = await start();
    const mirror = { paths: ['/SOUND'], parse: false };
    const config = { host: '127.0.0.1', tcp_enabled: false, ftp_enabled: true, ftp_port: ftpPort, mirror };
    await ask('PUT', `${first.base}/roof/config`, config);
    await ended(first.base, await ask('POST', `${first.base}/roof/mirror`));
    await first.stop();
    await fill(join(folder, 'data', 'history.db'));
    const second = await start();
    await isSealed(second.base);
    await second.stop();
    // A fresh one: what the mirror and the seals needed is not at rest.
    const gateway = await start();
    await measure(gateway.base, gateway.pid);
    await gateway.stop();
  } finally {
    meter.kill();
    await rm(folder, { recursive: true, force: true });
  }
}
