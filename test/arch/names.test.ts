/** Public names: what leaves a folder says what it is, and within a program one name means one thing. `node .ci/names.ts` lists those that do not. */
import t from 'tap';
import { allExports, definedTwice, exportsIn } from '../../.ci/names.ts';
import { sourceFiles } from './source.ts';

/** Plugins have both: `columns.json` of a table, and `json` of an answer. */
const TWO_NAMESPACES = ['text', 'json'];
/** Private words: a newcomer does not know their meaning. */
const PRIVATE = /^(Desk|Book|Parcel|Spool|Pace|Means|Told|Asked)$/i;
const ALL = /^(?:export )?(?:abstract )?(?:async )?(?:class|interface|type|function|const) (\w+)/gm;
/** A test may have a function `asked` for what it asks. */
const TYPES = /^\s*(?:export )?(?:abstract )?(?:class|interface|type) (\w+)/gm;

const all = allExports();

t.test('what leaves a folder, in its index.ts or contract.ts, has a comment directly above', async (t) => {
  for (const program of ['lib/', 'plugins/', 'simulator/', 'cli/', 'client/', 'web/'])
    t.ok(all.filter(({ path }) => path.startsWith(program)).length > 15, `and those of ${program} are found`);
  const bare = all.filter(({ path, documented }) => /(index|contract)\.ts$/.test(path) && !documented);
  t.strictSame(
    bare.map(({ path, name }) => `${path} ${name}`),
    [],
  );
});

t.test('in one program a name is defined once', async (t) => {
  const twice = [...definedTwice(all)].filter(([name]) => !TWO_NAMESPACES.includes(name));
  t.strictSame(twice, []);
});

t.test('no class, type, function or constant has a private word for a name', async (t) => {
  const inTests = sourceFiles('bench', 'build', 'docs', 'test').map((file) => ({ ...file, defined: TYPES }));
  const files = sourceFiles('lib', 'plugins', 'simulator', 'cli', 'client', 'web').map((file) => ({
    ...file,
    defined: ALL,
  }));
  const names = [...files, ...inTests].flatMap(({ path, text, defined }) =>
    [...text.matchAll(defined)].map(([, name = '']) => ({ path, name })),
  );
  t.ok(names.length > 3_500, 'and the names are found');
  t.strictSame(
    names.filter(({ name }) => PRIVATE.test(name)),
    [],
  );
});

t.test('the look at a file sees what it defines', async (t) => {
  const text = [
    '/** Says it. */',
    'export function said(): void {}',
    "export { other } from './other.ts';",
    'export const bare = 1;',
    '/** In several lines,',
    ' * as here. */',
    'export abstract class Thing {}',
    'export async function* flow() {}',
    'const inner = 2;',
  ].join('\n');
  t.strictSame(
    exportsIn('lib/a.ts', text).map(({ name, documented }) => [name, documented]),
    [
      ['said', true],
      ['bare', false],
      ['Thing', true],
      ['flow', false],
    ],
  );
  const twice = definedTwice([
    ...exportsIn('lib/a.ts', text),
    ...exportsIn('plugins/b.ts', 'export const bare = 2;'),
    ...exportsIn('simulator/b.ts', 'export const said = 2;'),
  ]);
  t.strictSame([...twice], [['bare', ['lib/a.ts', 'plugins/b.ts']]]);
});

/** The doc comments above nothing: a blank line, another comment or the end of the file follows. Heads of files are none of them. */
function lostComments(text: string): string[] {
  const last = /\n[ \t]*(\/\*\*(?:(?!\*\/)[\s\S])*\*\/)[ \t]*\n(?=[ \t]*(?:\n|\/\*\*|$))/g;
  const headless = text.replace(/^(?:(?:#!|\/\/).*\n)+/, '');
  return [...headless.matchAll(last)].map(([, comment = '']) => comment);
}

t.test('a doc comment is directly above what it is about', async (t) => {
  const sources = sourceFiles('lib', 'plugins', 'simulator', 'cli', 'client', 'web', 'build', 'bench');
  for (const { path, text } of sources) t.strictSame(lostComments(text), [], path);
  t.strictSame(lostComments('/** The head. */\n\n/** A. */\nconst a = 1;\n/** B. */\n\nconst b = 2;\n/** End. */\n'), [
    '/** B. */',
    '/** End. */',
  ]);
});
