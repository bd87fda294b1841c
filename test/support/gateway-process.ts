/** A gateway in a process of its own, to be killed. It ends with the test. */
import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { Test } from 'tap';

const MAIN = fileURLToPath(new URL('../../lib/app/main.ts', import.meta.url));

/** Resolves when it listens. `flags`: in addition to those for its folder and its port. */
export async function gatewayProcess(
  t: Test,
  folder: string,
  flags: readonly string[] = [],
  env: NodeJS.ProcessEnv = process.env,
): Promise<{ readonly child: ChildProcess; readonly base: string }> {
  const words = [
    '--port',
    '0',
    '--data-dir',
    `${folder}/data`,
    '--key-file',
    `${folder}/key`,
    '--allow-loopback-meters',
  ];
  const child = spawn(process.execPath, [MAIN, ...words, ...flags], { env, stdio: ['ignore', 'pipe', 'ignore'] });
  t.teardown(() => child.kill('SIGKILL'));
  for await (const line of createInterface({ input: child.stdout })) {
    const base = /listens on (\S+)/.exec(line)?.[1];
    if (base) return { child, base };
  }
  throw new Error('the gateway did not start');
}
