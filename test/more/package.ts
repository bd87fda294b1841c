/**
 * The tarball of `npm pack`, unpacked in an empty folder as an install leaves it. Its dependencies are linked from this
 * clone and not fetched, so that the test needs no registry: those that npm would install, and no more.
 */
import { execFile, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import t, { type Test } from 'tap';
import { lock, manifest, production } from '../../.ci/production.ts';
import { readCommandLine } from '../../cli/command-line.ts';
import { COMMANDS } from '../../cli/commands/index.ts';
import { writeDatabase } from '../slmm/database.ts';

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
 * The compiler finds no error in a program that has the package installed. It finds an error after a wrong word in it. It
 * reads the types once for both.
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

t.test('the package has the build and its data, and no sources, tests or cache', async (t) => {
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
  // The fonts of PDF are 1.8 MB of this.
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

/** Starts a program of the package until the test ends. Resolves with its first line. */
async function started(t: Test, name: string, ...words: string[]): Promise<string> {
  const child = spawn(process.execPath, [join(installed, bin[name]), ...words], {
    cwd: folder,
    env: {},
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  t.teardown(async () => {
    child.kill('SIGTERM');
    if (child.exitCode === null) await once(child, 'exit');
  });
  const [line] = await once(child.stdout, 'data');
  return String(line).split('\n')[0] ?? '';
}

/** The exit code of a command that Ctrl-C ends. */
const INTERRUPTED = '130';
/** The text before `#` is a command; the number behind it is its exit code where that is not 0. */
const SLM_LINES = `
  version
  help add
  completion bash
  context add here URL
  context use here
  context list
  context remove here
  add yard 192.0.2.7
  config yard
  edit yard tcp_enabled=false
  remove yard --yes
  units
  status sim-1
  live sim-1 --count 1
  watch #130
  get sim-1 battery
  set sim-1 ftp on
  doctor sim-1
  stop sim-1
  start sim-1
  pause sim-1
  resume sim-1
  reset sim-1
  stop sim-1
  store sim-1
  files sim-1
  mirror sim-1
  jobs
  job JOB
  cancel JOB
  download sim-1 FILE --output card.bin
  history sim-1 --from 1h --step 1h
  indices sim-1 --from 2d
  alerts
  ack 1 Nothing #5
  assessment sim-1 --from 2d --limits lden:55
  assessment presets
  assessment rules sim-1 --preset de-ta-laerm --area WA
  events sim-1 --threshold 70
  note add sim-1 Hedge --exclude --reason other --from 2h
  note end sim-1 1
  note change sim-1 1 Grass
  note list
  note remove sim-1 1
  note proposals sim-1
  note accept sim-1
  note rules sim-1
  weighting sim-1 AF --from 2h --to 1h
  station set mast --title Mast --zone UTC --units sim-1
  station list
  station send mast weather.csv
  station remove mast
  calibration add sim-1 94 94.1 94.0
  calibration list sim-1
  calibration measure sim-1 94
  profile put night profile.json
  profile list
  profile show night
  profile apply night sim-1
  profile drift night
  cycle start sim-1
  cycle stop sim-1
  profile remove night
  reports add Week sim-1 --formats csv
  reports
  reports run 1 --from 2h --to 1h
  reports documents 1
  reports get 1 DOCUMENT --output week.csv
  reports remove 1
  templates set permit --title Permit --sections charts
  templates
  templates remove permit
  letterheads set office Office
  letterheads
  letterheads remove office
  evidence make sim-1 --from 1h --include levels
  evidence list sim-1
  evidence get sim-1 PACKAGE --output roof.zip
  verify roof.zip
  import-slmm slmm.db --check
  settings
  cluster
  cluster remove south #5
  reload #2
  log-level
  backup slm.tar.gz
  restore slm.tar.gz restored`;

t.test('simulator, gateway and each command of the command line work together', async (t) => {
  const words = ['--http-port', '0', '--meters', '1', '--ready-json', '--data-dir', join(folder, 'demo')];
  const url: string = JSON.parse(await started(t, 'slm-simulator', ...words)).base_url;
  const slmFor = (timeout: number, argv: readonly string[]) =>
    new Promise<{ status: unknown; stdout: string; stderr: string }>((resolve) => {
      const env = { SLM_URL: url, HOME: folder };
      const words = [join(installed, bin.slm), ...argv];
      const options = { timeout, killSignal: 'SIGINT', cwd: folder, env } as const;
      const child = execFile(process.execPath, words, options, (_error, stdout, stderr) =>
        resolve({ status: child.exitCode, stdout, stderr }),
      );
    });
  const slm = (...argv: string[]) => slmFor(60_000, argv);
  const listed = async (...argv: string[]) => JSON.parse((await slm(...argv, '--json')).stdout);
  /** Words of `SLM_LINES` that only this run knows. */
  const known: Readonly<Record<string, () => Promise<string>>> = {
    URL: async () => url,
    JOB: async () => (await listed('jobs'))[0].id,
    PACKAGE: async () => (await listed('evidence', 'list', 'sim-1'))[0].id,
    DOCUMENT: async () => (await listed('reports', 'documents', '1'))[0].id,
    FILE: async () => (await listed('files', 'sim-1', '/NL-43/Screenshot'))[0].path,
  };
  writeFileSync(
    join(folder, 'weather.csv'),
    `time,duration_s,wind_speed\n${new Date(Date.now() - 600_000).toISOString()},600,3.1\n`,
  );
  writeFileSync(join(folder, 'profile.json'), '{"description":"Night","settings":{"lp_interval":"100ms"}}');
  writeDatabase(join(folder, 'slmm.db'), {});
  const ran = new Set<string>();
  for (const line of SLM_LINES.trim().split('\n')) {
    const [command = '', code = '0'] = line.trim().split(' #');
    const argv = await Promise.all(command.split(' ').map((word) => known[word]?.() ?? word));
    ran.add(readCommandLine(argv, COMMANDS).command?.name ?? '');
    const { status, stdout, stderr } = await (code === INTERRUPTED ? slmFor(3_000, argv) : slm(...argv));
    t.equal(status, Number(code), `slm ${command}: ${stdout.slice(0, 200)}${stderr}`);
    // Its FTP server takes a moment, as that of a meter does.
    if (command === 'set sim-1 ftp on') while (!(await fetch(`${url}/sim-1/ftp/files`)).ok);
  }
  const left = COMMANDS.map(({ name }) => name).filter((name) => !ran.has(name));
  t.strictSame(left, [], 'no command is left out');
  t.match(await (await fetch(new URL('/', url))).text(), '<script', 'and the dashboard is there');
  t.match(await (await fetch(`${url}/_assessments/us-ldn`)).json(), { data: { built_in: true } }, 'and the presets');
  t.match(await (await fetch(`${url}/_calendars`)).json(), { data: [{ name: 'de', built_in: true }] }, 'and calendars');
});

t.test('a gateway starts from a restored backup, with the same meters', async (t) => {
  const places = ['--data-dir', join(folder, 'restored'), '--key-file', join(folder, 'demo.key')];
  const line = await started(t, 'slm-gateway', ...places, '--allow-loopback-meters', '--port', '0');
  const url = /http\S+/.exec(line)?.[0] ?? line;
  t.match(run('slm', 'units', '--url', url), /\nsim-1 /);
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
