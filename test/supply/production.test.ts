/** What a production install brings: pinned, listed with a reason, under a licence that asks nothing of us, and no more. */
import { readFile } from 'node:fs/promises';
import t from 'tap';
import { isAllowed, type Lock, production } from '../../.ci/licences.ts';

const read = (path: string) => readFile(new URL(`../../${path}`, import.meta.url), 'utf8');
const lock: Lock & { packages: Record<string, { integrity?: string; dev?: boolean; link?: boolean }> } = JSON.parse(
  await read('package-lock.json'),
);
const manifest: { dependencies: Record<string, string>; devDependencies: Record<string, string> } = JSON.parse(
  await read('package.json'),
);
const installed = production(lock).map(({ name }) => name.replace(/@[^@]+$/, ''));

t.test('the FTP server of the simulator and the tools of the tests are no part of it', async (t) => {
  for (const name of ['ftp-srv', 'tap', 'typescript', 'fast-check', '@biomejs/biome', 'node'])
    t.notOk(installed.includes(name), name);
  t.ok(installed.includes('koa'), 'and the look into the lock file sees what is');
  t.equal(lock.packages['node_modules/ftp-srv']?.dev, true);
});

t.test('every version is exact, and every package has its checksum', async (t) => {
  for (const [name, version] of Object.entries({ ...manifest.dependencies, ...manifest.devDependencies }))
    t.match(version, /^\d+\.\d+\.\d+$/, name);
  for (const [path, { integrity }] of Object.entries(lock.packages).filter(([path]) => path !== ''))
    t.match(integrity, /^sha512-/, path);
});

t.test('every dependency in production has its reason', async (t) => {
  const reasons = await read('docs/adr/0013-production-dependencies.md');
  for (const name of Object.keys(manifest.dependencies)) t.match(reasons, `\`${name}\``, name);
});

t.test('every licence is one of the permissive ones, and the check would see another', async (t) => {
  t.same(
    production(lock).filter(({ licence }) => !isAllowed(licence)),
    [],
  );
  for (const licence of ['GPL-3.0-only', 'MIT AND GPL-2.0-only', 'UNLICENSED', 'none stated', ''])
    t.notOk(isAllowed(licence));
  for (const licence of ['MIT', '(MIT OR GPL-3.0-only)', 'MIT AND ISC']) t.ok(isAllowed(licence));
});

t.test('the check runs in CI', async (t) => {
  t.match(await read('.ci/run'), 'npm run licences');
});
