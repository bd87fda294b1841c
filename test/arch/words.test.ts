/** The dashboard in every language: each text goes through `say`, and every language has words for it. */
import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import t from 'tap';
import { LANGUAGES } from '../../web/words/languages.ts';
import { shortOf } from '../../web/words/short.ts';
import { firstFiles, pageFiles, type Said, speechIn } from './said.ts';
import { ROOT } from './source.ts';

/** Texts that look like words and are none that people read: names of stores, messages between tabs, selectors, commands. */
const NO_WORDS: readonly string[] = [
  'main h1',
  'last values',
  'gateway key',
  'signed out',
  'signed in',
  'Lden',
  'Leq',
  'Lmax',
  'Ldn',
  ' dB Leq.',
  'Europe/Berlin',
  'slm-gateway ',
  'slm backup',
  'npm run keys -- person add',
  'npm run keys -- create --name me --role viewer',
  'curl -X POST',
  "-H 'Authorization: Bearer KEY' -H 'Content-Type: application/x-ndjson' -d",
  'mosquitto_pub -h BROKER -t slm/station/',
  // Values of settings of the meter.
  'Measure',
  'Off, 1s, 15m, 1h ...',
  'Manual',
  'Auto',
  'Off',
];

const files = pageFiles();
const first = firstFiles(files);
const speeches = files.map(({ path, text }) => ({ path, ...speechIn(path, text) }));
const said = speeches.flatMap((speech) => speech.said);
const shown = ({ path, text }: Said): string => `${path}: ${text}`;

const gapsOf = (text: string): string => [...new Set(text.match(/\{\w+\}/g))].toSorted().join(' ');
const textsOf = (code: string, isPart: (name: string) => boolean): [text: string, words: string][] =>
  globSync(`web/words/${code}/*.json`, { cwd: ROOT })
    .filter((path) => isPart(basename(path)))
    .flatMap((path): [string, string][] => Object.entries(JSON.parse(readFileSync(join(ROOT, path), 'utf8'))));

t.test('the reader of texts sees what there is to see', async (t) => {
  const source = `
    const EARLY = say('Too early');
    const LOOKS = { look: 'trouble act' };
    export function Part({ name, isOpen }) {
      if (name === 'No word') return say(isOpen ? 'One' : 'Other');
      say('Put together ' + name);
      const more = \`\${name} is away\`;
      return (
        <p class="row end" title="A title">
          bare <b>{say('Sign out {name}', { name: 'Given too' })}</b> {isOpen ? 'open' : 7} dB
          {sayWith('At {place}', { place: <i>there</i> })}
        </p>
      );
    }`;
  const { said, bare, wrong } = speechIn('web/x.tsx', source);
  const texts = (some: readonly Said[]) => some.map(({ text }) => text.trim());
  t.strictSame(texts(said), ['One', 'Other', 'Sign out {name}', 'At {place}']);
  t.strictSame(texts(bare), ['is away', 'A title', 'bare', 'Given too', 'open', 'there']);
  t.strictSame(
    texts(wrong),
    ['Too early', 'say("Put together " + name)'],
    'before the words are there, or no plain text',
  );
});

t.test('a page says its texts when it is drawn, as plain texts', async (t) => {
  t.ok(said.length > 100, `${said.length} are seen`);
  t.strictSame(speeches.flatMap(({ wrong }) => wrong).map(shown), []);
});

t.test('what people read goes through say', async (t) => {
  const isWord = ({ text }: Said) => !NO_WORDS.includes(text);
  const bare = speeches.flatMap((speech) => speech.bare);
  t.strictSame(bare.filter(isWord).map(shown), [], 'wrap it in say, or add it to NO_WORDS when nobody reads it');
  const unused = NO_WORDS.filter((word) => !bare.some(({ text }) => text === word));
  t.strictSame(unused, [], 'stands in NO_WORDS and nowhere else');
});

t.test('every language has words for every text, once', async (t) => {
  const needed = new Set(said.map(({ text }) => text));
  const early = new Set(said.filter(({ path }) => first.has(path)).map(({ text }) => text));
  const where = (text: string) => said.find((each) => each.text === text)?.path;
  for (const code of Object.keys(LANGUAGES).filter((each) => each !== 'en')) {
    const own = textsOf(code, (name) => name === 'first.json').map(([text]) => text);
    const others = textsOf(code, (name) => name !== 'first.json').map(([text]) => text);
    const missing = [...needed].filter((text) => !own.includes(text) && (early.has(text) || !others.includes(text)));
    t.strictSame(
      missing.map((text) => `${where(text)}: ${text}`),
      [],
      `${code}: has no words (of the first view: in first.json)`,
    );
    t.strictSame(
      others.filter((text, at) => own.includes(text) || others.indexOf(text) !== at),
      [],
      `${code}: stands in two tables`,
    );
    t.strictSame(
      [...own.filter((text) => !early.has(text)), ...others.filter((text) => !needed.has(text))],
      [],
      `${code}: is not said (of the first view: not in first.json)`,
    );
  }
  t.equal(new Set([...needed].map(shortOf)).size, needed.size, 'each text has a short name of its own');
});

t.test('the words of a language have the gaps and forms of the English text', async (t) => {
  for (const code of Object.keys(LANGUAGES).filter((each) => each !== 'en')) {
    const texts = textsOf(code, () => true);
    const wrong = texts.filter(([text, words]) => {
      const forms = text.includes('|') && code !== 'ja' ? 2 : 1;
      const isCopied = text === words && /\p{L}{3,} \p{L}+ \p{L}/u.test(text);
      const isSpaced = words.trim() !== words || words === '';
      return words.split('|').length !== forms || gapsOf(words) !== gapsOf(text) || isCopied || isSpaced;
    });
    t.strictSame(wrong, [], code);
  }
});
