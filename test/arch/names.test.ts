/** Public names: each says what it is, and within a program one name means one thing. `node .ci/names.ts` lists those that do not. */
import t from 'tap';
import { allExports, definedTwice, exportsIn } from '../../.ci/names.ts';
import { sourceFiles } from './source.ts';

/** It is to become smaller: whoever gives some of them a comment writes the new number here. */
const MOST_WITHOUT_COMMENT = 217;
/** Plugins have both: `columns.json` of a table, and `json` of an answer. */
const TWO_NAMESPACES = ['text', 'json'];
/** Private words: nobody who is new knows what they stand for. */
const PRIVATE = /^(Desk|Book|Parcel|Spool|Pace|Means|Told|Asked)$/i;

const all = allExports();

t.test('no more functions and types than before lack a comment directly above', async (t) => {
  const bare = all.filter(({ documented }) => !documented);
  t.ok(all.length > 2_000, 'and the sources are found');
  t.strictSame(
    bare.filter(({ path }) => !path.startsWith('simulator/')).map(({ path, name }) => `${path} ${name}`),
    [],
    'the simulator alone has some',
  );
  t.ok(bare.length <= MOST_WITHOUT_COMMENT, `${bare.length} of ${all.length}; node .ci/names.ts lists them`);
});

t.test('in one program a name is defined once', async (t) => {
  const twice = [...definedTwice(all)].filter(([name]) => !TWO_NAMESPACES.includes(name));
  t.strictSame(twice, []);
});

t.test('no class, type, function or constant has a private word for a name', async (t) => {
  const defined = /^(?:export )?(?:abstract )?(?:async )?(?:class|interface|type|function|const) (\w+)/gm;
  const names = sourceFiles('lib', 'plugins', 'simulator', 'cli', 'client', 'web').flatMap(({ path, text }) =>
    [...text.matchAll(defined)].map(([, name = '']) => ({ path, name })),
  );
  t.ok(names.length > 3_000, 'and the names are found');
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
