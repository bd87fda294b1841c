/** The programs of the proof, each on its host: instances and simulated meters. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { DATABASE_URL } from './database.ts';
import { HOSTS, type Host } from './network.ts';
import { children, ROOT, start } from './start.ts';

/** Port of each instance. */
const PORT = 8_100;

/** Where an instance is asked. */
export const baseOf = (host: Host): string => `http://${HOSTS[host]}:${PORT}/api/nl43`;
/** The same without the base path. */
export const originOf = (host: Host): string => `http://${HOSTS[host]}:${PORT}`;

const CLOCK = fileURLToPath(new URL('shifted-clock.ts', import.meta.url));

/** One instance of the gateway: a process on its host, with a wall clock of its own, started as often as is needed. */
export class ProofInstance {
  readonly host: Host;
  readonly #folder: string;
  readonly #env: NodeJS.ProcessEnv;
  #process: ChildProcess | undefined;

  constructor(host: Host, folder: string) {
    this.host = host;
    this.#folder = folder;
    this.#env = {
      SLM_DATABASE_URL: DATABASE_URL,
      SLM_SECRET_KEY: Buffer.alloc(32, 7).toString('base64'),
      // The threads of the gateway take it from here, too.
      NODE_OPTIONS: `--import=${CLOCK}`,
      PROOF_CLOCK: this.#clock,
    };
  }

  /** Its wall clock is off by so much from now on, s; also while it does not run. */
  setClock(off: number): void {
    writeFileSync(this.#clock, String(off * 1_000));
  }

  get #clock(): string {
    return join(this.#folder, `${this.host}.clock`);
  }

  /** Resolves when it listens. */
  async begin(): Promise<void> {
    // The build, as a start from the sources takes much longer.
    const program = [process.execPath, '--max-semi-space-size=4', 'dist/lib/start.cjs'];
    const flags = ['--host', HOSTS[this.host], '--port', String(PORT), '--insecure-no-auth'];
    const own = ['--data-dir', join(this.#folder, `data-${this.host}`), '--instance-name', this.host];
    const log = join(this.#folder, `${this.host}.log`);
    this.#process = start(this.host, [...program, ...flags, ...own], log, this.#env);
    const process_ = this.#process;
    for (let tries = 0; tries < 240; tries += 1) {
      if (process_.exitCode !== null)
        throw new Error(`the instance ${this.host} ended with ${process_.exitCode}: see ${log}`);
      if (await this.answers('/livez')) return;
      await pause(250);
    }
    throw new Error(`the instance ${this.host} does not listen`);
  }

  get isThere(): boolean {
    return this.#process !== undefined && this.#process.exitCode === null && this.#process.signalCode === null;
  }

  /** Whether it answers this path with 200 within a second. */
  answers = (path: string): Promise<boolean> =>
    fetch(originOf(this.host) + path, { signal: AbortSignal.timeout(1_000) }).then(
      async (answer) => {
        await answer.arrayBuffer();
        return answer.ok;
      },
      () => false,
    );

  /** To the process itself, not to what started it. */
  signal(name: NodeJS.Signals): void {
    this.#process?.kill(name);
  }

  async ended(): Promise<void> {
    if (this.#process && this.isThere) await once(this.#process, 'exit');
  }
}

/** Simulated meters with their control API. Resolves with its address and the ports. */
export async function startMeters(count: number, folder: string) {
  const words = ['--no-gateway', '--meters', String(count), '--host', HOSTS.meters, '--control-port', '0'];
  const child = spawn(
    process.execPath,
    ['-r', './lib/node-version.cjs', 'simulator/cli.ts', ...words, '--ready-json', '--scenario', 'office'],
    { cwd: ROOT, stdio: ['ignore', 'pipe', 'pipe'] },
  );
  children.add(child);
  child.stderr.pipe(createWriteStream(join(folder, 'meters.log')));
  for await (const line of createInterface({ input: child.stdout })) {
    child.stdout.resume();
    return JSON.parse(line);
  }
  throw new Error('the meters did not start');
}
