/**
 * The tests that need PostgreSQL: on the server of `DATABASE_URL`, or on one that is started for them. Words are passed to tap:
 * `npm run test:cluster -- test/postgres/server.ts`. The word `e2e` runs all end-to-end tests with the gateway on it. Exit code 1 when one failed, or where there is no PostgreSQL.
 * `--there` only says by its exit code whether the programs of a server are installed.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { POSTGRES_MISSING, postgresPrograms, startPostgres } from './support/postgres.ts';

const ROOT = new URL('..', import.meta.url);
/** The tests of PostgreSQL with some end-to-end tests, and all end-to-end tests. */
const USUAL = ['test/shares/cluster.ts', 'test/postgres/instances.ts'];
const EVERY_WORLD = ['test/shares/profile-1.ts', 'test/shares/profile-2.ts'];
const words = process.argv.slice(2);
const all = words.includes('e2e');
const passed = words.filter((word) => word !== 'e2e');
const files = passed.some((word) => word.endsWith('.ts')) ? [] : all ? EVERY_WORLD : USUAL;

if (words.includes('--there')) process.exit(postgresPrograms() === undefined ? 1 : 0);
if (!process.env.DATABASE_URL && postgresPrograms() === undefined) {
  console.error(POSTGRES_MISSING);
  process.exit(1);
}
const own = process.env.DATABASE_URL ? undefined : await startPostgres();
const child = spawn('tap', ['--timeout=1200', '--jobs=2', ...passed, ...files], {
  cwd: ROOT,
  env: { ...process.env, ...(own && { DATABASE_URL: own.url }) },
  stdio: 'inherit',
});
const [code] = await once(child, 'exit');
await own?.stop();
process.exitCode = code === 0 ? 0 : 1;
