/** Programs of the proof on their hosts. All of them end with the process that started them. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type Host, on } from './network.ts';

/** Of the package. */
export const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** Processes that run, and have to end. */
export const children = new Set<ChildProcess>();
process.once('exit', () => {
  for (const child of children) child.kill('SIGKILL');
});

/** Starts a program; `log`: the file that gets what it says. */
export function start(host: Host, words: readonly string[], log: string, env: NodeJS.ProcessEnv = {}): ChildProcess {
  const [program = '', ...rest] = [...on(host), ...words];
  const child = spawn(program, rest, { cwd: ROOT, env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'pipe'] });
  children.add(child);
  child.once('exit', () => children.delete(child));
  const file = createWriteStream(log, { flags: 'a' });
  child.stdout?.pipe(file, { end: false });
  child.stderr?.pipe(file, { end: false });
  return child;
}

/** Runs a program to its end. Throws with what it said. */
export function run(host: Host, words: readonly string[], env: NodeJS.ProcessEnv = {}): void {
  const [program = '', ...rest] = [...on(host), ...words];
  const done = spawnSync(program, rest, { encoding: 'utf8', env: { ...process.env, ...env } });
  if (done.status !== 0) throw new Error(`${words.join(' ')}: ${done.error?.message ?? done.stderr}`);
}
