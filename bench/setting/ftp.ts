/** For the benches of files: an FTP server, a gateway with one unit on it, and each of them in a process of its own. */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { startGateway } from '../../lib/app/gateway.ts';
import { createLog } from '../../lib/log.ts';
import { startFtpDouble } from '../../test/support/ftp-double.ts';

export const MB = 1_048_576;

/** A file whose bytes are made while they are sent. */
export function made(bytes: number): Readable {
  const chunk = Buffer.alloc(65_536, 'x');
  const chunks = (function* () {
    for (let sent = 0; sent < bytes; sent += chunk.length) yield chunk;
  })();
  return Readable.from(chunks, { objectMode: false, highWaterMark: MB });
}

type Options = Parameters<typeof startFtpDouble>[1];

/** Runs as long as the process; sends its port to the parent. */
export async function serveFtp(options: Options): Promise<void> {
  const { port } = await startFtpDouble({ teardown() {} }, options);
  process.send?.(port);
}

/** Has the unit `roof` with its card at this port. Tells its address to the parent, and ends at the word `stop`. */
export async function serveGateway(ftpPort: number): Promise<void> {
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
  const unit = { unitId: 'roof', host: '127.0.0.1', tcpEnabled: false, ftpEnabled: true, ftpPort };
  await running.store.configs.change('roof', () => ({ ...running.store.configs.defaults, ...unit }));
  process.on('message', (word) => {
    if (word === 'stop') void running.stop().then(() => rm(folder, { recursive: true }).then(() => process.exit()));
  });
  process.send?.(running.baseUrl);
}

/** A bench in another role, and what it says first. As production runs: a small space for young objects lets buffers go early. */
export async function started(bench: string, role: string, value: string | number, ...flags: readonly string[]) {
  const execArgv = ['--max-semi-space-size=4', ...flags];
  const child = fork(bench, [role, String(value)], { execArgv });
  const [said] = await once(child, 'message');
  return { child, said: String(said) };
}

/** The answer of a process to a word. */
// biome-ignore lint/suspicious/noExplicitAny: the bench on both ends knows
export async function answerOf(child: ChildProcess, word: string): Promise<any> {
  const answer = once(child, 'message');
  child.send(word);
  return (await answer)[0];
}
