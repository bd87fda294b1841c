/** Texts for people in their language. */
import t from 'tap';
import { filled, languageOf, sayIn, wordsFor } from '../lib/words.ts';

t.test('a text is in the language of its reader', async (t) => {
  t.equal(sayIn('de')('{page} of {pages}', { page: 1, pages: 7 }), 'Seite 1 von 7');
  t.equal(sayIn('en')('{page} of {pages}', { page: 1, pages: 7 }), '1 of 7');
  t.equal(sayIn('en')('Place ## of a measurement'), 'Place', 'the part that tells two meanings apart is not shown');
  t.not(sayIn('de')('Place ## of a measurement'), sayIn('de')('Place'));
});

t.test('a text that nobody translated stays as it is', async (t) => {
  for (const text of ['Permit 12/2025', 'constructor', '__proto__', ''])
    for (const language of ['en', 'de', 'ja'] as const) t.equal(wordsFor(language, text), text);
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
