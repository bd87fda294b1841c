/** A gateway in a process of its own, to be killed. It ends with the test. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Test } from 'tap';
import { programOf } from './program.ts';
import { send } from './send.ts';

/** Resolves when it listens. `flags`: in addition to those for its folder and its port. */
export async function gatewayProcess(
  t: Test,
  folder: string,
  flags: readonly string[] = [],
  env: NodeJS.ProcessEnv = process.env,
) {
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
    if (!base) continue;
    const ask = (method: string, path: string, json?: object) =>
      send(new URL(`${base}${path}`), {
        method,
        ...(json && { headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(json) }),
      });
    const kill = async () => {
      child.kill('SIGKILL');
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    };
    return { child, base, ask, kill };
  }
  throw new Error('the gateway did not start');
}
