/**
 * Builds `dist`, what production runs: the modules of `lib`, `plugins` and of every package they use in a few files of
 * JavaScript with source maps, the types, the dashboard, and the data that is read at run time. Native code stays in `node_modules`.
 */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, type Plugin } from 'esbuild';
import { isAllowed } from '../.ci/licences.ts';
import { licenceInFile, production } from '../.ci/production.ts';
import { FONT_FILES, writeFonts } from './fonts.ts';
import { buildWeb } from './web.ts';

const ROOT = fileURLToPath(new URL('../', import.meta.url));
const DIST = join(ROOT, 'dist');
/** Read at run time. */
const STARTS = ['lib/start.cjs', 'cli/start.cjs', 'simulator/start.cjs'];
const DATA = ['config', 'package.json', 'web/dist', 'lib/node-version.cjs', ...STARTS];
/** Programs that are started by name, or imported by name at run time. All of them share the same copies of the rest. */
const ENTRIES = [
  'lib/index.ts',
  'lib/app/{main,keys,audit-check,history-command,gateway}.ts',
  'lib/settings/index.ts',
  'lib/**/thread.ts',
  'plugins/**/process.ts',
  'simulator/{cli,index}.ts',
];
const PLUGINS = globSync(['plugins/*.ts', 'plugins/*/index.ts'], { cwd: ROOT }).map((path) =>
  path.replaceAll(sep, '/'),
);
const ALL_PLUGINS = 'lib/parts/plugins';
/** Packages that were written for `require` find it, and their own place, in a module as well. */
const FOR_REQUIRE = [
  "import { createRequire as makeRequire } from 'node:module';",
  'const require = makeRequire(import.meta.url), { filename: __filename, dirname: __dirname } = import.meta;',
].join('\n');

/** As the first line of `lib/start.cjs` has it: what was compiled under other flags is of no use. */
const YOUNG = '--max-semi-space-size=4';
/** The end of its input stops it. Windows has no signal for a clean stop, and after another end nothing is in the cache. */
const STOP = `data:text/javascript,process.stdin.resume().on('end', () => process.emit('SIGTERM'))`;

/**
 * Node reads every export of a module of its own that is imported. Of `http` some are getters that load a whole client, with
 * HTTP/2: 14 MB in an empty process. When the module is required they are not read.
 */
const REQUIRED_HTTP: Plugin = {
  name: 'http is required',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^(node:)?http$/ }, ({ kind }) =>
      kind === 'import-statement' ? { path: 'http', namespace: 'required' } : null,
    );
    onLoad({ filter: /^http$/, namespace: 'required' }, () => ({ contents: "module.exports = require('node:http');" }));
  },
};

/** The library of fonts reads also compressed ones, with a decoder and its words, half a megabyte. Node has one. */
const BROTLI_OF_NODE: Plugin = {
  name: 'brotli is that of Node',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^brotli\/decompress(\.js)?$/ }, ({ path }) => ({ path, namespace: 'brotli' }));
    onLoad({ filter: /.*/, namespace: 'brotli' }, () => ({
      contents: "module.exports = (bytes) => require('node:zlib').brotliDecompressSync(bytes);",
    }));
  },
};

/**
 * One entry for all plugins. With one each, what some of them share would be a hundred files, and Node takes longer to find
 * and link a file than to run it. A plugin runs when it is asked for: one whose top level throws fails alone.
 */
const TOGETHER: Plugin = {
  name: 'plugins are together',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: new RegExp(`^${ALL_PLUGINS}$`) }, ({ path }) => ({ path, namespace: 'together' }));
    onLoad({ filter: /.*/, namespace: 'together' }, () => ({
      contents: PLUGINS.map((path, at) => `export const p${at} = () => require('./${path}').default;`).join('\n'),
      resolveDir: ROOT,
    }));
  },
};

/** In `import ... from 'x'`, `export ... from 'x'` and `import('x')`. */
const IMPORTED = /(?:\bfrom |\bimport\()(['"])(.+?)\1/g;

rmSync(DIST, { recursive: true, force: true });
const inputs = [...(await bundle()), ...(await buildWeb()), ...FONT_FILES];
writeNotices(inputs, ROOT, join(DIST, 'THIRD-PARTY.txt'));
placePlugins();
await bundleClients();
// By its file: on Windows the name is that of a batch file, which cannot be started so.
execFileSync(process.execPath, ['node_modules/typescript/bin/tsc', '-p', 'build'], { cwd: ROOT, stdio: 'inherit' });
keepPublicTypes(DIST, ['lib/index.d.ts', 'client/index.d.ts', 'simulator/index.d.ts']);
for (const path of DATA) cpSync(join(ROOT, path), join(DIST, path), { recursive: true });
await writeFonts(ROOT, join(DIST, 'fonts'));
for (const path of STARTS) chmodSync(join(DIST, path), 0o755);
await firstStart();

async function bundle(): Promise<readonly string[]> {
  const { metafile } = await build({
    absWorkingDir: ROOT,
    entryPoints: [
      ...globSync(ENTRIES, { cwd: ROOT }).map((path) => ({ in: path, out: placeOf(path) })),
      { in: ALL_PLUGINS, out: ALL_PLUGINS },
    ],
    outdir: DIST,
    outbase: ROOT,
    chunkNames: 'lib/parts/[name]-[hash]',
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node22.18',
    // Native code, and extras of packages that do without: of a logger of the simulator's FTP server, of `debug`, and of the ORM.
    external: ['better-sqlite3', 'dtrace-provider', 'supports-color', 'tinyglobby'],
    plugins: [REQUIRED_HTTP, BROTLI_OF_NODE, TOGETHER],
    // Names may be short: errors say theirs themselves, entities are named where they are defined. Long ones cost 16 MB.
    minify: true,
    sourcemap: true,
    sourcesContent: false,
    banner: { js: FOR_REQUIRE },
    metafile: true,
    logLevel: 'warning',
  });
  for (const path of Object.keys(metafile.outputs)) if (path.endsWith('.map')) emptyMapOfPackages(join(ROOT, path));
  return Object.keys(metafile.inputs);
}

/** A map that leads only to code of packages is useless without that code, and as large as it. */
function emptyMapOfPackages(file: string): void {
  const map: { readonly sources: readonly string[] } = JSON.parse(readFileSync(file, 'utf8'));
  if (map.sources.every((source) => source.includes('node_modules/')))
    writeFileSync(file, JSON.stringify({ version: 3, sources: [], names: [], mappings: '' }));
}

/**
 * The processes of `lib/app` stay where service files and scripts of users name them: `dist/lib/main.js`. The demo of the simulator
 * finds the gateway as in the sources.
 */
function placeOf(path: string): string {
  return path.replace(/^lib.app.(?!gateway)/, 'lib/').replace(/\.ts$/, '');
}

/** A plugin is found at its place, as in the sources: a file there leads to it. */
function placePlugins(): void {
  for (const [at, path] of PLUGINS.entries()) {
    const file = join(DIST, placeOf(path));
    mkdirSync(dirname(file), { recursive: true });
    const root = '../'.repeat(path.split('/').length - 1);
    writeFileSync(`${file}.js`, `import { p${at} } from '${root}${ALL_PLUGINS}.js';\nexport default p${at}();\n`);
  }
}

/** The typed client, which browsers take as well, without a word of Node's; and the command line on it. One file each. */
async function bundleClients(): Promise<void> {
  for (const [entry, banner] of [
    ['client/index.ts', ''],
    ['cli/slm.ts', FOR_REQUIRE],
  ] as const)
    await build({
      absWorkingDir: ROOT,
      entryPoints: [entry],
      outdir: DIST,
      outbase: ROOT,
      bundle: true,
      format: 'esm',
      platform: 'node',
      target: ['node22.18', 'es2022'],
      banner: { js: banner },
      sourcemap: true,
      sourcesContent: false,
      logLevel: 'warning',
    });
}

/** Leaves in `dist/cache` what Node compiled, and shows that the build starts and stops. */
async function firstStart(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'slm-build-'));
  const places = ['--data-dir', join(folder, 'data'), '--key-file', join(folder, 'key')];
  const { PATH = '', SystemRoot = '' } = process.env;
  const gateway = spawn(
    process.execPath,
    [YOUNG, '--import', STOP, join(DIST, 'lib/start.cjs'), ...places, '--port', '0'],
    {
      env: { PATH, SystemRoot },
      stdio: ['pipe', 'pipe', 'inherit'],
    },
  );
  gateway.stdout.once('data', () => gateway.stdin.end());
  const [code] = await once(gateway, 'exit');
  rmSync(folder, { recursive: true, force: true });
  if (code !== 0) throw new Error(`the build ended with code ${code}`);
}

/**
 * The licences of the packages in the bundle: most of them ask to go with their code. `inputs` are the files of the bundle, from `root`. Throws for a package without a licence of the list. Throws also for a
 * package that production does not name: it would be missing in licences and the bill of materials.
 */
function writeNotices(inputs: readonly string[], root: string, file: string): void {
  const folders = new Set(inputs.flatMap((input) => /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(input)?.[1] ?? []));
  const known = new Set(production().map(({ place }) => place));
  const strange = [...folders].filter((folder) => !known.has(folder));
  if (strange.length > 0) throw new Error(`"bundled" of package.json does not name what brings ${strange.join(', ')}`);
  const notices = [...folders].sort().map((folder) => noticeOf(join(root, folder)));
  writeFileSync(file, `This software contains the packages below.\n\n${notices.join('\n')}`);
}

function noticeOf(folder: string): string {
  const { name, version, ...stated } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
    readonly name: string;
    readonly version: string;
    readonly license?: string;
  };
  const license = stated.license ?? licenceInFile(name, version);
  if (!isAllowed(license))
    throw new Error(`${name} has the licence ${license}, which is not on the list of .ci/licences.ts`);
  const found = readdirSync(folder).find((entry) => /^(licen[cs]e|copying)(\.|$)/i.test(entry));
  const text = found && existsSync(join(folder, found)) ? readFileSync(join(folder, found), 'utf8').trim() : license;
  return `${'='.repeat(80)}\n${name} ${version} (${license})\n\n${text}\n`;
}

/**
 * The types of the package are those of its entries: declarations that no entry leads to are removed. Throws where one that stays needs a package: it would not be there, because the
 * package installs nothing but native code.
 */
function keepPublicTypes(folder: string, entries: readonly string[]): void {
  const kept = new Set<string>();
  const keep = (path: string): void => {
    if (kept.has(path)) return;
    kept.add(path);
    for (const [, , name = ''] of readFileSync(path, 'utf8').matchAll(IMPORTED)) {
      if (name.startsWith('.')) keep(join(dirname(path), name.replace(/\.[jt]s$/, '.d.ts')));
      else if (!name.startsWith('node:')) throw new Error(`the types in ${path} need the package ${name}`);
    }
  };
  for (const entry of entries) keep(join(folder, entry));
  for (const path of globSync('**/*.d.ts', { cwd: folder }).map((path) => join(folder, path)))
    if (!kept.has(path)) rmSync(path);
}
