/**
 * The mirror: how much memory it takes while it fetches many files, and how quick a mirrored file is served beside a static file
 * server (Koa and a file stream). The meter, the gateway and the static server are a process each.
 * Runs alternate, so that a busy machine hits both. Exits with 1 when a bound is broken. `node bench/mirror.ts [FILES]`: files of a
 * megabyte, 200 unless given; 2,000 are two gigabytes.
 */
import { type ChildProcess, execFileSync, fork } from 'node:child_process';
import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { setTimeout } from 'node:timers/promises';
import Koa from 'koa';
import { startGateway } from '../lib/gateway.ts';
import { createLog } from '../lib/log.ts';
import { startFtpDouble } from '../test/support/ftp-double.ts';

const RUNS = 7;
const BOUND = { memoryMb: 20, served: 0.8 };
const MB = 1_048_576;
/** Fetched, and served to measure speed. */
const LARGE_MB = 200;

const [, , role = '200', given = ''] = process.argv;
if (role === 'meter') await meter(Number(given));
else if (role === 'gateway') await gateway(Number(given));
else if (role === 'static') await staticServer(given);
else await compare(Number(role));

async function meter(files: number): Promise<void> {
  const line = (name: string, bytes: number) => `-rw-rw-rw-   1 root  root  ${bytes} Dec 24 02:13 ${name}\r\n`;
  const names = Array.from({ length: files }, (_, index) => `${String(index).padStart(5, '0')}.wav`);
  const content = (bytes: number) =>
    Readable.from(
      (function* () {
        const chunk = Buffer.alloc(65_536, 'x');
        for (let sent = 0; sent < bytes; sent += chunk.length) yield chunk;
      })(),
      { objectMode: false, highWaterMark: MB },
    );
  const listings: Record<string, string> = {
    '/SMALL': names.map((name) => line(name, MB)).join(''),
    '/LARGE': line('large', LARGE_MB * MB),
  };
  const test = { teardown() {} } as unknown as Parameters<typeof startFtpDouble>[0];
  let folder = '/';
  const { port } = await startFtpDouble(test, {
    answers: {
      CWD(session, path) {
        folder = path;
        session.reply(path in listings || path === '/' ? '250 OK' : '550 none');
      },
      LIST: (session) => session.send(listings[folder] ?? ''),
      RETR: (session, path) => session.send(content(path.endsWith('large') ? LARGE_MB * MB : MB)),
    },
  });
  process.send?.(port);
}

async function gateway(ftpPort: number): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'slm-bench-'));
  const running = await startGateway(
    {
      port: 0,
      data_dir: join(folder, 'data'),
      key_file: join(folder, 'key'),
      allow_loopback_meters: true,
      meter_spacing_ms: 0,
      unsafe_spacing: true,
    },
    { log: createLog('silent') },
  );
  await running.store.configs.change('roof', () => ({
    ...running.store.configs.defaults,
    unitId: 'roof',
    host: '127.0.0.1',
    tcpEnabled: false,
    ftpEnabled: true,
    ftpPort,
  }));
  // What is held, not what could be collected.
  const held = () => {
    globalThis.gc?.();
    const { heapUsed, external } = process.memoryUsage();
    return heapUsed + external;
  };
  tellCpu();
  let most = 0;
  let sampling: NodeJS.Timeout | undefined;
  process.on('message', (word) => {
    if (word === 'sample')
      sampling = setInterval(() => {
        most = Math.max(most, held());
      }, 500);
    if (word === 'memory') {
      clearInterval(sampling);
      process.send?.(Math.max(most, held()));
      most = 0;
    }
    if (word === 'stop') void running.stop().then(() => rm(folder, { recursive: true }).then(() => process.exit()));
  });
  process.send?.(running.baseUrl);
}

/** What koa-send does for one file: its length and type, and a stream of it. */
async function staticServer(file: string): Promise<void> {
  tellCpu();
  const app = new Koa();
  // A client that has all bytes may be gone before the stream has noticed.
  app.silent = true;
  app.use(async (context) => {
    const { size, mtime } = await stat(file);
    context.length = size;
    context.lastModified = mtime;
    context.type = 'application/octet-stream';
    context.body = createReadStream(file);
  });
  const server = app.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  process.send?.(`http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}/`);
}

async function started(word: string, value: string | number): Promise<{ child: ChildProcess; said: string }> {
  const execArgv = ['--max-semi-space-size=4', '--expose-gc'];
  const child = fork(import.meta.filename, [word, String(value)], { execArgv });
  const [said] = await once(child, 'message');
  return { child, said: String(said) };
}

async function memoryOf(child: ChildProcess): Promise<number> {
  const answer = once(child, 'message');
  child.send('memory');
  return Number((await answer)[0]);
}

function download(url: string): void {
  execFileSync('curl', ['-sS', '-f', '-o', '/dev/null', url]);
}

async function ask(method: string, url: string, json?: object) {
  const headers = { 'Content-Type': 'application/json' };
  const response = await fetch(url, { method, headers, ...(json && { body: JSON.stringify(json) }) });
  // biome-ignore lint/suspicious/noExplicitAny: an answer of the gateway, as docs/api.md shows it
  return (await response.json()) as any;
}

/** Runs the mirror over a folder; resolves with its result. */
async function mirror(base: string, path: string) {
  await ask('PUT', `${base}/roof/config`, { mirror: { paths: [path], parse: false } });
  const { job } = await ask('POST', `${base}/roof/mirror`);
  for (;;) {
    const { data } = await ask('GET', `${base}/_jobs/${job}`);
    if (data.state === 'done') return data.result;
    if (data.state === 'failed') throw new Error(JSON.stringify(data.error));
    await setTimeout(100);
  }
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

type Served = readonly [server: ChildProcess, url: string];

/**
 * The medians of what two servers spend of the processor, in turn, s: on a busy machine the time of a clock says little. The first run
 * of each is to warm up.
 */
async function alternatingCpu(first: Served, second: Served) {
  const cost = async ([server, url]: Served) => {
    const before = await cpuOf(server);
    download(url);
    return (await cpuOf(server)) - before;
  };
  const runs: [number, number][] = [];
  for (let run = 0; run <= RUNS; run += 1) runs.push([await cost(first), await cost(second)]);
  const counted = runs.slice(1);
  return { first: median(counted.map(([a]) => a)), second: median(counted.map(([, b]) => b)) };
}

async function cpuOf(child: ChildProcess): Promise<number> {
  const answer = once(child, 'message');
  child.send('cpu');
  return Number((await answer)[0]);
}

/** Answers what this process has spent of the processor, s. */
function tellCpu(): void {
  process.on('message', (word) => {
    const { user, system } = process.cpuUsage();
    if (word === 'cpu') process.send?.((user + system) / 1_000_000);
  });
}

async function compare(files: number): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'slm-bench-'));
  const server = await started('meter', files);
  const own = await started('gateway', Number(server.said));
  const base = own.said;
  await mirror(base, '/LARGE');
  await memoryOf(own.child);
  const before = await memoryOf(own.child);
  own.child.send('sample');
  const began = performance.now();
  const { fetched, bytes } = await mirror(base, '/SMALL');
  const took = (performance.now() - began) / 1_000;
  const memory = ((await memoryOf(own.child)) - before) / MB;
  console.log(
    `${fetched} files, ${Math.round(bytes / MB)} MB in ${took.toFixed(1)} s: at most ${memory.toFixed(1)} MB more (bound ${BOUND.memoryMb})`,
  );

  const file = join(folder, 'large');
  await writeFile(file, Buffer.alloc(LARGE_MB * MB, 'x'));
  const plain = await started('static', file);
  const content = `${base}/roof/files/content?path=${encodeURIComponent('/LARGE/large')}`;
  const http = await alternatingCpu([plain.child, plain.said], [own.child, content]);
  const served = http.first / http.second;
  console.log(
    `${LARGE_MB} MB over HTTP: static ${http.first.toFixed(3)} s of CPU, mirrored ${http.second.toFixed(3)} s: ${served.toFixed(2)} of its speed (bound ${BOUND.served})`,
  );

  own.child.send('stop');
  server.child.kill();
  plain.child.kill();
  await rm(folder, { recursive: true });
  process.exitCode = memory <= BOUND.memoryMb && served >= BOUND.served ? 0 : 1;
}
