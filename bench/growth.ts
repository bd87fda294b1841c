/**
 * How cost grows: of the build, with polled meters, with viewers of one stream, and with the time that a question to the
 * history covers; compared with a few lines of Node that do the same. Every gateway is a process of its own, and so are
 * the meters. `npm run build && node bench/growth.ts [folder]` prints a table, and draws it as growth.svg into the folder;
 * about six minutes. Where the system does not tell what a process used (other than Linux), only times are true.
 */
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { WebSocket } from 'ws';
import { pause, startMeters } from './setting/index.ts';
import { drawPlots, type Plot } from './setting/plot.ts';
import { BUILD, cpuSeconds, type Program, residentMb, startProgram } from './setting/program.ts';

const METERS = [1, 10, 100, 1_000];
const VIEWERS = [1, 10, 100, 1_000];
const DAYS = [1, 7, 30, 90];
const POLL_S = 10;
/** Until all meters are connected and every program is warm. */
const WARM_MS = 12_000;
const MEASURED_MS = 10_000;
const RUNS = 7;
/** Of one import. */
const DAYS_AT_ONCE = 30;
/** The first minute that is imported. */
const START = Date.UTC(2025, 0, 1);
const MINUTE_MS = 60_000;
const DAY_MS = 1_440 * MINUTE_MS;

/** Asks as many meters for their display as often as the gateway reads them. */
const BARE_POLLS = `
  import { connect } from 'node:net';
  const ports = JSON.parse(process.argv.at(-1));
  ports.forEach((port, place) => {
    const socket = connect(port, '127.0.0.1').on('data', () => {});
    setTimeout(() => setInterval(() => socket.write('DOD?\\r\\n'), ${POLL_S * 1_000}), place / ports.length * ${POLL_S * 1_000});
  });
  console.log('http://127.0.0.1');`;
/** Sends a text to all who are connected, ten times a second. */
const BARE_STREAM = `
  import { WebSocketServer } from 'ws';
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
  const text = JSON.stringify({ event: 'frame', levels: 'x'.repeat(300) });
  setInterval(() => { for (const client of server.clients) client.send(text); }, 100);
  server.on('listening', () => console.log('http://127.0.0.1:' + server.address().port));`;
/** Quarters of an hour from a table with a row for each minute. */
const BARE_HISTORY = `
  import { createServer } from 'node:http';
  import Database from 'better-sqlite3';
  const database = new Database(':memory:');
  database.exec('create table minute (at integer primary key, leq integer, lmax integer)');
  const insert = database.prepare('insert into minute values (?, ?, ?)');
  database.transaction(() => {
    for (let minute = 0; minute < 90 * 1440; minute++) insert.run(minute, 5000 + minute % 900, 6000 + minute % 900);
  })();
  const query = database.prepare(\`select at / 15, 10 * log10(avg(pow(10, leq / 1000.0))), max(lmax), count(*)
    from minute where at < ? group by at / 15\`).raw();
  createServer((request, answer) => {
    answer.end(JSON.stringify(query.all(Number(request.url.slice(1)) * 1440)));
  }).listen(0, '127.0.0.1', function () { console.log('http://127.0.0.1:' + this.address().port); });`;

const folder = await mkdtemp(join(tmpdir(), 'slm-bench-'));
let gateways = 0;

if (!existsSync(BUILD)) throw new Error('there is no build: npm run build makes it');
try {
  const plots = [...(await polled()), await watched(), await asked()];
  for (const plot of plots) print(plot);
  const place = process.argv[2];
  if (place) await writeFile(join(place, 'growth.svg'), drawPlots(plots));
} finally {
  await rm(folder, { recursive: true, force: true });
}
process.exit();

async function polled(): Promise<Plot[]> {
  const used: [number, Use, Use][] = [];
  for (const count of METERS) {
    const meters = await startMeters(count);
    const ports = meters.ready.meters.map(({ tcp_port }) => tcp_port);
    const bare = await startProgram(['--input-type=module', '-e', BARE_POLLS, JSON.stringify(ports)]);
    const least = await use(bare);
    const gateway = await startGateway({ polling: { start_spread_seconds: 5 } });
    for (const [place, port] of ports.entries())
      await configure(gateway, `unit-${place + 1}`, {
        tcp_port: port,
        poll_enabled: true,
        poll_interval_seconds: POLL_S,
      });
    used.push([count, await use(gateway), least]);
    meters.child.kill();
  }
  const lines = (of: keyof Use) => [
    { name: 'gateway', points: used.map(([count, ours]) => [count, ours[of]] as const) },
    { name: 'bare sockets, one question', points: used.map(([count, , least]) => [count, least[of]] as const) },
  ];
  const across = `meters, each read every ${POLL_S} s`;
  return [
    { title: 'Polled meters: % of a core', across, lines: lines('percent') },
    { title: 'Polled meters: MB resident', across, lines: lines('mb') },
  ];
}

async function watched(): Promise<Plot> {
  const meters = await startMeters(1);
  const used: [number, Use, Use][] = [];
  for (const count of VIEWERS) {
    const bare = await startProgram(['--input-type=module', '-e', BARE_STREAM]);
    const least = await use(bare, await view(bare.base, count));
    const gateway = await startGateway({ live: { streams: 2_000, streams_per_unit: 2_000 } });
    await configure(gateway, 'roof', { tcp_port: meters.ready.meters[0]?.tcp_port, poll_enabled: false });
    used.push([count, await use(gateway, await view(`${gateway.base}/roof/live`, count)), least]);
  }
  meters.child.kill();
  return {
    title: 'Viewers of one stream: % of a core',
    across: 'viewers, ten frames a second each',
    lines: [
      { name: 'gateway', points: used.map(([count, { percent }]) => [count, percent]) },
      { name: 'bare WebSocket server', points: used.map(([count, , { percent }]) => [count, percent]) },
    ],
  };
}

async function asked(): Promise<Plot> {
  const bare = await startProgram(['--input-type=module', '-e', BARE_HISTORY]);
  const gateway = await startGateway({});
  await configure(gateway, 'roof', { tcp_port: 2_255, tcp_enabled: false });
  for (let day = 0; day < 90; day += DAYS_AT_ONCE) await importDays(gateway, day, Math.min(90, day + DAYS_AT_ONCE));
  const points: [number, number, number][] = [];
  for (const days of DAYS) {
    const to = new Date(START + days * DAY_MS).toISOString();
    const address = `${gateway.base}/roof/history?from=${new Date(START).toISOString()}&to=${to}&step=15m`;
    points.push([days, await fastest(address), await fastest(`${bare.base}/${days}`)]);
  }
  await Promise.all([bare.stop(), gateway.stop()]);
  return {
    title: 'Levels of 15 minutes from the history: ms',
    across: 'days that are asked for, kept minute by minute',
    lines: [
      { name: 'gateway', points: points.map(([days, ours]) => [days, ours]) },
      { name: 'bare SQLite and JSON', points: points.map(([days, , least]) => [days, least]) },
    ],
  };
}

/** From one day to another, minute by minute. */
async function importDays(gateway: Program, from: number, to: number): Promise<void> {
  const rows = Array.from({ length: (to - from) * 1_440 }, (_, minute) => {
    const level = 50 + (minute % 900) / 100;
    const start = new Date(START + from * DAY_MS + minute * MINUTE_MS).toISOString();
    return `${start},60,${level.toFixed(1)},${(level + 10).toFixed(1)}`;
  });
  await ask(`${gateway.base}/roof/history/import`, {
    method: 'POST',
    body: ['start,duration_s,leq,lmax', ...rows].join('\n'),
    headers: { 'Content-Type': 'text/csv' },
  });
}

async function startGateway(pluginSettings: object): Promise<Program> {
  const own = join(folder, String(gateways++));
  return startProgram([
    ...['--max-semi-space-size=4', BUILD, '--port', '0', '--log-level', 'error'],
    ...['--data-dir', join(own, 'data'), '--key-file', join(own, 'key'), '--allow-loopback-meters'],
    ...['--connects-per-minute', '60000', '--connections-per-address', '2000'],
    ...['--plugin-settings', JSON.stringify(pluginSettings)],
  ]);
}

async function configure(gateway: Program, unitId: string, config: object): Promise<void> {
  await ask(`${gateway.base}/${unitId}/config`, {
    method: 'PUT',
    body: JSON.stringify({ host: '127.0.0.1', ftp_enabled: false, ...config }),
    headers: { 'Content-Type': 'application/json' },
  });
}

async function ask(address: string, init: RequestInit = {}): Promise<string> {
  const answer = await fetch(address, init);
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${address}: ${answer.status} ${text.slice(0, 300)}`);
  return text;
}

interface Use {
  /** Of one core. */
  readonly percent: number;
  readonly mb: number;
}

/** Measures the warm program, then stops it. */
async function use(program: Program, viewers?: Viewers): Promise<Use> {
  await pause(WARM_MS);
  const [before, began, seen] = [cpuSeconds(program.pid), performance.now(), viewers?.frames() ?? 0];
  await pause(MEASURED_MS);
  const seconds = (performance.now() - began) / 1_000;
  const percent = (100 * (cpuSeconds(program.pid) - before)) / seconds;
  const mb = residentMb(program.pid);
  if (viewers) {
    const rate = (viewers.frames() - seen) / seconds / viewers.count;
    if (rate < 5) throw new Error(`viewers got only ${rate.toFixed(1)} frames a second`);
    viewers.leave();
  }
  await program.stop();
  return { percent, mb };
}

interface Viewers {
  readonly count: number;
  /** That came to all of them so far. */
  frames(): number;
  leave(): void;
}

async function view(address: string, count: number): Promise<Viewers> {
  let frames = 0;
  const sockets: WebSocket[] = [];
  for (let number = 0; number < count; number++) {
    const socket = new WebSocket(address.replace('http', 'ws'));
    socket.on('message', () => frames++);
    await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
    sockets.push(socket);
  }
  const leave = () => {
    for (const socket of sockets) socket.terminate();
  };
  return { count, frames: () => frames, leave };
}

/** Of several answers in a row, ms: other work of the computer makes the others slower. */
async function fastest(address: string): Promise<number> {
  const times: number[] = [];
  for (let run = 0; run < RUNS; run++) {
    const began = performance.now();
    await ask(address);
    times.push(performance.now() - began);
  }
  return Math.min(...times);
}

function print({ title, across, lines }: Plot): void {
  console.log(`\n${title}; ${across}`);
  for (const { name, points } of lines)
    console.log(`${name.padEnd(28)}${points.map(([x, y]) => `${x}: ${y.toFixed(1)}`.padStart(14)).join('')}`);
}
