/**
 * Many small files by FTP: what the mirror and a ZIP need, compared with curl from the same server over one connection. The server and
 * the gateway are a process each. Exits with 1 when a bound is broken. `node bench/ftp-many.ts [FILES]`: of 20 kB, 2,000 unless
 * given, for the mirror; a sixth of them, of 30 kB, for the ZIP.
 */
import { spawnSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { listed } from '../test/support/ftp-double.ts';
import { serveFtp, serveGateway, started } from './setting/ftp.ts';
import { quantile } from './setting/index.ts';

const RUNS = 3;
/** Times the time of curl. */
const BOUND = 3;
const MIRROR_BYTES = 20_000;
const ZIP_BYTES = 30_000;

const zipped = (files: number): number => Math.round(files / 6.67);

const [, , role = '2000', given = ''] = process.argv;
if (role === 'server') await serve(Number(given));
else if (role === 'gateway') await serveGateway(Number(given));
else await compare(Number(role));

async function serve(files: number): Promise<void> {
  const folders: Record<string, string> = { '/': '' };
  const contents: Record<string, Buffer> = {};
  const add = (folder: string, count: number, bytes: number) => {
    const names = Array.from({ length: count }, (_, number) => `${number}.rnd`);
    folders[`/${folder}`] = names.map((name) => listed(name, bytes)).join('');
    for (const [number, name] of names.entries()) {
      const content = Buffer.alloc(bytes, String(number));
      // curl asks without the slash.
      Object.assign(contents, { [`/${folder}/${name}`]: content, [`${folder}/${name}`]: content });
    }
  };
  add('ZIP', zipped(files), ZIP_BYTES);
  for (let run = 0; run <= RUNS; run++) add(`RUN${run}`, files, MIRROR_BYTES);
  await serveFtp({ folders, files: contents });
}

/** Seconds. */
async function timed(work: () => unknown): Promise<number> {
  const began = performance.now();
  await work();
  return (performance.now() - began) / 1_000;
}

function curl(args: readonly string[]): void {
  const { status, stderr } = spawnSync('curl', ['-sS', '-f', '--create-dirs', ...args], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`curl failed: ${stderr.slice(0, 500)}`);
}

// biome-ignore lint/suspicious/noExplicitAny: an answer of the gateway, as docs/api.md shows it
async function ask(method: string, url: string, json?: object): Promise<any> {
  const headers = { 'Content-Type': 'application/json' };
  const response = await fetch(url, { method, headers, ...(json && { body: JSON.stringify(json) }) });
  return response.json();
}

async function mirror(base: string, path: string, files: number): Promise<void> {
  await ask('PUT', `${base}/roof/config`, { mirror: { paths: [path], parse: false } });
  const { job } = await ask('POST', `${base}/roof/mirror`);
  for (;;) {
    const { data } = await ask('GET', `${base}/_jobs/${job}`);
    if (data.state === 'failed') throw new Error(JSON.stringify(data.error));
    if (data.state === 'done' && data.result.fetched !== files) throw new Error(`${data.result.fetched} files came`);
    if (data.state === 'done') return;
    await setTimeout(50);
  }
}

async function compare(files: number): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'slm-bench-'));
  const server = await started(import.meta.filename, 'server', files);
  const own = await started(import.meta.filename, 'gateway', Number(server.said));
  const direct = (path: string, count: number) =>
    curl([
      '-P',
      '-',
      '--ftp-method',
      'nocwd',
      `ftp://USER:0000@127.0.0.1:${server.said}/${path}/[0-${count - 1}].rnd`,
      '-o',
      `${folder}/#1`,
    ]);
  const zip = () => curl([`${own.said}/roof/ftp/archive?path=/ZIP`, '-o', join(folder, 'all.zip')]);
  const found: number[] = [];
  for (const { what, count, through, plain } of [
    { what: 'a ZIP', count: zipped(files), through: zip, plain: () => 'ZIP' },
    {
      what: 'the mirror',
      count: files,
      through: (run: number) => mirror(own.said, `/RUN${run}`, files),
      plain: (run: number) => `RUN${run}`,
    },
  ]) {
    const runs: [number, number][] = [];
    for (let run = 0; run <= RUNS; run++)
      runs.push([await timed(() => direct(plain(run), count)), await timed(() => through(run))]);
    const of = (place: 0 | 1) =>
      quantile(
        // The first run is to warm up.
        runs.slice(1).map((run) => run[place]),
        0.5,
      );
    const times = of(1) / of(0);
    found.push(times);
    console.log(
      `${count} files in ${what}: curl ${of(0).toFixed(2)} s, gateway ${of(1).toFixed(2)} s, ${times.toFixed(2)} times (bound ${BOUND})`,
    );
  }
  own.child.send('stop');
  server.child.kill();
  await rm(folder, { recursive: true });
  process.exitCode = found.every((times) => times <= BOUND) ? 0 : 1;
}
