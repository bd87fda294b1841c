/**
 * All benches, one after another, each in a process of its own: what they print, then a table of how they ended. Exits with 1
 * when one was beyond a bound, or did not end in time. `npm run bench`, or `npm run bench -- weight day` for some.
 */
import { spawnSync } from 'node:child_process';
import { globSync } from 'node:fs';
import { basename, join } from 'node:path';

const FOLDER = import.meta.dirname;
/** The longest of them meets every fault for some seconds. */
const LIMIT_MS = 20 * 60_000;

const names = globSync('*.ts', { cwd: FOLDER })
  .map((file) => basename(file, '.ts'))
  .filter((name) => name !== 'index')
  .sort();
const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !names.includes(name));
if (unknown.length > 0) throw new Error(`${unknown.join(', ')}: there are ${names.join(', ')}`);

const rows = (wanted.length > 0 ? wanted : names).map((name) => {
  console.log(`\n${name}`);
  const began = performance.now();
  const { status } = spawnSync(process.execPath, [join(FOLDER, `${name}.ts`)], { stdio: 'inherit', timeout: LIMIT_MS });
  const outcome = status === 0 ? 'within its bounds' : status === null ? 'NOT ENDED IN TIME' : 'BEYOND A BOUND';
  return { name, seconds: Math.round((performance.now() - began) / 1_000), outcome };
});

console.log(`\n${'bench'.padEnd(12)}${'seconds'.padStart(8)}   outcome`);
for (const { name, seconds, outcome } of rows)
  console.log(`${name.padEnd(12)}${String(seconds).padStart(8)}   ${outcome}`);
const bad = rows.filter(({ outcome }) => outcome !== 'within its bounds');
console.log(`\n${rows.length - bad.length} benches within their bounds, ${bad.length} not`);
process.exitCode = bad.length > 0 ? 1 : 0;
