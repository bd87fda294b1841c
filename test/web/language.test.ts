/** Which language a page has, and how it writes numbers and dates then. */
import t from 'tap';
import { languageFor, localesFor } from '../../web/words/languages.ts';

t.test('the language is the chosen one, or the first of ours that the browser asks for', async (t) => {
  t.equal(languageFor(null, ['de-AT', 'en']), 'de');
  t.equal(languageFor(null, ['nl', 'ja', 'de']), 'ja', 'not in every browser the first is one of ours');
  t.equal(languageFor('fr', ['de']), 'fr');
  t.equal(languageFor('tlh', ['ES-mx']), 'es', 'what an older or newer page has kept counts only if it is one of ours');
  t.equal(languageFor('toString', []), 'en');
  t.equal(languageFor(null, ['pt-BR']), 'en');
});

t.test('numbers and dates follow the language, in the region of the browser', async (t) => {
  t.strictSame(localesFor('de', null, ['de-AT', 'de', 'en-GB']), ['de-AT', 'de']);
  t.equal(localesFor('de', 'de', ['en-GB', 'de-AT', 'de'])[0], 'de-GB');
  t.equal(localesFor('en', 'en', ['de-DE', 'de', 'en-US', 'en'])[0], 'en-DE', 'as Chrome asks in Germany');
  t.equal(localesFor('en', null, ['nl-NL', 'nl', 'en-US', 'en'])[0], 'en-NL');
  t.strictSame(localesFor('en', 'en', ['de-DE', 'de']), ['en-DE'], 'chosen in Germany: a clock of 24 hours');
  t.strictSame(localesFor('ja', 'ja', ['en']), ['ja-US']);
  t.strictSame(localesFor('en', null, ['pt-BR']), ['pt-BR'], 'none of ours: as the browser has it');
  t.strictSame(localesFor('de', 'de', []), []);
  t.equal(
    new Date(Date.UTC(2026, 10, 21, 14, 5)).toLocaleTimeString('en-DE', { timeZone: 'UTC' }).slice(0, 5),
    '14:05',
  );
});
