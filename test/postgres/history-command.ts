/** `npm run history` with `database_url`: it asks the database, after it has carried what is still in the file. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { openHistory } from '../../lib/history/index.ts';
import { createLog } from '../../lib/log.ts';
import { VirtualClock } from '../../simulator/clock.ts';
import { HOUR, second, stream } from '../contract/history/rows.ts';
import { childEnvironment } from '../support/child-environment.ts';
import { freshDatabase, inDatabase } from '../support/postgres.ts';

const ROOT = new URL('../..', import.meta.url);

t.test('levels of the database are exported, taken and checked', async (t) => {
  const folder = t.testdir();
  const database = await freshDatabase(t);
  const run = (...words: readonly string[]) => {
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      ['lib/app/history-command.ts', ...words, '--data-dir', folder],
      { cwd: ROOT, encoding: 'utf8', env: { ...childEnvironment(), SLM_DATABASE_URL: database } },
    );
    return { status, out: stdout, err: stderr };
  };
  const path = join(folder, 'history.db');
  const history = await openHistory({ path, clock: new VirtualClock(), log: createLog('silent'), database });
  history.append(
    stream(
      'roof',
      Array.from({ length: 3_600 }, (_, index) => second(HOUR + index, 60)),
    ),
  );
  await history.close();
  const file = join(folder, 'roof.jsonl');
  t.match(run('export', 'roof', '--file', file), { status: 0, err: '' });
  t.match(readFileSync(file, 'utf8'), /"unit_id":"roof"/);
  t.match(run('import', file), { status: 1, err: /already has/ });
  t.match(run('import', file, '--as', 'yard'), { status: 0, out: /yard: 1 hour and 0 intervals/ });
  t.match(run('verify'), { status: 0, out: /whole: 2 hours in the database/ });
  await inDatabase(database, 'update history_hour set leq = leq + 1 where series = 1');
  t.match(run('verify'), { status: 1, out: /roof, stream, .*: its sum is not that of its minutes/ });
});
