/**
 * Builds the page that goes into every package of evidence: one file with its script and its style, which a policy in the page names by their hashes.
 * It is opened from disk and can fetch nothing.
 */
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const FOLDER = 'web/verify';

/** Writes `verify.html` into `folder`. Resolves with the files that went into it, from `root`. */
export async function buildVerifyPage(root: string, folder: string): Promise<readonly string[]> {
  const { build } = await import('esbuild');
  const { outputFiles, metafile } = await build({
    absWorkingDir: root,
    entryPoints: [`${FOLDER}/main.ts`, `${FOLDER}/page.css`],
    outdir: folder,
    bundle: true,
    format: 'iife',
    platform: 'browser',
    target: ['es2022'],
    minify: true,
    legalComments: 'none',
    charset: 'ascii',
    metafile: true,
    write: false,
    logLevel: 'warning',
  });
  const textOf = (end: string) => outputFiles.find(({ path }) => path.endsWith(end))?.text.trim() ?? '';
  const script = textOf('.js');
  const styles = textOf('.css');
  const html = readFileSync(join(root, FOLDER, 'index.html'), 'utf8')
    .replace('<script src="main.js"></script>', () => `<script>${script}</script>`)
    .replace('<link rel="stylesheet" href="page.css">', () => `<style>${styles}</style>`)
    .replace('script-hash', hashOf(script))
    .replace('style-hash', hashOf(styles));
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'verify.html'), html);
  return Object.keys(metafile.inputs);
}

const hashOf = (text: string) => `sha256-${createHash('sha256').update(text).digest('base64')}`;
