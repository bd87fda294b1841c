/**
 * What a download by FTP costs beside curl from the same server: time and memory. The server, the gateway and curl are a process
 * each. Runs alternate, so that a busy machine hits both. The second that the gateway lets a meter rest between two sessions is
 * waited for before each run: it belongs to the meter and is the same for a file of any size. Exits with 1 when a bound is broken. `node bench/files.ts [MB]`.
 */
import { type ChildProcess, execFileSync, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { setTimeout } from 'node:timers/promises';
import { startGateway } from '../lib/gateway.ts';
import { createLog } from '../lib/log.ts';
import { listed, startFtpDouble } from '../test/support/ftp-double.ts';

const RUNS = 5;
const BOUND = { ratio: 1.4, memoryMb: 16 };
const MB = 1_048_576;
/** A little more than a meter rests. */
const REST_MS = 1_200;

const [, , role = '300', given = ''] = process.argv;
if (role === 'server') await serve(Number(given));
else if (role === 'gateway') await gateway(Number(given));
else await compare(Number(role));

async function serve(bytes: number): Promise<void> {
  const chunk = Buffer.alloc(65_536, 'x');
  const file = () =>
    Readable.from(
      (function* () {
        for (let sent = 0; sent < bytes; sent += chunk.length) yield chunk;
      })(),
      { objectMode: false, highWaterMark: 1_048_576 },
    );
  const test = { teardown() {} } as unknown as Parameters<typeof startFtpDouble>[0];
  const folders = { '/': listed('big', bytes) };
  const { port } = await startFtpDouble(test, { folders, files: { '/big': file, big: file } });
  process.send?.(port);
}

async function gateway(ftpPort: number): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'slm-bench-'));
  const running = await startGateway(
    { port: 0, data_dir: join(folder, 'data'), key_file: join(folder, 'key'), allow_loopback_meters: true },
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
  let most = 0;
  setInterval(() => {
    most = Math.max(most, process.memoryUsage().rss);
  }, 20);
  process.on('message', (word) => {
    if (word === 'memory') process.send?.(most || process.memoryUsage().rss);
    most = 0;
    if (word === 'stop') void running.stop().then(() => rm(folder, { recursive: true }).then(() => process.exit()));
  });
  process.send?.(running.baseUrl);
}

async function started(word: string, value: number): Promise<{ child: ChildProcess; said: string }> {
  // As production runs: a small space for young objects lets buffers go early.
  const child = fork(import.meta.filename, [word, String(value)], { execArgv: ['--max-semi-space-size=4'] });
  const [said] = await once(child, 'message');
  return { child, said: String(said) };
}

async function memoryOf(child: ChildProcess): Promise<number> {
  const answer = once(child, 'message');
  child.send('memory');
  return Number((await answer)[0]);
}

function seconds(args: readonly string[]): number {
  const text = execFileSync('curl', ['-sS', '-f', '-o', '/dev/null', '-w', '%{time_total}', ...args], {
    encoding: 'utf8',
  });
  return Number(text);
}

async function compare(megabytes: number): Promise<void> {
  const server = await started('server', megabytes * MB);
  const own = await started('gateway', Number(server.said));
  const direct = ['-P', '-', `ftp://USER:0000@127.0.0.1:${server.said}/big`];
  const body = ['-H', 'Content-Type: application/json', '-d', '{"remote_path":"/big"}'];
  const through = [...body, `${own.said}/roof/ftp/download`];
  const small = await memoryOf(own.child);
  const ratios: number[] = [];
  let most = 0;
  for (let run = 0; run <= RUNS; run += 1) {
    const curl = seconds(direct);
    await setTimeout(REST_MS);
    const ours = seconds(through);
    const memory = (await memoryOf(own.child)) - small;
    // The first run is to warm up.
    if (run === 0) continue;
    ratios.push(ours / curl);
    most = Math.max(most, memory / MB);
    console.log(
      `curl ${curl.toFixed(2)} s   gateway ${ours.toFixed(2)} s   memory ${(memory / MB).toFixed(0)} MB more`,
    );
  }
  own.child.send('stop');
  server.child.kill();
  const ratio = ratios.toSorted((a, b) => a - b)[Math.floor(RUNS / 2)] ?? Number.NaN;
  console.log(
    `${megabytes} MB: ${ratio.toFixed(2)} times curl's time (bound ${BOUND.ratio}), at most ${most.toFixed(0)} MB more (bound ${BOUND.memoryMb})`,
  );
  process.exitCode = ratio <= BOUND.ratio && most <= BOUND.memoryMb ? 0 : 1;
}
