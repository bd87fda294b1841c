/**
 * The tests that need PostgreSQL: on the server of `DATABASE_URL`, or on one that is started for them. Words are passed to tap:
 * `npm run test:cluster -- test/postgres/server.ts`. Exit code 1 when one failed, or where there is no PostgreSQL.
 * `--there` only says by its exit code whether the programs of a server are installed.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { globSync } from 'node:fs';
import { POSTGRES_MISSING, postgresPrograms, startPostgres } from './support/postgres.ts';

const ROOT = new URL('..', import.meta.url);
const words = process.argv.slice(2);
const files = words.some((word) => word.endsWith('.ts')) ? [] : globSync('test/postgres/*.ts', { cwd: ROOT });

if (words.includes('--there')) process.exit(postgresPrograms() === undefined ? 1 : 0);
if (!process.env.DATABASE_URL && postgresPrograms() === undefined) {
  console.error(POSTGRES_MISSING);
  process.exit(1);
}
const own = process.env.DATABASE_URL ? undefined : await startPostgres();
const child = spawn('tap', ['--timeout=900', '--jobs=2', ...words, ...files.toSorted()], {
  cwd: ROOT,
  env: { ...process.env, ...(own && { DATABASE_URL: own.url }) },
  stdio: 'inherit',
});
const [code] = await once(child, 'exit');
await own?.stop();
process.exitCode = code === 0 ? 0 : 1;
