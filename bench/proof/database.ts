/** The database of the proof, with a standby: two servers of PostgreSQL, each on its host. */
import { type ChildProcess, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, chownSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { postgresPrograms } from '../../test/support/postgres.ts';
import { DATABASE_HOST, giveAddress, HOSTS, type Host, on } from './network.ts';
import { run, start } from './start.ts';

const PASSWORD = 'proof';
/** Of the instances. The network is nobody else's. */
export const DATABASE_URL = `postgresql://postgres:${PASSWORD}@${DATABASE_HOST}/postgres?sslmode=disable`;

/** PostgreSQL refuses to run as root. */
const asServer = ['setpriv', '--reuid=postgres', '--regid=postgres', '--clear-groups'];

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
    for (const host of ['primary', 'standby']) mkdirSync(join(this.#folder, host), { recursive: true, mode: 0o700 });
    for (const path of [this.#folder, join(this.#folder, 'primary'), join(this.#folder, 'standby'), password])
      this.#own(path);
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

  /** Whether the server of this host runs. */
  runs(host: 'primary' | 'standby'): boolean {
    const server = this.#servers.get(host);
    return server !== undefined && server.exitCode === null && server.signalCode === null;
  }

  /** Starts the server of this host, also again. */
  async begin(host: 'primary' | 'standby'): Promise<void> {
    const words = [
      ...['listen_addresses=*', 'unix_socket_directories=', 'max_connections=100'],
      ...['wal_level=replica', 'max_wal_senders=4', 'port=5432', 'min_wal_size=32MB', 'max_wal_size=128MB'],
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
    if (!server || !this.runs(host)) return;
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

  #place = (host: string): string => join(this.#folder, host, 'data');

  #own(path: string): void {
    const [uid = 0, gid = 0] = ['-u', '-g'].map((flag) =>
      Number.parseInt(spawnSync('id', [flag, 'postgres'], { encoding: 'utf8' }).stdout, 10),
    );
    chownSync(path, uid, gid);
  }
}
