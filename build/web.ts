/**
 * Builds the dashboard from `web` into `web/dist`: one script, one style sheet and one page, the first two with a hash of
 * their content in the name. `npm start` and `npm run simulate` run this first; it does nothing where nothing has changed.
 */
import {
  copyFileSync,
  existsSync,
  globSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../', import.meta.url));
const WEB = join(ROOT, 'web');
const DIST = join(WEB, 'dist');
const SOURCES = ['web/**/*.{ts,tsx,css,html,svg}', 'client/*.ts', 'build/web.ts', 'package.json'];

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

/** The page is as young as the youngest source. */
function isFresh(): boolean {
  const page = join(DIST, 'index.html');
  if (!existsSync(page)) return false;
  const built = statSync(page).mtimeMs;
  const sources = globSync(SOURCES, { cwd: ROOT, exclude: ['web/dist/**'] });
  return sources.every((path) => statSync(join(ROOT, path)).mtimeMs <= built);
}

export async function buildWeb(): Promise<void> {
  const { build } = await import('esbuild');
  const { outputFiles, metafile } = await build({
    absWorkingDir: ROOT,
    entryPoints: ['web/main.tsx'],
    outdir: DIST,
    entryNames: 'dashboard-[hash]',
    bundle: true,
    format: 'esm',
    platform: 'browser',
    target: ['es2022'],
    jsx: 'automatic',
    jsxImportSource: 'preact',
    minify: true,
    legalComments: 'none',
    metafile: true,
    write: false,
    logLevel: 'warning',
  });
  const entry = Object.entries(metafile.outputs).find(([, output]) => output.entryPoint !== undefined);
  const nameOf = (path: string) => path.slice(path.lastIndexOf('/') + 1);
  const script = nameOf(entry?.[0] ?? '');
  const styles = nameOf(entry?.[1].cssBundle ?? '');
  // Made beside it and moved: a gateway that starts meanwhile sees the old page or the new one.
  const fresh = `${DIST}-${process.pid}`;
  mkdirSync(fresh, { recursive: true });
  for (const { path, contents } of outputFiles) writeFileSync(join(fresh, nameOf(path)), contents);
  copyFileSync(join(WEB, 'icon.svg'), join(fresh, 'icon.svg'));
  const page = readFileSync(join(WEB, 'index.html'), 'utf8');
  writeFileSync(join(fresh, 'index.html'), page.replace('{{script}}', script).replace('{{styles}}', styles));
  rmSync(DIST, { recursive: true, force: true });
  renameSync(fresh, DIST);
}
