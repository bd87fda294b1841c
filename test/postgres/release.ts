/** `npm run database -- release`: a person says that the instance which was active is gone. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import t from 'tap';
import { databaseAddress } from '../../lib/domain/database-address.ts';
import { PostgresLeaseStore } from '../../lib/store/postgres/lease-store.ts';
import { openPair } from '../cluster/support/pair.ts';
import { childEnvironment } from '../support/child-environment.ts';
import { freshDatabase } from '../support/postgres.ts';

const COMMAND = fileURLToPath(new URL('../../lib/app/database-command.ts', import.meta.url));

t.test('when an instance that was alone is gone, a standby takes over after the lease is released', async (t) => {
  const url = await freshDatabase(t);
  const pair = await openPair(t, async () => ({
    store: () => new PostgresLeaseStore(databaseAddress(url)),
    settings: () => ({ database_url: url }),
    stepMs: 10,
  }));
  const release = () => {
    const words = [COMMAND, 'release', '--data-dir', join(pair.folder, 'second')];
    const env = { ...childEnvironment(), SLM_DATABASE_URL: url };
    const { status, stdout, stderr } = spawnSync(process.execPath, words, { env, encoding: 'utf8' });
    return { status, out: stdout, err: stderr };
  };
  const first = await pair.begin('first');
  await pair.pass(6_000, { stepMs: 500 });
  // It cannot give the lease back, as after the end of its computer.
  first.store.isAway = true;
  await pair.passing(first.instance.stop());

  const second = await pair.begin('second');
  await pair.pass(120_000, { stepMs: 5_000 });
  t.notOk(second.instance.gateway(), 'silence alone is not enough');
  const origin = `http://127.0.0.1:${second.instance.port}`;
  t.match(await pair.ask('GET', `${origin}/readyz`), {
    status: 503,
    json: { detail: /first was alone .*npm run database -- release/ },
  });

  t.match(release(), { status: 0, out: /^The lease of first on .* is free: a standby takes it/, err: '' });
  await pair.takesOver(second.instance, 100);
  t.ok(second.instance.gateway());
  t.equal((await pair.ask('GET', `${origin}/readyz`)).status, 200);
  await pair.passing(second.instance.stop());
  t.match(release(), { status: 1, out: '', err: /^database: no gateway is active on / }, 'the lease is free already');
});
