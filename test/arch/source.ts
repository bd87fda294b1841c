/** The source files and what each imports, read with a lexer of a few lines: enough for the one style this project uses. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('../..', import.meta.url));

export interface Import {
  /** Path from the root for our own files, the name for packages and `node:` modules. */
  readonly target: string;
  /** Types alone: gone when the file runs. */
  readonly typeOnly: boolean;
}

export interface SourceFile {
  readonly text: string;
  /** From the root, `/`-separated. */
  readonly path: string;
  readonly lines: number;
  readonly imports: readonly Import[];
}

export function sourceFiles(...folders: readonly string[]): SourceFile[] {
  return folders.flatMap((folder) => filesBelow(join(ROOT, folder))).map(readSource);
}

function filesBelow(folder: string): string[] {
  return readdirSync(folder).flatMap((name) => {
    const path = join(folder, name);
    if (statSync(path).isDirectory()) return name === 'dist' ? [] : filesBelow(path);
    return /\.(ts|tsx|cjs)$/.test(name) ? [path] : [];
  });
}

function readSource(path: string): SourceFile {
  const text = readFileSync(path, 'utf8');
  const imports = importsIn(text).map(({ specifier, typeOnly }) => ({ target: resolve(path, specifier), typeOnly }));
  return { text, path: relative(ROOT, path), lines: text.trimEnd().split('\n').length, imports };
}

const STATEMENT = /^(?:import|export)\s+(type\s+)?[^;'"]*?\s*from\s*['"]([^'"]+)['"]/gm;
const BARE = /^import\s+['"]([^'"]+)['"]/gm;
const CALL = /\b(?:import|require)\(\s*['"]([^'"]+)['"]\s*\)(\.[A-Z])?/g;

/** `import { type A }` without a leading `type` still loads the module (`verbatimModuleSyntax`), so it is no type import. */
export function importsIn(text: string): { specifier: string; typeOnly: boolean }[] {
  const code = text.replaceAll(/^\s*(\/\*[\s\S]*?\*\/|\/\/.*)$/gm, '');
  const found: { specifier: string; typeOnly: boolean }[] = [];
  for (const [, type, specifier = ''] of code.matchAll(STATEMENT))
    found.push({ specifier, typeOnly: type !== undefined });
  for (const [, specifier = ''] of code.matchAll(BARE)) found.push({ specifier, typeOnly: false });
  // `import('x').Name` is a type.
  for (const [, specifier = '', name] of code.matchAll(CALL)) found.push({ specifier, typeOnly: name !== undefined });
  return found;
}

function resolve(from: string, specifier: string): string {
  return specifier.startsWith('.') ? relative(ROOT, join(dirname(from), specifier)) : specifier;
}

/** The package or the module of Node that is imported. */
export const nameOf = (target: string) => /^(@[^/]+\/[^/]+|node:[^/]+|[^/]+)/.exec(target)?.[1] ?? target;

/** `from -> to` for every import that breaks a rule. */
export const breaking = (
  files: readonly SourceFile[],
  isWrong: (file: SourceFile, target: string, typeOnly: boolean) => boolean,
) =>
  files.flatMap((file) =>
    file.imports
      .filter(({ target, typeOnly }) => isWrong(file, target, typeOnly))
      .map(({ target }) => `${file.path} -> ${target}`),
  );
