/** A gateway in a process of its own, to be killed. It ends with the test. */
import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Test } from 'tap';
import { programOf } from './program.ts';

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
  const main = programOf('gateway', env);
  const child = spawn(process.execPath, [main.path, ...words, ...flags], {
    env: main.env,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  t.teardown(() => child.kill('SIGKILL'));
  for await (const line of createInterface({ input: child.stdout })) {
    const base = /listens on (\S+)/.exec(line)?.[1];
    if (base) return { child, base };
  }
  throw new Error('the gateway did not start');
}
