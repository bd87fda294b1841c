/** The database of two instances is restored from a dump while they run: no old lease acts, and the meters wait a minute. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import t from 'tap';
import { databaseAddress } from '../../lib/domain/database-address.ts';
import { PostgresLeaseStore } from '../../lib/store/postgres/lease-store.ts';
import { openPair } from '../cluster/support/pair.ts';
import { freshDatabase, postgresPrograms } from '../support/postgres.ts';
import { configOf } from '../support/world.ts';

const run = promisify(execFile);
const programs = postgresPrograms() ?? '';

t.test('a dump of a time in which another instance had the meters', async (t) => {
  const url = await freshDatabase(t);
  const { clock, meter, begin, ask, pass, passing, until, takesOver } = await openPair(t, async () => ({
    store: () => new PostgresLeaseStore(databaseAddress(url)),
    settings: () => ({ database_url: url }),
    stepMs: 2,
  }));
  const first = await begin('first');
  const second = await begin('second');
  await ask('PUT', `${first.base}/roof/config`, configOf(meter));
  // The dump should not say that the first one is alone.
  await pass(12_000, { stepMs: 500 });
  const dump = join(t.testdir(), 'dump');
  await run(join(programs, 'pg_dump'), ['-Fc', '--file', dump, url]);
  await passing(first.instance.stop());
  await takesOver(second.instance, 100);
  t.equal((await ask('PUT', `${second.base}/later/config`, configOf(meter))).status, 200);
  t.equal((await ask('GET', `${second.base}/roof/live`)).status, 200);

  await run(join(programs, 'pg_restore'), ['--clean', '--if-exists', '--single-transaction', '--dbname', url, dump]);
  const restored = clock.elapsed();
  await until(() => second.instance.gateway() === undefined, 100);
  t.ok(clock.elapsed() - restored <= 10_000, 'it stops after its next sign of life');
  const nobody = await ask('GET', `${second.base}/roof/status`);
  t.equal(nobody.status, 503);
  await takesOver(second.instance, 500);
  t.ok(clock.elapsed() - restored >= 60_000, 'whoever had the meters has stopped by then');
  t.equal((await ask('GET', `${second.base}/roof/live`)).status, 200);
  t.equal((await ask('GET', `${second.base}/later/config`)).status, 404, 'the data is that of the dump');
  t.strictSame(
    meter.log.events.filter(({ kind }) => kind === 'held'),
    [],
    'no meter saw two of them',
  );
});
