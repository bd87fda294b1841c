/** The types of the package: what its entries show, and nothing of what lies behind them. */
import { globSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** In `import ... from 'x'`, `export ... from 'x'` and `import('x')`. */
const IMPORTED = /(?:\bfrom |\bimport\()(['"])(.+?)\1/g;

/**
 * Removes the declarations that no entry leads to. Throws where one that stays needs a package: it would not be there, because the
 * package installs nothing but native code.
 */
export function keepPublicTypes(folder: string, entries: readonly string[]): void {
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
