/** The programs of the proof, each on its host: database with a standby, instances, simulated meters. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, chownSync, createWriteStream, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { postgresPrograms } from '../../test/support/postgres.ts';
import { DATABASE_HOST, giveAddress, HOSTS, type Host, on } from './network.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const PASSWORD = 'proof';
/** Of the instances. The network is nobody else's. */
export const DATABASE_URL = `postgresql://postgres:${PASSWORD}@${DATABASE_HOST}/postgres?sslmode=disable`;
/** Port of each instance. */
const PORT = 8_100;

/** Where an instance is asked. */
export const baseOf = (host: Host): string => `http://${HOSTS[host]}:${PORT}/api/nl43`;
/** The same without the base path. */
export const originOf = (host: Host): string => `http://${HOSTS[host]}:${PORT}`;

const children = new Set<ChildProcess>();
process.once('exit', () => {
  for (const child of children) child.kill('SIGKILL');
});

function start(host: Host, words: readonly string[], log: string, env: NodeJS.ProcessEnv = {}): ChildProcess {
  const [program = '', ...rest] = [...on(host), ...words];
  const child = spawn(program, rest, { cwd: ROOT, env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'pipe'] });
  children.add(child);
  child.once('exit', () => children.delete(child));
  const file = createWriteStream(log, { flags: 'a' });
  child.stdout?.pipe(file, { end: false });
  child.stderr?.pipe(file, { end: false });
  return child;
}

/** PostgreSQL refuses to run as root. */
const asServer = ['setpriv', '--reuid=postgres', '--regid=postgres', '--clear-groups'];

function run(host: Host, words: readonly string[], env: NodeJS.ProcessEnv = {}): void {
  const [program = '', ...rest] = [...on(host), ...words];
  const done = spawnSync(program, rest, { encoding: 'utf8', env: { ...process.env, ...env } });
  if (done.status !== 0) throw new Error(`${words.join(' ')}: ${done.error?.message ?? done.stderr}`);
}

/** A primary server, and a standby that has each commit before it is answered. */
export class ProofDatabase {
  readonly #folder: string;
  readonly #programs: string;
  readonly #servers = new Map<Host, ChildProcess>();

  constructor(folder: string) {
    this.#folder = folder;
    const programs = postgresPrograms();
    if (programs === undefined) throw new Error('install the server of PostgreSQL 15 or newer (Debian: postgresql-15)');
    this.#programs = programs;
  }

  async open(): Promise<void> {
    const password = join(this.#folder, 'password');
    writeFileSync(password, PASSWORD);
    this.#own(this.#folder);
    this.#own(password);
    run('primary', [
      ...asServer,
      join(this.#programs, 'initdb'),
      ...['-D', this.#place('primary'), '-U', 'postgres', '--pwfile', password],
      ...['-A', 'scram-sha-256', '-E', 'UTF8', '--locale=C.UTF-8'],
    ]);
    const allowed = 'host all all 192.0.2.0/24 scram-sha-256\nhost replication all 192.0.2.0/24 scram-sha-256\n';
    appendFileSync(join(this.#place('primary'), 'pg_hba.conf'), allowed);
    await this.begin('primary');
    run(
      'standby',
      [
        ...asServer,
        join(this.#programs, 'pg_basebackup'),
        ...['-h', HOSTS.primary, '-U', 'postgres', '-D', this.#place('standby'), '-R', '-X', 'stream'],
      ],
      { PGPASSWORD: PASSWORD },
    );
    await this.begin('standby');
    // From now on no commit is answered before the standby has it.
    this.#ask('primary', "alter system set synchronous_standby_names = 'ANY 1 (*)'");
    this.#ask('primary', 'select pg_reload_conf()');
  }

  /** Starts the server of this host, also again. */
  async begin(host: 'primary' | 'standby'): Promise<void> {
    const words = [
      ...['listen_addresses=*', 'unix_socket_directories=', 'max_connections=100'],
      ...['wal_level=replica', 'max_wal_senders=4', 'port=5432'],
    ];
    const given = words.flatMap((word) => ['-c', word]);
    const program = [...asServer, join(this.#programs, 'postgres'), '-D', this.#place(host), ...given];
    const server = start(host, program, join(this.#folder, `${host}.log`));
    this.#servers.set(host, server);
    for (let tries = 0; tries < 120; tries += 1) {
      const words = [join(this.#programs, 'pg_isready'), '-h', HOSTS[host], '-q'];
      const [command = '', ...rest] = [...on(host), ...words];
      if (spawnSync(command, rest).status === 0) return;
      await pause(500);
    }
    throw new Error(`the server on ${host} did not start`);
  }

  /** `SIGINT`: it stops at once and in order. `SIGQUIT`: as in a crash. */
  async stop(host: 'primary' | 'standby', signal: 'SIGINT' | 'SIGQUIT'): Promise<void> {
    const server = this.#servers.get(host);
    if (!server || server.exitCode !== null) return;
    const ended = once(server, 'exit');
    server.kill(signal);
    await ended;
  }

  /** The standby becomes the primary, and has the address. */
  promote(): void {
    run('standby', [...asServer, join(this.#programs, 'pg_ctl'), 'promote', '-w', '-D', this.#place('standby')]);
    this.#ask('standby', "alter system set synchronous_standby_names = ''");
    this.#ask('standby', 'select pg_reload_conf()');
    giveAddress(DATABASE_HOST, 'standby');
  }

  #ask(host: 'primary' | 'standby', statement: string): void {
    run(host, [join(this.#programs, 'psql'), '-h', HOSTS[host], '-U', 'postgres', '-qc', statement], {
      PGPASSWORD: PASSWORD,
    });
  }

  #place = (host: string): string => join(this.#folder, host);

  #own(path: string): void {
    const [uid = 0, gid = 0] = ['-u', '-g'].map((flag) =>
      Number.parseInt(spawnSync('id', [flag, 'postgres'], { encoding: 'utf8' }).stdout, 10),
    );
    chownSync(path, uid, gid);
  }
}

/** One instance of the gateway: a process on its host, started as often as is needed. */
export class ProofInstance {
  readonly host: Host;
  readonly #folder: string;
  readonly #env: NodeJS.ProcessEnv;
  #process: ChildProcess | undefined;

  constructor(host: Host, folder: string) {
    this.host = host;
    this.#folder = folder;
    this.#env = { SLM_DATABASE_URL: DATABASE_URL, SLM_SECRET_KEY: Buffer.alloc(32, 7).toString('base64') };
  }

  /** Resolves when it listens. `before`: a program that starts it. */
  async begin(before: readonly string[] = []): Promise<void> {
    mkdirSync(this.#folder, { recursive: true });
    const program = [...before, process.execPath, '-r', './lib/node-version.cjs', 'lib/app/main.ts'];
    const flags = ['--host', HOSTS[this.host], '--port', String(PORT), '--insecure-no-auth'];
    const own = ['--data-dir', join(this.#folder, this.host), '--instance-name', this.host];
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
