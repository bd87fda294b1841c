/** Public names: each says what it is, and one name means one thing. `node .ci/names.ts` lists those that do not. */
import t from 'tap';
import { allExports, definedTwice, exportsIn } from '../../.ci/names.ts';

/** Both are to become fewer. Whoever makes one of them smaller writes the new number here. */
const MOST_WITHOUT_COMMENT = 1_105;
const MOST_DEFINED_TWICE = 163;

const all = allExports();

t.test('no more functions and types than before lack a comment directly above', async (t) => {
  const bare = all.filter(({ documented }) => !documented);
  t.ok(all.length > 2_000, 'and the sources are found');
  t.ok(bare.length <= MOST_WITHOUT_COMMENT, `${bare.length} of ${all.length}; node .ci/names.ts lists them`);
});

t.test('no more names than before are defined in several files', async (t) => {
  const { size } = definedTwice(all);
  t.ok(size <= MOST_DEFINED_TWICE, `${size}; node .ci/names.ts lists them`);
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
    exportsIn('a.ts', text).map(({ name, documented }) => [name, documented]),
    [
      ['said', true],
      ['bare', false],
      ['Thing', true],
      ['flow', false],
    ],
  );
  const twice = definedTwice([...exportsIn('a.ts', text), ...exportsIn('b.ts', 'export const bare = 2;')]);
  t.strictSame([...twice], [['bare', ['a.ts', 'b.ts']]]);
});
