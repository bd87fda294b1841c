/** A cast over `unknown`, `never` or `any` hides a forgotten kind, quantity or field from the compiler. */
import t from 'tap';
import { sourceFiles } from './source.ts';

const FOLDERS = ['lib', 'plugins', 'cli', 'web', 'client', 'simulator', 'build', 'docs', 'bench', 'test'];
const CAST = /\bas (unknown as|never\b|any\b)/;

/** Words of a text are no cast. */
const QUOTED = /'[^'\n]*'/g;

t.test('no value is cast to a type that it need not have', async (t) => {
  const found = sourceFiles(...FOLDERS).flatMap(({ path, text }) =>
    text
      .replaceAll(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, (comment) => comment.replaceAll(/[^\n]/g, ''))
      .split('\n')
      .flatMap((line, index) => (CAST.test(line.replaceAll(QUOTED, '')) ? [`${path}:${index + 1}`] : [])),
  );
  t.strictSame(found, []);
});

t.test('the search finds a cast where there is one', async (t) => {
  t.match('(body as unknown as Rule)', CAST);
  t.match('events as never)', CAST);
  t.notMatch('as nevertheless', CAST);
});

t.test('object literals are written out: none is spread inside another literal', async (t) => {
  const found = sourceFiles(...FOLDERS).flatMap(({ path, text }) =>
    text.split('\n').flatMap((line, at) => (/(?:^\s*|[{,] )\.\.\.\{/.test(line) ? [`${path}:${at + 1}`] : [])),
  );
  t.strictSame(found, []);
});
