/** A gateway without `database_url` loads no line of what talks to PostgreSQL. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import t from 'tap';
import { childEnvironment } from '../support/child-environment.ts';
import { freshDatabase } from '../support/postgres.ts';

const GATEWAY = new URL('../../lib/app/gateway.ts', import.meta.url).href;
/** Starts and stops a gateway, and prints every module that was loaded. */
const PROGRAM = `
  import { registerHooks } from 'node:module';
  registerHooks({ load: (url, context, next) => { console.log(url); return next(url, context); } });
  const { startGateway } = await import(${JSON.stringify(GATEWAY)});
  const [data_dir, key_file, database_url] = process.argv.slice(1);
  const gateway = await startGateway({ port: 0, data_dir, key_file, database_url, log_level: 'silent' });
  await gateway.stop();
`;
const SERVER_ONLY = /\/node_modules\/(pg|pg-[a-z]+|@mikro-orm\/postgresql)\/|\/lib\/store\/postgres\//;

function loadedBy(home: string, url: string): string[] {
  const words = [join(home, 'data'), join(home, 'key'), url];
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', PROGRAM, ...words], {
    cwd: fileURLToPath(new URL('../..', import.meta.url)),
    env: childEnvironment(),
    encoding: 'utf8',
  });
  if (!stdout.includes('/lib/store/index.ts')) throw new Error(stderr);
  return stdout.split('\n').filter((line) => SERVER_ONLY.test(line));
}

t.test('nothing of PostgreSQL is loaded without database_url, and something with it', async (t) => {
  const home = t.testdir();
  t.same(loadedBy(join(home, 'file'), ''), []);
  t.ok(loadedBy(join(home, 'server'), await freshDatabase(t)).length > 10);
});
