/**
 * Many test files in one process: what they import is loaded once. `npm test` runs the files of `test/shares`, each of which
 * takes its share of all test files. A file still runs alone, and does not notice the difference: its `t` is the root of its
 * own tests, with its own hooks and its own end.
 */
import { globSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { fileURLToPath } from 'node:url';
import t, { type Test } from 'tap';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
/** Of one file; a busy machine needs a few seconds for most. */
const FILE_LIMIT_MS = 120_000;
/** Where the module that stands for tap finds the test of a file. */
const KEY = Symbol.for('tests of a shared process');
const tests = new Map<string, Test>();
Object.assign(globalThis, { [KEY]: tests });

/** A test file's `tap` is the subtest that it runs in. */
registerHooks({
  resolve(specifier, context, next) {
    const isAsked = specifier === 'tap' && tests.has(context.parentURL ?? '');
    return isAsked
      ? { url: `shared-tap:${context.parentURL}`, format: 'module', shortCircuit: true }
      : next(specifier, context);
  },
  load(address, context, next) {
    if (!address.startsWith('shared-tap:')) return next(address, context);
    const key = JSON.stringify(address.slice('shared-tap:'.length));
    const source = `export default globalThis[Symbol.for(${JSON.stringify(KEY.description)})].get(${key});`;
    return { format: 'module', source, shortCircuit: true };
  },
});

/** Runs every `of`-th test file from number `number` on, one after another. */
export async function share(number: number, of: number): Promise<void> {
  t.setTimeout(0);
  const files = globSync('test/**/*.test.ts', { cwd: ROOT }).sort();
  for (const [index, file] of files.entries()) {
    if (index % of === number - 1) await t.test(file, { timeout: FILE_LIMIT_MS }, (t) => run(t, file));
  }
}

async function run(t: Test, file: string): Promise<void> {
  const address = new URL(`../../${file}`, import.meta.url).href;
  tests.set(address, t);
  await import(address);
}
