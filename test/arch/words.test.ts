/** The texts for people in every language: those of the dashboard go through `say`, and every language has words for all texts of dashboard and plugins. */
import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import t from 'tap';
import { LANGUAGES } from '../../lib/words.ts';
import { TARGET_KINDS } from '../../plugins/alerts/delivery/target-kinds.ts';
import { RULE_KINDS } from '../../plugins/alerts/rules/kinds.ts';
import { API_MESSAGES, API_SENTENCES } from '../../plugins/reports/api-sentences.ts';
import { REPORT_TEMPLATES } from '../../plugins/reports/templates.ts';
import { STATE_WORDS } from '../../plugins/session/index.ts';
import { LANGUAGES as PAGE_LANGUAGES, shortOf } from '../../web/words/languages.ts';
import { STANDARD_PRESETS } from '../assessment/profile.ts';
import { pageFiles, pluginTexts, type Said, speechIn } from './said.ts';
import { ROOT, sourceFiles } from './source.ts';

/** Texts that look like words and are none that people read: names of stores, messages between tabs, selectors, commands. */
const NO_WORDS: readonly string[] = [
  'main h1',
  'Control+K',
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

/** Titles and sources of presets that are the same in every language, or may be: names of laws, standards and places. */
const NAMES: readonly string[] = [
  'Code de la santé publique, R1336-7',
  'Environmental Protection and Management (Control of Noise at Construction Sites) Regulations',
  'ISO 20906:2009',
];

const speeches = pageFiles().map(({ path, text }) => ({ path, ...speechIn(path, text) }));
const pageSaid = speeches.flatMap((speech) => speech.said);
const presetSaid = [...STANDARD_PRESETS].flatMap(([name, { title, source, areas }]) =>
  [title, source, ...areas.map((area) => area.title)]
    .filter((text) => !NAMES.includes(text))
    .map((text): Said => ({ text, path: `config/assessments/${name}.json` })),
);
/** Texts of answers that the dashboard shows in its language (`sayOfApi`). */
type FormField = (typeof RULE_KINDS)[number]['fields'][number];
const formTexts = ({ label, unit, choices = [] }: FormField): readonly string[] => [
  label,
  unit ?? '',
  ...choices.flatMap(({ words, fields = [] }) => [words, ...fields.flatMap(formTexts)]),
];
const formSaid = [...RULE_KINDS, ...TARGET_KINDS].flatMap(({ name, title, fields }) =>
  [title, ...fields.flatMap(formTexts)]
    // The others are signs, or names of levels.
    .filter((text) => / |^[A-Z]?[a-z]{3,}$/.test(text) && text !== 'Leq' && text !== 'Lmax' && text !== 'Lpeak')
    .map((text): Said => ({ text, path: `plugins/alerts, the kind ${name}` })),
);
const answerSaid = [...Object.values(STATE_WORDS), ...REPORT_TEMPLATES.map(({ title }) => title)].map(
  (text): Said => ({ text, path: 'an answer of the API' }),
);
const pluginFiles = sourceFiles('plugins');
const folderOf = (path: string) => path.split('/')[1];
/** Other plugins have a `say` that writes into a log or a job. */
const saying = new Set(pluginFiles.flatMap(({ path, text }) => (/\bsayIn\b/.test(text) ? [folderOf(path)] : [])));
const pluginSaid = pluginFiles.flatMap(({ path, text }) => (saying.has(folderOf(path)) ? pluginTexts(path, text) : []));
const said = [...pageSaid, ...pluginSaid, ...presetSaid, ...formSaid, ...answerSaid];
const shown = ({ path, text }: Said): string => `${path}: ${text}`;

const gapsOf = (text: string): string => [...new Set(text.match(/\{\w+\}/g))].toSorted().join(' ');
const OTHERS = LANGUAGES.filter((language) => language !== 'en');
const wordsOf = (language: string): [text: string, words: string][] =>
  Object.entries(JSON.parse(readFileSync(join(ROOT, `config/words/${language}.json`), 'utf8')));

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

t.test('the reader of texts of plugins sees what there is to see', async (t) => {
  const source = `
    const SAID = texts({ met: 'was met', other: ['in a list'] });
    speech.say(isOpen === 'no text' ? 'One {gap}' : other('Other'), { gap: 'Given' });
    wordsFor('de', 'Page');
    other('None');`;
  t.strictSame(
    pluginTexts('plugins/x.ts', source).map(({ text }) => text),
    ['was met', 'in a list', 'One {gap}', 'Other', 'Page'],
  );
});

t.test('a page says its texts when it is drawn, as plain texts', async (t) => {
  t.ok(pageSaid.length > 100, `${pageSaid.length} are seen`);
  t.strictSame(speeches.flatMap(({ wrong }) => wrong).map(shown), []);
});

t.test('what people read goes through say', async (t) => {
  const isWord = ({ text }: Said) => !NO_WORDS.includes(text);
  const bare = speeches.flatMap((speech) => speech.bare);
  t.strictSame(bare.filter(isWord).map(shown), [], 'wrap it in say, or add it to NO_WORDS when nobody reads it');
  const unused = NO_WORDS.filter((word) => !bare.some(({ text }) => text === word));
  t.strictSame(unused, [], 'is in NO_WORDS and in no page');
});

t.test('dashboard and plugins have the same languages, and each has its file', async (t) => {
  t.strictSame(Object.keys(PAGE_LANGUAGES), LANGUAGES);
  const files = globSync('config/words/*', { cwd: ROOT }).map((path) => basename(path));
  t.strictSame(files.toSorted(), OTHERS.map((language) => `${language}.json`).toSorted());
});

t.test('every language has words for every text, and no others', async (t) => {
  t.ok(pluginSaid.length > 200, `${pluginSaid.length} texts of plugins are seen`);
  const needed = new Map(said.map((each) => [each.text, each]));
  for (const language of OTHERS) {
    const known = wordsOf(language).map(([text]) => text);
    const missing = [...needed.values()].filter(({ text }) => !known.includes(text));
    t.strictSame(missing.map(shown), [], `config/words/${language}.json has no words for it`);
    const unused = known.filter((text) => !needed.has(text));
    t.strictSame(unused, [], `config/words/${language}.json: nobody says it`);
    t.strictSame(known, known.toSorted(), `config/words/${language}.json is sorted`);
  }
  t.equal(new Set([...needed.keys()].map(shortOf)).size, needed.size, 'each text has a short name of its own');
});

t.test('the words of a language have the gaps and forms of the English text', async (t) => {
  for (const language of OTHERS) {
    const wrong = wordsOf(language).filter(([text, words]) => {
      const forms = text.includes('|') && language !== 'ja' ? 2 : 1;
      const isCopied = text === words && /\p{L}{3,} \p{L}+ \p{L}/u.test(text);
      const isSpaced = words.trim() !== words || words === '';
      return words.split('|').length !== forms || gapsOf(words) !== gapsOf(text) || isCopied || isSpaced;
    });
    t.strictSame(wrong, [], language);
  }
});

t.test('the sentences that reports translate are those of the API', async (t) => {
  const sources = [...sourceFiles('lib'), ...sourceFiles('plugins')].filter(
    ({ path }) => path !== 'plugins/reports/api-sentences.ts',
  );
  t.ok(API_SENTENCES.length > 20, `${API_SENTENCES.length} are there`);
  for (const sentence of API_SENTENCES) {
    const pieces = sentence.split(/\{\w+\}/).map((piece) => piece.replace(/^[ ,.]+|[ ,.]+$/g, ''));
    t.ok(
      sources.some(({ text }) => pieces.every((piece) => text.includes(piece))),
      sentence,
    );
  }
  for (const message of API_MESSAGES) {
    const pieces = message.split(/\{\w+\}| (?:is|are) |1 rule/).map((piece) => piece.replace(/^[ ,.]+|[ ,.]+$/g, ''));
    // `addNamedRoutes` and `addVersionedRoutes` word the changes of the things whose noun they get.
    const [, noun] = /^The (\w+) \{\w+\} is (?:created|changed|removed)\.$/.exec(message) ?? [];
    t.ok(
      sources.some(({ text }) => pieces.every((piece) => text.includes(piece)) || text.includes(`noun: '${noun}'`)),
      message,
    );
  }
});
