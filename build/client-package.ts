/**
 * `npm pack` in `client` packs one file of JavaScript and the types, in `client/dist`. With `--remove` both are removed, so
 * that nothing in the clone is older than the sources.
 */
import { execFileSync } from 'node:child_process';
import { copyFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const ROOT = fileURLToPath(new URL('../', import.meta.url));
const CLIENT = join(ROOT, 'client');

rmSync(join(CLIENT, 'dist'), { recursive: true, force: true });
rmSync(join(CLIENT, 'LICENSE'), { force: true });
if (process.argv[2] !== '--remove') await make();

async function make(): Promise<void> {
  copyFileSync(join(ROOT, 'LICENSE'), join(CLIENT, 'LICENSE'));
  await build({
    absWorkingDir: CLIENT,
    entryPoints: ['index.ts'],
    outdir: 'dist',
    bundle: true,
    format: 'esm',
    platform: 'neutral',
    target: 'es2022',
    sourcemap: true,
    logLevel: 'warning',
  });
  const tsc = ['node_modules/typescript/bin/tsc', '-p', 'build/client-package.json'];
  execFileSync(process.execPath, tsc, { cwd: ROOT, stdio: 'inherit' });
}
