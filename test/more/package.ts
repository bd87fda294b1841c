/**
 * The tarball of `npm pack`, unpacked in an empty folder as an install leaves it. Its dependencies are linked from this
 * clone and not fetched, so that the test needs no registry: those that npm would install, and no more.
 */
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import t, { type Test } from 'tap';
import { lock, manifest, production } from '../../.ci/production.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const read = (path: string) => JSON.parse(readFileSync(path, 'utf8'));

const folder = t.testdir();
const installed = join(folder, 'node_modules/slm-gateway');
// The build was made before (pretest:more): it is not made again.
const [{ filename, files }] = JSON.parse(
  execFileSync('npm', ['pack', '--ignore-scripts', '--json', '--pack-destination', folder], {
    cwd: ROOT,
    encoding: 'utf8',
  }),
);
mkdirSync(installed, { recursive: true });
execFileSync('tar', ['xzf', join(folder, filename), '--strip-components=1', '-C', installed]);
// The types of Node are in every program in TypeScript that runs on it.
const TYPES = { '@types/node': '' };
for (const { place: from } of production(lock, { dependencies: { ...manifest.dependencies, ...TYPES }, bundled: [] })) {
  const place = join(folder, from);
  mkdirSync(dirname(place), { recursive: true });
  try {
    symlinkSync(join(ROOT, from), place);
  } catch {
    // A second version of a package lies below another one, which is linked whole.
  }
}
writeFileSync(join(folder, 'package.json'), '{"type":"module"}');

const { bin, version } = read(join(installed, 'package.json'));
const run = (name: string, ...words: string[]) =>
  execFileSync(process.execPath, [join(installed, bin[name]), ...words], { encoding: 'utf8', cwd: folder, env: {} });

/**
 * The compiler finds nothing in a program that has the package installed, and a wrong word in the same program with one. It reads the types
 * once for both.
 */
function isTyped(t: Test, text: string): void {
  writeFileSync(join(folder, 'checked.ts'), text);
  writeFileSync(join(folder, 'wrong.ts'), text.replace('client.units()', 'client.planets()'));
  const words = [
    '--noEmit',
    '--ignoreConfig',
    '--strict',
    '--module',
    'nodenext',
    '--target',
    'es2024',
    '--types',
    'node',
    'checked.ts',
    'wrong.ts',
  ];
  // The test runner gives its children options of Node that the compiler does not take.
  const alone = ['-i', `PATH=${process.env.PATH}`, join(ROOT, 'node_modules/.bin/tsc'), ...words];
  const { stdout } = spawnSync('env', alone, { cwd: folder, encoding: 'utf8' });
  t.match(stdout, /^wrong\.ts\(\d+,\d+\): error .*planets/, 'a wrong word is seen');
  t.notMatch(stdout, 'checked.ts', 'and nothing else');
}

t.test('it holds the build and what belongs to it, and no sources, tests or cache', async (t) => {
  const paths: string[] = files.map(({ path }: { path: string }) => path);
  for (const path of [
    'LICENSE',
    'README.md',
    'dist/THIRD-PARTY.txt',
    'dist/web/dist/dashboard/index.html',
    'docs/README.md',
    'docs/grafana/dashboard.json',
    'docs/examples/hello-plugin.ts',
    'service/slm-gateway.service',
  ])
    t.ok(paths.includes(path), path);
  const mb = files.reduce((sum: number, { size }: { size: number }) => sum + size, 0) / 1e6;
  // Of these, the fonts of PDF are 1.8 MB.
  t.ok(mb < 23, `${mb.toFixed(1)} MB unpacked`);
  const notices = readFileSync(join(installed, 'dist/THIRD-PARTY.txt'), 'utf8');
  for (const name of ['koa', 'preact', 'ftp-srv', '@mikro-orm/core']) t.match(notices, `\n${name} `, name);
  t.strictSame(
    paths.filter(
      (path) =>
        !/^(dist|service|deploy|docs|client\/python)\/|^[A-Z]+(\.md)?$|^package\.json$/.test(path) ||
        /^(dist\/cache|docs\/\w+\.ts)/.test(path),
    ),
    [],
  );
});

t.test('its commands run', async (t) => {
  t.equal(run('slm', '--version'), `${version}\n`);
  t.equal(run('slm-gateway', '--version'), `${version}\n`);
  t.equal(run('slm-simulator', '--version'), `${version}\n`);
  const help = run('slm-simulator', '--help');
  t.match(help, 'Simulated sound level meters');
  t.notMatch(help, 'npm ', 'it says how the package is called');
  t.match(run('slm-gateway', 'keys', 'create', '--name', 'me', '--role', 'viewer'), /^slm_\w+/);
});

t.test('simulator, gateway and command line work together', async (t) => {
  const words = ['--http-port', '0', '--meters', '1', '--ready-json'];
  const child = spawn(process.execPath, [join(installed, bin['slm-simulator']), ...words], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  t.teardown(async () => {
    child.kill('SIGTERM');
    if (child.exitCode === null) await once(child, 'exit');
  });
  const [line] = await once(child.stdout, 'data');
  const url = JSON.parse(String(line).split('\n')[0] ?? '').base_url;
  t.match(run('slm', 'units', '--url', url), /^UNIT[\s\S]*\nsim-1 /);
  t.match(run('slm', 'live', 'sim-1', '--count', '1', '--url', url), /LAF \d+\.\d/);
  run('slm', 'set', 'sim-1', 'ftp', 'on', '--url', url);
  // Its FTP server takes a moment, as that of a meter does.
  while (!(await fetch(`${url}/sim-1/ftp/files`)).ok);
  t.match(run('slm', 'files', 'sim-1', '--url', url), 'NL-43');
  t.match(await (await fetch(new URL('/', url))).text(), '<script', 'and the dashboard is there');
  t.match(await (await fetch(`${url}/_assessments/us-ldn`)).json(), { data: { built_in: true } }, 'and the presets');
  t.match(await (await fetch(`${url}/_calendars`)).json(), { data: [{ name: 'de', built_in: true }] }, 'and calendars');
});

t.test('client and simulator are imported by name, with types', async (t) => {
  const program = `
    import type { Plugin } from 'slm-gateway';
    import { Client, type Unit } from 'slm-gateway/client';
    import { startMeter } from 'slm-gateway/simulator';
    const meter = await startMeter();
    const client = new Client({ baseUrl: 'http://127.0.0.1:1/api/nl43' });
    const units: readonly Unit[] | string = await client.units().catch((error) => error.code as string);
    const plugin: Plugin = { name: 'mine', register: (host) => host.log.info('here') };
    console.log(plugin.name, units, meter.tcpPort > 0);
    await meter.stop();
  `;
  writeFileSync(join(folder, 'program.ts'), program);
  t.equal(execFileSync(process.execPath, ['program.ts'], { cwd: folder, encoding: 'utf8' }), 'mine NO_GATEWAY true\n');
  const typed = program.replace('console.log', 'void ').replace('export {}', '');
  isTyped(t, typed);
});

t.test('the client is a package of its own, with types and without a dependency', async (t) => {
  // Without the options of the test runner, as above.
  const npm = ['-i', `PATH=${process.env.PATH}`, `HOME=${folder}`, 'npm'];
  const packed = execFileSync('env', [...npm, 'pack', '--json', '--pack-destination', folder], {
    cwd: join(ROOT, 'client'),
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const [{ filename, files }] = JSON.parse(packed.slice(packed.indexOf('[')));
  const names = files.map(({ path }: { path: string }) => path);
  t.ok(
    names.every((name: string) => /^(dist\/.*|LICENSE|README\.md|package\.json)$/.test(name)),
    names.join(),
  );
  t.notOk(existsSync(join(ROOT, 'client/dist')), 'and the clone is as it was');
  const place = join(folder, 'node_modules/slm-gateway-client');
  mkdirSync(place, { recursive: true });
  execFileSync('tar', ['xzf', join(folder, filename), '--strip-components=1', '-C', place]);
  const own = read(join(place, 'package.json'));
  t.match(own, { version, dependencies: undefined });
  const text = `import { Client } from 'slm-gateway-client';
    const client = new Client({ baseUrl: 'http://127.0.0.1:1' });
    const units: string | readonly { readonly unit_id: string }[] = await client.units().catch((error) => error.code as string);
    console.log(units);`;
  writeFileSync(join(folder, 'of-client.ts'), text);
  t.equal(execFileSync(process.execPath, ['of-client.ts'], { cwd: folder, encoding: 'utf8' }), 'NO_GATEWAY\n');
  isTyped(t, text);
});

t.test('the client holds nothing of Node: a browser takes it as it is', async (t) => {
  const text = readFileSync(join(installed, 'dist/client/index.js'), 'utf8');
  t.notMatch(text, /node:|require\(|createRequire/);
});
