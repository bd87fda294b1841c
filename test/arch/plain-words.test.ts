/** Texts for people: short sentences with a subject (`npm run words` lists the others). */
import t from 'tap';
import { doubts, doubtsIn } from '../../.ci/words.ts';

/** The most doubtful sentences in each folder. These numbers only go down. */
const MOST: Readonly<Record<string, number>> = {
  'README.md': 0,
  'CHANGELOG.md': 0,
  'CONTRIBUTING.md': 0,
  docs: 19,
  lib: 2,
  plugins: 87,
  simulator: 0,
  cli: 0,
  web: 0,
  client: 0,
  test: 10,
};

const rulesOf = (path: string, text: string) => doubtsIn(path, text).map(({ rule }) => rule);

t.test('a sentence with a subject and a verb is accepted', async (t) => {
  t.strictSame(rulesOf('a.md', 'After a failed read, the member reads the row again before its next request.'), []);
  t.strictSame(rulesOf('a.md', '# Run a meter\n\nWhat happens when the broker is down?'), []);
  t.strictSame(rulesOf('a.ts', "log.info({ code }, 'the meter did not answer within five seconds');"), []);
});

t.test('when a sentence begins with a clause, or leaves out its noun, it is found in every kind of text', async (t) => {
  t.strictSame(rulesOf('a.ts', '// Who could not read it reads one before the next request.'), [
    'a sentence begins with a clause',
  ]);
  t.strictSame(
    rulesOf('a.ts', "t.test('what is no table stays as it is', async () => {});"),
    ['a sentence begins with a clause', '"who is no", "what has none"'].slice(1),
  );
  t.strictSame(rulesOf('a.md', 'The member is told of it by way of the link.'), [
    '"is told", "tells of"',
    '"by way of", "of which", "anew"',
  ]);
  t.strictSame(rulesOf('a.md', '## How the clock is read'), ['a heading is a clause']);
  t.strictSame(rulesOf('a.md', `${'word '.repeat(26)}.`), ['more than 25 words']);
  t.strictSame(rulesOf('a.ts', `/** ${'word '.repeat(21)}. */`), ['more than 20 words']);
});

t.test('no folder gets more doubtful sentences than it had', async (t) => {
  const found = Map.groupBy(doubts(Object.keys(MOST)), ({ path }) => path.split('/')[0] ?? path);
  for (const [place, most] of Object.entries(MOST)) {
    const here = found.get(place) ?? [];
    const lines = here.slice(0, 20).map(({ path, line, rule }) => `${path}:${line} ${rule}`);
    t.ok(here.length <= most, `${place}: ${here.length} of ${most}, \`npm run words -- ${place}\``, { lines });
  }
});
