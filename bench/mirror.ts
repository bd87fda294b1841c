/**
 * The mirror: its memory while it fetches many files, and the speed of a mirrored file compared with a static file server
 * (Koa and a file stream). The meter, the gateway and the static server are a process each. Runs alternate, so that a busy
 * machine slows both. Exits with 1 beyond a bound. `node bench/mirror.ts [FILES]`: files of a megabyte, 200 unless given;
 * 2,000 are two gigabytes.
 */
import { type ChildProcess, execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import Koa from 'koa';
import { answerOf, MB, made, serveFtp, serveGateway, started } from './setting/ftp.ts';
import { quantile } from './setting/index.ts';

const RUNS = 7;
const BOUND = { memoryMb: 20, served: 0.8 };
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
  const listings: Record<string, string> = {
    '/SMALL': names.map((name) => line(name, MB)).join(''),
    '/LARGE': line('large', LARGE_MB * MB),
  };
  let folder = '/';
  await serveFtp({
    answers: {
      CWD(session, path) {
        folder = path;
        session.reply(path in listings || path === '/' ? '250 OK' : '550 none');
      },
      LIST: (session) => session.send(listings[folder] ?? ''),
      RETR: (session, path) => session.send(made(path.endsWith('large') ? LARGE_MB * MB : MB)),
    },
  });
}

async function gateway(ftpPort: number): Promise<void> {
  // Memory that is still in use after a collection.
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
  });
  await serveGateway(ftpPort);
}

/** As koa-send does for one file: its length and type, and a stream of it. */
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

function download(url: string): void {
  execFileSync('curl', ['-sS', '-f', '-o', '/dev/null', url]);
}

// biome-ignore lint/suspicious/noExplicitAny: an answer of the gateway, as docs/api.md shows it
async function ask(method: string, url: string, json?: object): Promise<any> {
  const headers = { 'Content-Type': 'application/json' };
  const response = await fetch(url, { method, headers, ...(json && { body: JSON.stringify(json) }) });
  return response.json();
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

type Served = readonly [server: ChildProcess, url: string];

/**
 * The medians of what two servers spend of the processor, in turn, s: on a busy machine the time of a clock says little. The first run
 * of each is to warm up.
 */
async function alternatingCpu(first: Served, second: Served) {
  const cost = async ([server, url]: Served) => {
    const before = await answerOf(server, 'cpu');
    download(url);
    return (await answerOf(server, 'cpu')) - before;
  };
  const runs: [number, number][] = [];
  for (let run = 0; run <= RUNS; run += 1) runs.push([await cost(first), await cost(second)]);
  const counted = runs.slice(1);
  return {
    first: quantile(
      counted.map(([a]) => a),
      0.5,
    ),
    second: quantile(
      counted.map(([, b]) => b),
      0.5,
    ),
  };
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
  const server = await started(import.meta.filename, 'meter', files);
  const own = await started(import.meta.filename, 'gateway', Number(server.said), '--expose-gc');
  const base = own.said;
  await mirror(base, '/LARGE');
  await answerOf(own.child, 'memory');
  const before = await answerOf(own.child, 'memory');
  own.child.send('sample');
  const began = performance.now();
  const { fetched, bytes } = await mirror(base, '/SMALL');
  const took = (performance.now() - began) / 1_000;
  const memory = ((await answerOf(own.child, 'memory')) - before) / MB;
  console.log(
    `${fetched} files, ${Math.round(bytes / MB)} MB in ${took.toFixed(1)} s: at most ${memory.toFixed(1)} MB more (bound ${BOUND.memoryMb})`,
  );

  const file = join(folder, 'large');
  await writeFile(file, Buffer.alloc(LARGE_MB * MB, 'x'));
  const plain = await started(import.meta.filename, 'static', file);
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
