/**
 * Builds the dashboard and the API pages from `web` into `web/dist`: of each one page with its styles, and its
 * scripts with a hash of their content in the name. Also the page that checks packages of evidence, one file, and the paths
 * of the pages (`paths.json`) for the gateway. `npm start` and `npm run simulate` run this first; it does nothing if nothing has changed.
 */
import { createHash } from 'node:crypto';
import {
  copyFileSync,
  existsSync,
  globSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Metafile } from 'esbuild';
import { moveOver } from '../lib/system.ts';
import { allPaths } from '../web/pages.ts';
import { buildVerifyPage } from './verify-page.ts';
import { type Tables, writeTables } from './words.ts';

const ROOT = fileURLToPath(new URL('../', import.meta.url));
const DIST = join(ROOT, 'web/dist');
const SOURCES = [
  'web/**/*.{ts,tsx,json,css,html,svg,png,webmanifest}',
  'config/words/*.json',
  'client/*.ts',
  'plugins/evidence/verify/*.ts',
  'lib/domain/{canonical-json,figures}.ts',
  'build/{web,verify-page,words}.ts',
  'package.json',
];

/** A page with its styles, its script with all that it imports, and the other files of its folder. */
interface Page {
  /** Folder in `web/dist`. */
  readonly name: string;
  readonly entry: string;
  readonly html: string;
  /** Files that are copied, by their names in the folder. */
  readonly beside: Readonly<Record<string, string>>;
  /** The service worker, which keeps all these files. Its name never has a hash: browsers look for its next version under the same address. */
  readonly worker?: string;
}

const PAGES: readonly Page[] = [
  {
    name: 'dashboard',
    entry: 'web/main.ts',
    html: 'web/index.html',
    worker: 'web/worker/main.ts',
    beside: {
      'icon.svg': 'web/icon.svg',
      'icon-alarm.svg': 'web/icon-alarm.svg',
      'app.webmanifest': 'web/app.webmanifest',
      // Made of icon.svg, for telephones that take no SVG; `full` has room for any outline.
      ...Object.fromEntries(
        ['180', '192', '512', 'full'].map((size) => [`icon-${size}.png`, `web/icons/icon-${size}.png`]),
      ),
    },
  },
  {
    name: 'docs',
    entry: 'web/docs/main.tsx',
    html: 'web/docs/index.html',
    beside: { 'icon.svg': 'web/icon.svg' },
  },
];

if (import.meta.main ?? process.argv[1] === fileURLToPath(import.meta.url)) await buildWhereOld();

async function buildWhereOld(): Promise<void> {
  if (isFresh()) return;
  try {
    await buildWeb();
  } catch (error) {
    // An install without development dependencies has no bundler: the gateway runs all the same, and says what is missing.
    if (!(error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND')) throw error;
  }
}

/** The page is as young as the newest source. */
function isFresh(): boolean {
  const page = join(DIST, 'dashboard/index.html');
  if (!existsSync(page)) return false;
  const built = statSync(page).mtimeMs;
  const sources = globSync(SOURCES, { cwd: ROOT, exclude: ['web/dist/**'] });
  return sources.every((path) => statSync(join(ROOT, path)).mtimeMs <= built);
}

/** Resolves with the files that went into the bundles, from the root. Of the scripts the page names the first; that fetches the others. */
export async function buildWeb(): Promise<readonly string[]> {
  // Made in another folder and then moved: a gateway that starts meanwhile sees the old pages or the new ones.
  const fresh = `${DIST}-${process.pid}`;
  const inputs: string[] = [];
  for (const page of PAGES) inputs.push(...(await buildPage(page, join(fresh, page.name))));
  inputs.push(...(await buildVerifyPage(ROOT, join(fresh, 'verify'))));
  writeFileSync(join(fresh, 'paths.json'), JSON.stringify(allPaths()));
  rmSync(DIST, { recursive: true, force: true });
  await moveOver(fresh, DIST);
  return inputs;
}

async function buildPage({ name, entry, html, beside, worker }: Page, folder: string): Promise<readonly string[]> {
  const { build } = await import('esbuild');
  mkdirSync(folder, { recursive: true });
  const { outputFiles, metafile } = await build({
    absWorkingDir: ROOT,
    entryPoints: [entry],
    outdir: DIST,
    entryNames: `${name}-[hash]`,
    chunkNames: `${name}-[hash]`,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'browser',
    target: ['es2022'],
    jsx: 'automatic',
    jsxImportSource: 'preact',
    minify: true,
    charset: 'utf8',
    legalComments: 'none',
    metafile: true,
    write: false,
    logLevel: 'warning',
    loader: { '.svg': 'dataurl' },
  });
  const [path = '', output] = Object.entries(metafile.outputs).find(([, { entryPoint }]) => entryPoint === entry) ?? [];
  const script = basename(scriptOf(path, metafile));
  const sheet = basename(output?.cssBundle ?? '');
  const styles = outputFiles.find((file) => basename(file.path) === sheet)?.text.trim() ?? '';
  for (const file of outputFiles) {
    const isLeftOut =
      basename(file.path) === sheet || (basename(file.path) === basename(path) && script !== basename(path));
    if (!isLeftOut) writeFileSync(join(folder, basename(file.path)), file.contents);
  }
  const scripts = outputFiles.filter((file) => file.path.endsWith('.js'));
  const [first = [], rest = []] = [true, false].map((isFirst) =>
    scripts.filter((file) => (basename(file.path) === script) === isFirst).map(({ text }) => text),
  );
  const words = worker === undefined ? {} : writeTables(ROOT, folder, { first, rest });
  for (const [copy, original] of Object.entries(beside)) copyFileSync(join(ROOT, original), join(folder, copy));
  const page = readFileSync(join(ROOT, html), 'utf8');
  writeFileSync(
    join(folder, 'index.html'),
    page
      .replace('{{script}}', script)
      .replace('{{words}}', JSON.stringify(words))
      // In the page: a browser draws the outline without another request.
      .replace('/*styles*/', () => styles),
  );
  const workerInputs =
    worker === undefined ? [] : await buildWorker(worker, { others: Object.keys(beside), words }, folder);
  return [...Object.keys(metafile.inputs), ...workerInputs];
}

/** Data for the service worker besides the files with a hash. */
interface Beside {
  readonly others: readonly string[];
  readonly words: Tables;
}

/** One file, `sw.js`, with the names of all files beside it and a hash of their content: another build is another worker. */
async function buildWorker(entry: string, { others, words }: Beside, folder: string): Promise<readonly string[]> {
  const { build } = await import('esbuild');
  const names = readdirSync(folder).toSorted();
  const content = createHash('sha256');
  for (const name of names) content.update(name).update(readFileSync(join(folder, name)));
  const apart = ['index.html', ...others, ...Object.values(words).flat()];
  const hashed = names.filter((name) => !apart.includes(name));
  const { metafile } = await build({
    absWorkingDir: ROOT,
    entryPoints: [entry],
    outfile: join(folder, 'sw.js'),
    bundle: true,
    format: 'iife',
    platform: 'browser',
    target: ['es2022'],
    minify: true,
    legalComments: 'none',
    metafile: true,
    logLevel: 'warning',
    define: { SHELL: JSON.stringify({ version: content.digest('hex').slice(0, 16), hashed, others, words }) },
  });
  return Object.keys(metafile.inputs);
}

/** A script that does no more than import another one is left out: a browser would wait for two, one after the other. */
function scriptOf(path: string, { outputs }: Metafile): string {
  const [first, ...others] = outputs[path]?.imports.filter(({ kind }) => kind === 'import-statement') ?? [];
  return first && others.length === 0 ? first.path : path;
}
