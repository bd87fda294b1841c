/** PgBouncer in transaction mode between gateway and server: each transaction may go over another connection to the server. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, statSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import t, { type Test } from 'tap';
import { databaseAddress } from '../../lib/domain/database-address.ts';
import { PostgresClusterStore } from '../../lib/store/postgres/cluster-store.ts';
import { aboutMember } from '../cluster/support/memory-store.ts';
import { config, folder } from '../store/setup.ts';
import { freshDatabase, inDatabase } from '../support/postgres.ts';

/** Resolves with the database's URL by way of the pooler; undefined where none is installed. */
async function pooled(t: Test, url: string): Promise<string | undefined> {
  const program = ['/usr/sbin/pgbouncer', '/usr/bin/pgbouncer'].find(
    (path) => spawnSync(path, ['--version']).status === 0,
  );
  if (program === undefined) return undefined;
  const target = new URL(url);
  const { user, password, database, host, port } = databaseAddress(url);
  const home = t.testdir();
  chmodSync(home, 0o755);
  const lines = [
    '[databases]',
    `* = host=${host} port=${port} user=${user} password='${password}'`,
    '[pgbouncer]',
    'listen_addr = 127.0.0.1',
    `listen_port = ${await freePort()}`,
    'unix_socket_dir =',
    'pool_mode = transaction',
    'server_idle_timeout = 1',
    'auth_type = any',
    'max_client_conn = 100',
  ];
  const file = join(home, 'pgbouncer.ini');
  writeFileSync(file, lines.join('\n'));
  // It does not run as root, and needs the right to the server's socket.
  const { uid, gid } = statSync(host.startsWith('/') ? host : home);
  const child = spawn(program, [file], { uid, gid, stdio: ['ignore', 'ignore', 'pipe'] });
  t.teardown(async () => {
    child.kill('SIGKILL');
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  });
  for await (const line of createInterface({ input: child.stderr })) {
    const listening = /listening on (127\.0\.0\.1:\d+)/.exec(line)?.[1];
    if (!listening) continue;
    target.host = listening;
    target.pathname = `/${database}`;
    child.stderr.resume();
    return target.href;
  }
  throw new Error('PgBouncer did not start');
}

/** PgBouncer takes no port 0. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  await once(server.close(), 'close');
  return port;
}

t.test('a gateway behind PgBouncer in transaction mode keeps and finds everything, and is the only one', async (t) => {
  const url = await freshDatabase(t);
  const by = await pooled(t, url);
  if (by === undefined) return void t.comment('not tried: PgBouncer is not installed');
  const server = databaseAddress(`${by}?sslmode=disable`);
  const place = folder(t, 'gateway');
  const store = await place.open({ server });
  for (let port = 1; port <= 20; port += 1) {
    await store.configs.change('roof', () => config('roof', { tcpPort: port }));
    // Another client takes the connection that the last transaction had.
    if (port % 5 === 0) await inDatabase(by, 'select pg_backend_pid()');
  }
  store.snapshots.record('roof', { lp: '51.2' });
  await store.close();
  const again = await place.open({ server });
  t.equal(again.configs.get('roof')?.tcpPort, 20);
  t.equal(again.snapshots.get('roof').lp, '51.2');
  t.same(await inDatabase(url, 'select incarnation::int, beat is null as stopped from store_owner'), [
    { incarnation: 2, stopped: false },
  ]);
});

t.test('an instance behind it joins, and sees the timeline of the server', async (t) => {
  const by = await pooled(t, await freshDatabase(t));
  if (by === undefined) return void t.comment('not tried: PgBouncer is not installed');
  const store = new PostgresClusterStore(databaseAddress(`${by}?sslmode=disable`), [{ unit: '1', site: 'x' }]);
  t.teardown(() => store.close());
  const { signal } = new AbortController();
  const answer = await store.ask({ kind: 'join', member: 'a', sites: ['x'], ...aboutMember('a') }, signal);
  t.match(answer, { timeline: /^[0-9A-F]{8}$/, owners: [{ unit: '1' }] });
});
