/** A dump of a database with levels is restored by the command of docs/standby.md: the partitions of the levels cannot be cleaned in place. */
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import t from 'tap';
import { openHistory } from '../../lib/history/index.ts';
import { createLog } from '../../lib/log.ts';
import { VirtualClock } from '../../simulator/clock.ts';
import { HOUR, hours, rowsOf, second, stream } from '../contract/history/rows.ts';
import { freshDatabase, inDatabase, postgresPrograms } from '../support/postgres.ts';

const run = promisify(execFile);
const programs = postgresPrograms() ?? '';
const PAGE = readFileSync(new URL('../../docs/standby.md', import.meta.url), 'utf8');
const TICK_MS = 5_000;
const MOST_TRIES = 200;

t.test('levels are there again, in the database with the old name, and the replaced database is kept', async (t) => {
  const database = await freshDatabase(t);
  const clock = new VirtualClock();
  const open = (name: string) =>
    openHistory({ path: join(t.testdir(), name), clock, log: createLog('silent'), database });
  const before = await open('before.db');
  before.append(
    stream(
      'roof',
      Array.from({ length: 3_600 }, (_, index) => second(HOUR + index, 60)),
    ),
  );
  await before.flush();
  const carried = async () => (await inDatabase(database, 'select 1 from history_hour')).length > 0;
  for (let tries = 0; tries < MOST_TRIES && !(await carried()); tries++) {
    await clock.advance(TICK_MS);
    await before.bytes();
  }
  await before.close();

  const dump = join(t.testdir(), 'dump');
  await run(join(programs, 'pg_dump'), ['-Fc', '--file', dump, database]);
  const name = new URL(database).pathname.slice(1);
  const other = new URL(database);
  other.pathname = '/postgres';
  t.match(PAGE, 'ALTER DATABASE slm RENAME TO slm_before');
  await inDatabase(other.href, `alter database ${name} rename to ${name}_before`);
  t.teardown(() => inDatabase(other.href, `drop database ${name}_before with (force)`));
  t.match(PAGE, 'createdb --owner=slm --encoding=UTF8 --template=template0 slm\npg_restore');
  await inDatabase(other.href, `create database ${name} template template0 encoding 'UTF8'`);
  const [, flags = ''] = /^pg_restore (.*) --dbname=/m.exec(PAGE) ?? [];
  await run(join(programs, 'pg_restore'), [...flags.split(' '), '--dbname', database, dump]);

  const after = await open('after.db');
  t.teardown(() => after.close());
  const [row] = await rowsOf(after, { unitId: 'roof', ...hours(1, 3_600) });
  t.match(row, { leq: 60, measured: 3_600 });
});
