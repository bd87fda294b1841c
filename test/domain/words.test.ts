/** The words of people's languages: none is missing, and a browser gets the one that it asks for. */
import t from 'tap';
import { filled, LANGUAGES, languageOf, presetText, wordsOf } from '../../lib/domain/words/index.ts';
import { sourceFiles } from '../arch/source.ts';
import { STANDARD_PRESETS } from '../assessment/profile.ts';

/** `share.now: {time}`: each word with the gaps that it has. */
const shapeOf = (catalogue: object): string[] =>
  Object.entries(catalogue).flatMap(([part, words]) =>
    Object.entries<string>(words).map(([name, text]) => {
      const gaps = [...text.matchAll(/\{(\w+)\}/g)].map(([gap]) => gap);
      return `${part}.${name}: ${gaps.sort().join(' ')}`;
    }),
  );

t.test('each language has every word, with the same gaps', async (t) => {
  for (const language of LANGUAGES) {
    t.strictSame(shapeOf(wordsOf(language)), shapeOf(wordsOf('en')), language);
    for (const words of Object.values(wordsOf(language)))
      for (const [name, text] of Object.entries(words)) t.not(text.trim(), '', `${language} ${name}`);
  }
});

t.test('presets have their titles, areas and sources in each language', async (t) => {
  /** Names of laws and standards, the same everywhere. */
  const names = [
    'Code de la santé publique, R1336-7',
    'Environmental Protection and Management (Control of Noise at Construction Sites) Regulations',
    'ISO 20906:2009',
  ];
  const texts = [...STANDARD_PRESETS.values()].flatMap(({ title, source, areas }) => [
    title,
    source,
    ...areas.map((one) => one.title),
  ]);
  for (const language of LANGUAGES) {
    for (const text of new Set(texts)) {
      const isSame = presetText(language, text) === text;
      if (language === 'en' || names.includes(text)) t.ok(isSame, `${language}: ${text}`);
      // Some words are the same in two languages.
      else if (isSame)
        t.ok(['Acceptable', 'Industrial'].includes(text) || text.startsWith('California:'), `${language}: ${text}`);
    }
    t.equal(presetText(language, 'Permit 12/2025'), 'Permit 12/2025', 'what people wrote stays');
    t.equal(presetText(language, 'constructor'), 'constructor');
  }
});

t.test('a browser gets the language that it likes best', async (t) => {
  for (const [header, language] of [
    [undefined, 'en'],
    ['', 'en'],
    ['de-CH, fr;q=0.8', 'de'],
    ['pt, es;q=0.4, ja;q=0.6', 'ja'],
    ['de;q=0, FR', 'fr'],
    ['*', 'en'],
    ['de;q=x', 'en'],
    ['__proto__, constructor', 'en'],
    [`${'x,'.repeat(10_000)}de`, 'en'],
  ] as const)
    t.equal(languageOf(header), language, (header ?? 'no header').slice(0, 40));
});

t.test('gaps are filled, and nothing else', async (t) => {
  t.equal(filled('{count} times since {time}', { count: 3, time: '{count}' }), '3 times since {count}');
});

t.test('the sentences that reports translate are those of the API', async (t) => {
  const sources = [...sourceFiles('lib'), ...sourceFiles('plugins')].filter(({ path }) => !path.includes('/words/'));
  const told = Object.entries(wordsOf('en').report).filter(([name]) => name.startsWith('told_'));
  t.ok(told.length > 20, `${told.length} are there`);
  for (const [name, sentence] of told) {
    const pieces = sentence.split(/\{\w+\}/).map((piece) => piece.replace(/^[ ,.]+|[ ,.]+$/g, ''));
    t.ok(
      sources.some(({ text }) => pieces.every((piece) => text.includes(piece))),
      `${name}: ${sentence}`,
    );
  }
});
