/**
 * A PostgreSQL for tests: that of `DATABASE_URL`, or a server started from the installed programs, in a temporary folder, on
 * a Unix socket. It ends with the process that started it, after every kind of end. Each test has a database of its own.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { accessSync, chownSync, constants, globSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { createInterface } from 'node:readline';
import pg from 'pg';
import type { Test } from 'tap';

/** Advice when no server is there. */
export const POSTGRES_MISSING =
  'There is no PostgreSQL to test with. Install its server (Debian: apt-get install postgresql-15), or name one that is only for tests: DATABASE_URL=postgresql://USER:PASSWORD@HOST:PORT/DATABASE, with a user who may create databases.';
/** The oldest release that the gateway works with. */
const OLDEST = 15;
const PASSWORD = 'test only';
/** Data of a test needs no disk: it is gone after the test. */
const QUICK = [
  'fsync=off',
  'synchronous_commit=off',
  'full_page_writes=off',
  'shared_buffers=32MB',
  'max_connections=200',
];
/**
 * Starts the server that is named by its arguments, and stops it by its process id when the input ends: that is when the process at its
 * other end has ended, also when it was killed.
 */
const UNTIL_INPUT_ENDS = '"$@" </dev/null & server=$!; read -r line; kill -INT $server; wait $server; rm -rf "$FOLDER"';

/** A running server. */
export interface PostgresServer {
  /** Of its first database, with a user who may do everything. */
  readonly url: string;
  stop(): Promise<void>;
}

/** The folder of the newest installed server programs; undefined when none is new enough. */
export function postgresPrograms(): string | undefined {
  const versioned = globSync('/usr/lib/postgresql/*/bin').toSorted((a, b) => versionOf(b) - versionOf(a));
  const places = [...versioned, ...(process.env.PATH ?? '').split(delimiter)];
  return places.find((folder) => isProgram(join(folder, 'initdb')) && versionOf(folder) >= OLDEST);
}

/** Starts a server with nothing in it, in a folder within `place`. Throws where its programs are missing, or with what it said. */
export async function startPostgres(
  place: string = tmpdir(),
  settings: readonly string[] = [],
): Promise<PostgresServer> {
  const { programs, folder, data, user } = placeOfServer(place);
  writeFileSync(join(folder, 'password'), PASSWORD);
  if (user) chownSync(join(folder, 'password'), user.uid, user.gid);
  const made = spawnSync(
    join(programs, 'initdb'),
    // The order of texts is not that of bytes: code that depends on it must say so.
    [
      '-D',
      data,
      '-U',
      'postgres',
      '--pwfile',
      join(folder, 'password'),
      '-A',
      'scram-sha-256',
      '-N',
      '-E',
      'UTF8',
      '--locale=C.UTF-8',
      '--locale-provider=icu',
      '--icu-locale=en-US',
    ],
    { ...user, cwd: folder, encoding: 'utf8' },
  );
  if (made.status !== 0) throw new Error(`initdb failed: ${made.error ?? made.stderr}`);
  return running({ programs, folder, data, user }, settings);
}

/**
 * Starts a standby that has what the server has now and gets no change from then on. `select pg_promote()` makes it a primary.
 * @param before Done when the standby has all, and does not run yet.
 */
export async function startStandby(
  server: Pick<PostgresServer, 'url'>,
  settings: readonly string[] = [],
  before: () => Promise<void> = async () => {},
): Promise<PostgresServer> {
  const place = placeOfServer(tmpdir());
  const { programs, folder, data, user } = place;
  const words = ['-d', server.url, '-D', data, '-X', 'fetch', '-c', 'fast', '--no-sync'];
  const made = spawnSync(join(programs, 'pg_basebackup'), words, { ...user, cwd: folder, encoding: 'utf8' });
  if (made.status !== 0) throw new Error(`pg_basebackup failed: ${made.error ?? made.stderr}`);
  writeFileSync(join(data, 'standby.signal'), '');
  await before();
  return running(place, settings);
}

/** Where the server is and by whom it is run; undefined: by the user of this process. */
interface ServerPlace {
  readonly programs: string;
  readonly folder: string;
  readonly data: string;
  readonly user: { readonly uid: number; readonly gid: number } | undefined;
}

function placeOfServer(place: string): ServerPlace {
  const programs = postgresPrograms();
  if (programs === undefined) throw new Error(POSTGRES_MISSING);
  const folder = mkdtempSync(join(place, 'slm-postgres-'));
  const user = userForServer();
  if (user) chownSync(folder, user.uid, user.gid);
  return { programs, folder, data: join(folder, 'data'), user };
}

async function running(
  { programs, folder, data, user }: ServerPlace,
  settings: readonly string[],
): Promise<PostgresServer> {
  const words = ['listen_addresses=', `unix_socket_directories=${folder}`, ...QUICK, ...settings];
  const child = spawn(
    '/bin/sh',
    ['-c', UNTIL_INPUT_ENDS, 'sh', join(programs, 'postgres'), '-D', data, ...words.flatMap((word) => ['-c', word])],
    { ...user, cwd: folder, env: { ...process.env, FOLDER: folder }, stdio: ['pipe', 'ignore', 'pipe'] },
  );
  await ready(child);
  return {
    url: `postgresql://postgres:${encodeURIComponent(PASSWORD)}@${encodeURIComponent(folder)}/postgres`,
    stop: async () => {
      const ended = once(child, 'exit');
      child.ref();
      child.stdin.end();
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

let own: Promise<PostgresServer> | undefined;

/** The server for all tests of this process: that of `DATABASE_URL`, or a server that ends with the process. */
export async function sharedPostgres(): Promise<string> {
  const given = process.env.DATABASE_URL;
  if (given) return given;
  own ??= startPostgres();
  return (await own).url;
}

/** Makes a database with nothing in it, or a copy of `template`, which goes with the test. Resolves with its URL. */
export async function freshDatabase(t: Pick<Test, 'teardown'>, template?: string): Promise<string> {
  const server = await sharedPostgres();
  const name = `slm_test_${randomUUID().replaceAll('-', '')}`;
  await inDatabase(server, `create database ${name}${template === undefined ? '' : ` template ${template}`}`);
  t.teardown(() => inDatabase(server, `drop database if exists ${name} with (force)`));
  const url = new URL(server);
  url.pathname = `/${name}`;
  return url.href;
}

/** Runs one statement in a database, on a connection of its own. Resolves with its rows. */
export async function inDatabase<Row extends pg.QueryResultRow>(
  url: string,
  statement: string,
  values: readonly unknown[] = [],
): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Row>(statement, [...values])).rows;
  } finally {
    await client.end();
  }
}

const versionOf = (folder: string) => {
  const { stdout } = spawnSync(join(folder, 'postgres'), ['--version'], { encoding: 'utf8' });
  return Number(/\d+/.exec(stdout ?? '')?.[0] ?? 0);
};

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** PostgreSQL refuses to run as root. */
function userForServer(): { readonly uid: number; readonly gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  for (const name of ['postgres', 'nobody']) {
    const [uid, gid] = ['-u', '-g'].map((flag) =>
      Number.parseInt(spawnSync('id', [flag, name], { encoding: 'utf8' }).stdout, 10),
    );
    if (uid && gid) return { uid, gid };
  }
  throw new Error('PostgreSQL does not run as root, and there is neither a user postgres nor nobody.');
}

/** Resolves when the server takes connections. From then on nothing of it keeps the process. */
async function ready(child: ChildProcess): Promise<void> {
  const said: string[] = [];
  if (!child.stderr) throw new Error('no output to read');
  const lines = createInterface({ input: child.stderr });
  await new Promise<void>((resolve, reject) => {
    lines.on('line', (line) => {
      said.push(line);
      if (/ready to accept (read-only )?connections/.test(line)) resolve();
    });
    lines.on('close', () => reject(new Error(`PostgreSQL did not start: ${said.join('\n')}`)));
  });
  lines.removeAllListeners('line');
  // Its later lines are errors that tests cause on purpose. They are read, so that the server never waits.
  for (const end of [child, child.stdin, child.stderr]) if (end && 'unref' in end) (end as { unref(): void }).unref();
}
