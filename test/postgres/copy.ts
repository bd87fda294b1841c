/** `npm run database -- copy`: a whole data folder into PostgreSQL, and back, with nothing lost on the way. */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import t, { type Test } from 'tap';
import { startGateway } from '../../lib/app/gateway.ts';
import { createLog } from '../../lib/log.ts';
import { VirtualClock } from '../../simulator/clock.ts';
import { childEnvironment } from '../support/child-environment.ts';
import { deviceConfig } from '../support/config.ts';
import { freshDatabase, inDatabase } from '../support/postgres.ts';
import { send } from '../support/send.ts';

const COMMAND = fileURLToPath(new URL('../../lib/app/database-command.ts', import.meta.url));

function copy(dataDir: string, url: string, ...words: string[]) {
  const env = { ...childEnvironment(), SLM_DATABASE_URL: url };
  const { status, stdout, stderr } = spawnSync(process.execPath, [COMMAND, 'copy', '--data-dir', dataDir, ...words], {
    env,
    encoding: 'utf8',
  });
  return { status, out: stdout, err: stderr };
}

async function gateway(t: Test, data_dir: string, database_url: string) {
  const clock = new VirtualClock();
  const settings = { port: 0, data_dir, database_url, key_file: join(t.testdirName, 'key') };
  const running = await startGateway(settings, { clock, log: createLog('silent') });
  const stop = () => clock.until(running.stop());
  t.teardown(stop);
  const ask = async (method: string, path: string, json?: unknown) => {
    const body =
      json === undefined ? {} : { body: JSON.stringify(json), headers: { 'Content-Type': 'application/json' } };
    return clock.until(send(new URL(`${running.baseUrl}${path}`), { method, headers: {}, ...body }), { stepMs: 100 });
  };
  return { running, ask, stop };
}

const RULE = { name: 'Night', units: ['roof'], kind: 'level', quantity: 'leq', window: '15m', limit_db: 45 };

t.test('a gateway goes on in PostgreSQL, and back on SQLite, with everything it had', async (t) => {
  const data = join(t.testdir(), 'data');
  const url = await freshDatabase(t);
  const first = await gateway(t, data, '');
  await first.running.store.configs.change('roof', () =>
    deviceConfig({ unitId: 'roof', tcpEnabled: false, tags: ['ü', 'a?b'] }),
  );
  const seen: Record<string, unknown> = {};
  const made = [
    await first.ask('POST', '/_alerts/rules', RULE),
    await first.ask('POST', '/roof/notes', {
      from: '2025-12-01T00:00:00Z',
      to: '2025-12-01T01:00:00Z',
      kind: 'note',
      text: 'say "no"?',
    }),
  ];
  t.same(
    made.map(({ status }) => status),
    [201, 201],
    JSON.stringify(made.map(({ text }) => text)),
  );
  const paths = ['/_alerts/rules', '/roof/notes', '/roof/config', '/_jobs'];
  for (const path of paths) seen[path] = (await first.ask('GET', path)).json;
  t.match(copy(data, url), { status: 1, err: /in use by another process/ }, 'not while it runs');
  await first.stop();

  const over = copy(data, url);
  t.match(over, { status: 0, out: /1 {2}[0-9a-f]{16} {2}alerts_rule\n(.|\n)*Carried over into / }, over.err);
  t.notOk(existsSync(join(data, 'gateway.db')));
  const again = copy(data, url);
  t.match(again, {
    status: 1,
    err: /was carried over already: its gateway\.db is kept as .*before-postgresql\.db\. Start /,
  });
  t.match(copy(t.testdirName, url), { status: 1, err: /there is no gateway\.db in .*: name the data folder/ });
  const second = await gateway(t, data, url);
  for (const path of paths) t.same((await second.ask('GET', path)).json, seen[path], path);
  const later = await second.ask('POST', '/_alerts/rules', { ...RULE, name: 'Day' });
  t.equal(later.status, 201, 'ids go on');
  seen['/_alerts/rules'] = (await second.ask('GET', '/_alerts/rules')).json;
  await second.stop();

  const back = copy(data, url, '--back');
  t.match(back, { status: 0, out: /2 {2}[0-9a-f]{16} {2}alerts_rule\n(.|\n)*Carried back into / }, back.err);
  t.match(copy(data, url, '--back'), { status: 1, err: /is there already: move it away first/ });
  const third = await gateway(t, data, '');
  for (const path of paths) t.same((await third.ask('GET', path)).json, seen[path], path);
  t.equal((await third.ask('POST', '/_alerts/rules', { ...RULE, name: 'Third' })).status, 201);
});

t.test(
  'nothing is carried over into a database that holds something, or from a file that cannot be kept',
  async (t) => {
    const data = join(t.testdir(), 'data');
    const full = await freshDatabase(t);
    await (await gateway(t, join(t.testdirName, 'other'), full)).stop();
    const local = await gateway(t, data, '');
    await local.running.store.configs.change('roof', () => deviceConfig({ unitId: 'roof' }));
    await local.stop();
    t.match(copy(data, full), { status: 1, err: /holds data of a gateway already: carry over into an empty one/ });
    t.match(copy(data, ''), { status: 2, err: /database_url is empty/ });
    t.match(copy(data, 'postgresql://a:canary@b'), { status: 2, err: /lacks the name of the database/ });
    t.notMatch(copy(data, 'postgresql://a:canary@b').err, 'canary');
    const database = new DatabaseSync(join(data, 'gateway.db'));
    database.exec("update device_config set tcp_port = 'no number'");
    database.close();
    const empty = await freshDatabase(t);
    t.match(copy(data, empty), {
      status: 1,
      err: /the column tcp_port of the table device_config has string "no number"/,
    });
    t.same(await inDatabase(empty, 'select count(*)::int as n from device_config'), [{ n: 0 }]);
    t.ok(existsSync(join(data, 'gateway.db')), 'and the file stays');
  },
);
