/**
 * How large the project is, and how it is cut into files: `npm run sizes`. The figures are signs, not aims: a long way to a small
 * feature shows here first. Lines are those of the files that git tracks, without generated ones.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { ROOT, type SourceFile, sourceFiles } from '../test/arch/source.ts';

const PRODUCT = ['lib', 'plugins', 'simulator', 'web', 'cli', 'client'];
/** Made by programs. */
const GENERATED = ['client/schemas.ts'];
/** Subjects that a person asks for, and the places of their files. The first pattern that fits counts. */
const SUBJECTS: readonly (readonly [string, RegExp])[] = [
  ['simulator and demo', /^simulator\//],
  ['dashboard', /^web\/|^plugins\/dashboard/],
  ['command line', /^cli\//],
  ['clients', /^client\//],
  ['standby and sites', /^lib\/(cluster|remote|standby|sites)\/|^lib\/app\/instance|^plugins\/(cluster|sites)/],
  ['PostgreSQL', /postgres/],
  ['sessions with meters', /^lib\/(meter|transport|events|status)\//],
  ['families of meters', /^lib\/drivers\/|^lib\/domain\/quantities/],
  ['files of the card, mirror', /^lib\/files\/|^plugins\/(ftp|mirror)/],
  ['history and indices', /^lib\/history\/|^lib\/domain\/|^plugins\/(history|indices)/],
  ['alerts and delivery', /^plugins\/alerts\/|^lib\/outbound\//],
  ['campaigns', /^plugins\/campaign\//],
  ['reports', /^plugins\/reports?\//],
  ['assessment, notes, calibration, weather', /(assessment|notes|calibration|stations)/],
  ['evidence', /(evidence|seals)/],
  ['access, people, shares', /^lib\/access\/|^plugins\/(people|session|shares)/],
  ['HTTP', /^lib\/http\//],
  ['store', /^lib\/store\//],
  ['SLMM', /^plugins\/slmm\//],
  ['MQTT', /^plugins\/mqtt\//],
  ['the rest of lib', /^lib\//],
  ['the rest of the plugins', /^plugins\//],
];

const quantile = (sorted: readonly number[], q: number) => sorted[Math.round(q * (sorted.length - 1))] ?? 0;
const sum = (files: readonly SourceFile[]) => files.reduce((total, { lines }) => total + lines, 0);
const folderOf = (path: string) => path.slice(0, path.lastIndexOf('/'));

function importersOf(files: readonly SourceFile[]): ReadonlyMap<string, readonly string[]> {
  const importers = new Map<string, string[]>();
  for (const { path, imports } of files)
    for (const target of new Set(imports.map(({ target }) => target)))
      importers.set(target, [...(importers.get(target) ?? []), path]);
  return importers;
}

const EXPORT = /^export (?:abstract )?(?:async )?(?:function\*?|class|interface|type|const) (\w+)/gm;

/** Exports whose name no other file of the product, the tests or the tools has. */
function unusedExports(files: readonly SourceFile[], readers: readonly SourceFile[]): string[] {
  const words = new Map<string, number>();
  for (const { text } of readers)
    for (const word of new Set(text.match(/\w+/g) ?? [])) words.set(word, (words.get(word) ?? 0) + 1);
  return files.flatMap(({ path, text }) =>
    [...text.matchAll(EXPORT)].flatMap(([, name = '']) => ((words.get(name) ?? 0) > 1 ? [] : [`${path} ${name}`])),
  );
}

/** All figures, as rows of a name and a number. */
function sizes() {
  const product = sourceFiles(...PRODUCT).filter(({ path }) => !GENERATED.includes(path));
  const tests = sourceFiles('test');
  const tools = sourceFiles('bench', 'build', 'docs');
  const lines = product.map((file) => file.lines).toSorted((a, b) => a - b);
  const importers = importersOf(product);
  const single = product.filter(({ path }) => importers.get(path)?.length === 1);
  const beside = single.filter(({ path }) => folderOf(importers.get(path)?.[0] ?? '') === folderOf(path));
  const subjects = Map.groupBy(product, ({ path }) => SUBJECTS.find(([, where]) => where.test(path))?.[0] ?? 'others');
  const styles = execFileSync('git', ['ls-files', '*.css', 'client/*.py'], { cwd: ROOT, encoding: 'utf8' });
  const others = styles.split('\n').filter(Boolean);
  const otherLines = others.reduce((all, path) => all + readFileSync(`${ROOT}/${path}`, 'utf8').split('\n').length, 0);
  return {
    rows: [
      ['lines of the product', sum(product)],
      ['lines of style sheets and Python', otherLines],
      ['files of the product', product.length],
      ['median lines of a file', quantile(lines, 0.5)],
      ['P95 of the lines of a file', quantile(lines, 0.95)],
      ['files of at most 40 lines', lines.filter((count) => count <= 40).length],
      ['files with one importer', single.length],
      ['files whose one importer is in the same folder', beside.length],
      ['exports that no other file names', unusedExports(product, [...product, ...tests, ...tools]).length],
      ['lines of lib', sum(product.filter(({ path }) => path.startsWith('lib/')))],
      ['lines of tests', sum(tests)],
      ['files of tests', tests.length],
      ['lines of benchmarks and tools', sum(tools)],
    ] as const,
    subjects: [...subjects].map(([name, files]) => [name, sum(files), files.length] as const),
    unused: unusedExports(product, [...product, ...tests, ...tools]),
    beside: beside.map(({ path, lines: count }) => `${path} (${count}) <- ${importers.get(path)?.[0]}`),
  };
}

if (import.meta.main) {
  const { rows, subjects, unused, beside } = sizes();
  const wide = (count: number) => String(count).padStart(8);
  for (const [name, count] of rows) console.log(`${wide(count)}  ${name}`);
  console.log('\n   lines   files  subject');
  for (const [name, count, files] of subjects.toSorted((a, b) => b[1] - a[1]))
    console.log(`${wide(count)}${wide(files)}  ${name}`);
  if (process.argv.includes('--unused')) console.log(`\n${unused.join('\n')}`);
  if (process.argv.includes('--single')) console.log(`\n${beside.join('\n')}`);
}
