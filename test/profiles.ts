/**
 * The end-to-end tests and the foreign clients, once for every named profile of the simulated meter, or for the given
 * profiles: `npm run test:profiles -- lte strict`. Exit code 1 when a test failed.
 */
import { spawnSync } from 'node:child_process';
import { profileNames } from '../simulator/index.ts';

const wanted = process.argv.slice(2);

for (const profile of wanted.length > 0 ? wanted : profileNames()) {
  const began = performance.now();
  const { status } = spawnSync(
    'tap',
    ['--reporter=terse', '--timeout=1800', 'test/shares/profile-1.ts', 'test/shares/profile-2.ts'],
    {
      cwd: new URL('..', import.meta.url),
      env: { ...process.env, METER_PROFILE: profile },
      stdio: 'inherit',
    },
  );
  const seconds = Math.round((performance.now() - began) / 1_000);
  console.log(`${profile}: ${status === 0 ? 'passed' : 'FAILED'} in ${seconds} s`);
  if (status !== 0) process.exitCode = 1;
}
