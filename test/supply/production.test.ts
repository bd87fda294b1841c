/** Packages of production: pinned, listed with a reason, under a licence that asks nothing of us, and no others. */
import { execFileSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import t from 'tap';
import { isAllowed } from '../../.ci/licences.ts';
import { type Lock, lock, manifest, production } from '../../.ci/production.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const read = (path: string) => readFile(new URL(`../../${path}`, import.meta.url), 'utf8');
const { devDependencies }: { devDependencies: Record<string, string> } = JSON.parse(await read('package.json'));

t.test('npm installs only what cannot be in a bundle: native code', async (t) => {
  t.strictSame(Object.keys(manifest.dependencies), ['better-sqlite3']);
  const installed = production(lock, { ...manifest, bundled: [] });
  t.strictSame(
    installed.map(({ name }) => name),
    ['better-sqlite3', 'node-addon-api'],
  );
  for (const name of manifest.bundled) t.ok(devDependencies[name], `${name} is a development dependency`);
});

t.test('the tools of tests and build are no part of it', async (t) => {
  const names = production().map(({ name }) => name);
  for (const name of ['tap', 'typescript', 'fast-check', '@biomejs/biome', 'node', 'esbuild'])
    t.notOk(names.includes(name), name);
  for (const name of ['koa', 'better-sqlite3', 'preact', 'ftp-srv', 'koa-compose'])
    t.ok(names.includes(name), `${name}, and the look into the lock file sees it`);
});

t.test('a package is found where Node would find it', async (t) => {
  const inner = { version: '1.0.0', license: 'MIT', dependencies: {} };
  const packages: Lock['packages'] = {
    'node_modules/a': { ...inner, dependencies: { b: '1.0.0' }, optionalDependencies: { none: '1.0.0' } },
    'node_modules/a/node_modules/b': { ...inner, dependencies: { c: '2.0.0' } },
    'node_modules/b': inner,
    'node_modules/c': { ...inner, version: '2.0.0', dependencies: { a: '1.0.0' } },
  };
  const found = production({ packages }, { dependencies: { a: '1.0.0' }, bundled: [] });
  t.strictSame(
    found.map(({ place }) => place),
    ['node_modules/a', 'node_modules/a/node_modules/b', 'node_modules/c'],
  );
  t.throws(() => production({ packages }, { dependencies: {}, bundled: ['none'] }), /no none/);
});

t.test('every version is exact, and every package has its checksum', async (t) => {
  for (const [name, version] of Object.entries({ ...manifest.dependencies, ...devDependencies }))
    t.match(version, /^\d+\.\d+\.\d+$/, name);
  for (const [path, { integrity }] of Object.entries(lock.packages).filter(([path]) => path !== ''))
    t.match(integrity, /^sha512-/, path);
});

t.test('every dependency in production has its reason', async (t) => {
  const reasons = await read('docs/adr/0013-production-dependencies.md');
  for (const name of [...Object.keys(manifest.dependencies), ...manifest.bundled])
    t.match(reasons, `\`${name}\``, name);
});

t.test('every licence is permissive, and the check would find another', async (t) => {
  t.same(
    production().filter(({ licence }) => !isAllowed(licence)),
    [],
  );
  for (const licence of ['GPL-3.0-only', 'MIT AND GPL-2.0-only', 'UNLICENSED', 'none stated', ''])
    t.notOk(isAllowed(licence));
  for (const licence of ['MIT', '(MIT OR GPL-3.0-only)', 'MIT AND ISC']) t.ok(isAllowed(licence));
});

t.test('the bill of materials has each of them, with checksum and licence', async (t) => {
  const bill = JSON.parse(execFileSync(process.execPath, ['.ci/sbom.ts'], { cwd: ROOT, encoding: 'utf8' }));
  t.match(bill, { bomFormat: 'CycloneDX', metadata: { component: { name: 'slm-gateway' } } });
  const known = new Set(bill.components.map((one: { 'bom-ref': string }) => one['bom-ref']));
  t.equal(known.size, production().length);
  const koa = bill.components.find(({ name }: { name: string }) => name === 'koa');
  t.match(koa, {
    purl: /^pkg:npm\/koa@\d/,
    licenses: [{ license: { id: 'MIT' } }],
    hashes: [{ content: /^[0-9a-f]{128}$/ }],
  });
  for (const { ref, dependsOn } of bill.dependencies)
    for (const one of dependsOn) t.ok(known.has(one), `${ref} needs ${one}`);
});

t.test('the check runs in CI', async (t) => {
  t.match(await read('.ci/run'), 'npm run licences');
});
