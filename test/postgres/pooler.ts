/** PgBouncer in transaction mode between gateway and server: each transaction may go over another connection to the server. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, statSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as wait } from 'node:timers/promises';
import t, { type Test } from 'tap';
import { databaseAddress } from '../../lib/domain/database-address.ts';
import { PostgresLeaseStore } from '../../lib/store/postgres/lease-store.ts';
import { startMeter } from '../../simulator/index.ts';
import { aboutMember } from '../cluster/support/memory-store.ts';
import { config, folder } from '../store/setup.ts';
import { childEnvironment } from '../support/child-environment.ts';
import { gatewayProcess } from '../support/gateway-process.ts';
import { freshDatabase, inDatabase } from '../support/postgres.ts';

/** Resolves with the URL of the database through the pooler; undefined when no pooler is installed. */
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
  const store = new PostgresLeaseStore(databaseAddress(`${by}?sslmode=disable`));
  t.teardown(() => store.close());
  const { signal } = new AbortController();
  const answer = await store.ask({ member: 'a', about: aboutMember('a'), take: { seen: undefined } }, signal);
  t.match(answer, { timeline: /^[0-9A-F]{8}$/, isDone: true, lease: { member: 'a' } });
});

t.test(
  'two instances behind it: the second has configs, tables and levels when it takes over',
  { timeout: 120_000 },
  async (t) => {
    const by = await pooled(t, await freshDatabase(t));
    if (by === undefined) return void t.comment('not tried: PgBouncer is not installed');
    const meter = await startMeter({ profile: 'instant', soundStepMs: 100 });
    t.teardown(() => meter.stop());
    const key = Buffer.alloc(32, 7).toString('base64');
    const env = { ...childEnvironment(), SLM_DATABASE_URL: `${by}?sslmode=disable`, SLM_SECRET_KEY: key };
    const home = t.testdir();
    const begin = (name: string) => gatewayProcess(t, join(home, name), ['--instance-name', name], env);
    const north = await begin('north');
    const south = await begin('south');
    const began = new Date(Math.floor(Date.now() / 60_000) * 60_000).toISOString();
    const own = { host: meter.host, tcp_port: meter.tcpPort, poll_enabled: false, history: 'stream' };
    t.equal((await north.ask('PUT', '/roof/config', own)).status, 200);
    t.equal((await north.ask('POST', '/roof/notes', { from: began, kind: 'note', text: 'a lorry' })).status, 201);
    /** The recorded seconds. */
    const seconds = async ({ ask }: Pick<typeof north, 'ask'>): Promise<string[]> => {
      const to = new Date(Math.ceil(Date.now() / 60_000) * 60_000).toISOString();
      const { json } = await ask('GET', `/roof/history?from=${began}&to=${to}&step=1s&quantities=leq`);
      const rows: [string, number | null][] = json.data?.rows ?? [];
      return rows.filter(([, leq]) => leq !== null).map(([start]) => start);
    };
    // In real time: the deadline is that of the test.
    while ((await seconds(north)).length < 5) await wait(250);
    const before = await seconds(north);
    north.child.kill('SIGTERM');
    t.strictSame(await once(north.child, 'exit'), [0, null], 'it stops in order');
    while ((await fetch(new URL('/readyz', south.base)).catch(() => undefined))?.status !== 200) await wait(100);
    t.match(await south.ask('GET', '/roof/config'), { status: 200, json: { data: { tcp_port: meter.tcpPort } } });
    t.match((await south.ask('GET', '/roof/notes')).json.data, [{ text: 'a lorry' }]);
    const after = await seconds(south);
    t.strictSame(
      before.filter((at) => !after.includes(at)),
      [],
      'levels of the present hour went over',
    );
    t.match((await south.ask('GET', '/roof/live')).json, { data: { lp: /^\d/ } });
  },
);
