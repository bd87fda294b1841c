/**
 * The cost of a download by FTP, compared with curl from the same server: time, CPU and memory. The server, the gateway and
 * curl are a process each. Runs alternate, so that a busy machine slows both. Time is measured for a file that is kept on
 * disk, as people do, and for a file that is thrown away. CPU of the gateway is compared with both ends of a direct download:
 * the gateway receives and sends each byte once, as these two do together. Exits with 1 beyond a bound.
 * `node bench/files.ts [MB]`.
 */
import { type ChildProcess, spawnSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { listed } from '../test/support/ftp-double.ts';
import { answerOf, MB, made, serveFtp, serveGateway, started } from './setting/ftp.ts';
import { quantile } from './setting/index.ts';

const RUNS = 9;
const BOUND = { time: 1.4, cpu: 1.4, memoryMb: 16 };

const [, , role = '300', given = ''] = process.argv;
if (role === 'server') await serve(Number(given));
else if (role === 'gateway') {
  tellCost();
  await serveGateway(Number(given));
} else await compare(Number(role));

async function serve(bytes: number): Promise<void> {
  tellCost();
  const file = () => made(bytes);
  await serveFtp({ folders: { '/': listed('big', bytes) }, files: { '/big': file, big: file } });
}

interface Cost {
  /** Bytes that were held at most since it was last asked. */
  readonly memory: number;
  /** Seconds of CPU since the start. */
  readonly cpu: number;
}

function tellCost(): void {
  let most = 0;
  setInterval(() => {
    most = Math.max(most, process.memoryUsage.rss());
  }, 20);
  process.on('message', (word) => {
    const { user, system } = process.cpuUsage();
    if (word === 'cost') process.send?.({ memory: most || process.memoryUsage.rss(), cpu: (user + system) / 1e6 });
    most = 0;
  });
}

function costOf(child: ChildProcess): Promise<Cost> {
  return answerOf(child, 'cost');
}

/** Seconds that curl took, and its seconds of CPU: the shell counts them. */
function curl(to: string, args: readonly string[]): { readonly time: number; readonly cpu: number } {
  const script = 'TIMEFORMAT="%3U %3S"; time curl -sS -f -w "%{time_total}" -o "$@"';
  const { status, stdout, stderr } = spawnSync('bash', ['-c', script, 'curl', to, ...args], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`curl failed: ${stderr}`);
  const [user = 0, system = 0] = stderr.split(' ').map(Number);
  return { time: Number(stdout), cpu: user + system };
}

interface Run {
  /** Seconds: curl's, and those of the gateway. */
  readonly direct: number;
  readonly through: number;
  /** CPU of the server and curl in a direct download, and of the gateway in the other. */
  readonly ends: number;
  readonly own: number;
  /** MB that the gateway held beyond what it held idle. */
  readonly more: number;
}

async function compare(megabytes: number): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'slm-bench-'));
  const server = await started(import.meta.filename, 'server', megabytes * MB);
  const own = await started(import.meta.filename, 'gateway', Number(server.said));
  const direct = ['-P', '-', `ftp://USER:0000@127.0.0.1:${server.said}/big`];
  const body = ['-H', 'Content-Type: application/json', '-d', '{"remote_path":"/big"}'];
  const through = [...body, `${own.said}/roof/ftp/download`];
  const idle = await costOf(own.child);
  const run = async (to: string): Promise<Run> => {
    const [server0, own0] = [await costOf(server.child), await costOf(own.child)];
    const theirs = curl(to, direct);
    const ends = (await costOf(server.child)).cpu - server0.cpu + theirs.cpu;
    const ours = curl(to, through);
    const { cpu, memory } = await costOf(own.child);
    return { direct: theirs.time, through: ours.time, ends, own: cpu - own0.cpu, more: (memory - idle.memory) / MB };
  };
  const compared = async (what: string, to: string) => {
    const runs: Run[] = [];
    for (let turn = 0; turn <= RUNS; turn += 1) runs.push(await run(to));
    // The first run is to warm up.
    const of = (value: (run: Run) => number) => quantile(runs.slice(1).map(value), 0.5);
    const found = { time: of((run) => run.through / run.direct), cpu: of((run) => run.own / run.ends) };
    const most = Math.max(...runs.slice(1).map(({ more }) => more));
    const [direct, through, gigabyte] = [
      of((run) => run.direct),
      of((run) => run.through),
      (of((run) => run.own) * 1_024) / megabytes,
    ];
    console.log(
      `${megabytes} MB ${what}: curl ${direct.toFixed(2)} s, gateway ${through.toFixed(2)} s, ${found.time.toFixed(2)} times; ${gigabyte.toFixed(2)} s of CPU for a GB, ${found.cpu.toFixed(2)} times that of both ends; ${most.toFixed(0)} MB more`,
    );
    return { ...found, most };
  };
  const away = await compared('thrown away', '/dev/null');
  const kept = await compared('kept on disk', join(folder, 'kept'));
  own.child.send('stop');
  server.child.kill();
  await rm(folder, { recursive: true });
  const most = Math.max(kept.most, away.most);
  console.log(
    `bounds: ${BOUND.time} times the time (kept), ${BOUND.cpu} times the CPU (thrown away), ${BOUND.memoryMb} MB`,
  );
  process.exitCode = kept.time <= BOUND.time && away.cpu <= BOUND.cpu && most <= BOUND.memoryMb ? 0 : 1;
}
