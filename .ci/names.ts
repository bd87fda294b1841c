/**
 * Names that the sources export. `node .ci/names.ts` lists names that several files of one program define, and names without
 * a comment directly above. A test of the architecture keeps them out.
 */
import { globSync, readFileSync } from 'node:fs';
import { sep } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../', import.meta.url));
const EXPORTED = /^export (?:default )?(?:abstract )?(?:async )?(?:function\*?|class|interface|type|const) (\w+)/;

/** A name that a file exports with its definition. */
export interface Exported {
  /** From the root: `lib/clock.ts`. */
  readonly path: string;
  readonly name: string;
  /** Whether a docstring ends in the line above. */
  readonly documented: boolean;
}

/** The definitions of one file; an overloaded function is one. */
export function exportsIn(path: string, text: string): Exported[] {
  const lines = text.split('\n');
  const found = new Map<string, Exported>();
  for (const [at, line] of lines.entries()) {
    const name = EXPORTED.exec(line)?.[1];
    // A fault of the simulator says what it is in its `summary`, for the control API too.
    const documented = lines[at - 1]?.trimEnd().endsWith('*/') || line.includes('= defineFault({');
    if (name !== undefined && !found.has(name)) found.set(name, { path, name, documented });
  }
  return [...found.values()];
}

/** All definitions of gateway, plugins, simulator, command line, client and dashboard. Generated types are left out. */
export const allExports = (): Exported[] =>
  globSync('{lib,plugins,simulator,cli,client,web}/**/*.{ts,tsx}', { cwd: ROOT })
    .map((path) => path.replaceAll(sep, '/'))
    .filter((path) => path !== 'client/schemas.ts')
    .toSorted()
    .flatMap((path) => exportsIn(path, readFileSync(new URL(path, `file://${ROOT}`), 'utf8')));

/** Programs that share no code: what each consists of. */
const PROGRAMS: readonly RegExp[] = [/^(lib|plugins)\//, /^(simulator|lib\/drivers\/nl43\/spec)\//, /^(cli|client)\//];

/** Names with the files of one program that define them, where these are several. */
export function definedTwice(all: readonly Exported[]): ReadonlyMap<string, readonly string[]> {
  const twice = PROGRAMS.flatMap((program) => {
    const byName = Map.groupBy(
      all.filter(({ path }) => program.test(path)),
      ({ name }) => name,
    );
    return [...byName].filter(([, found]) => found.length > 1);
  });
  return new Map(twice.map(([name, found]) => [name, found.map(({ path }) => path)]));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const all = allExports();
  const bare = all.filter(({ documented }) => !documented);
  for (const [name, paths] of definedTwice(all)) console.log(`${name}: ${paths.join(' ')}`);
  for (const { path, name } of bare) console.log(`${path}: ${name} has no comment`);
  console.log(
    `${all.length} exports, ${definedTwice(all).size} names in several files, ${bare.length} without a comment`,
  );
}
