/**
 * The languages of the dashboard, which of them a page has, and how it writes numbers and dates. Pure: the service worker and
 * the build read it, too.
 */

/** The languages by their codes, each with its own name. English is the language of the sources. */
export const LANGUAGES = { en: 'English', de: 'Deutsch', fr: 'Français', es: 'Español', ja: '日本語' } as const;
type Language = keyof typeof LANGUAGES;

const isLanguage = (word: string): word is Language => Object.hasOwn(LANGUAGES, word);
const codeOf = (locale: string): string => locale.toLowerCase().split('-')[0] ?? '';

/**
 * The choice of the person, then the wishes of the browser in their order (`de-AT`). Without a language of ours: English.
 * Pure.
 */
export function languageFor(chosen: string | null, asked: readonly string[]): Language {
  if (chosen !== null && isLanguage(chosen)) return chosen;
  return asked.map(codeOf).find(isLanguage) ?? 'en';
}

/**
 * The locales for numbers and dates: the language in the region of the first wish of the browser. English in Germany has a
 * clock of 24 hours, although browsers there also ask for American English. For a browser that asks for none of our
 * languages, its own. Pure.
 */
export function localesFor(language: Language, chosen: string | null, asked: readonly string[]): readonly string[] {
  const own = asked.filter((locale) => codeOf(locale) === language);
  const [first] = asked;
  if (first === undefined || codeOf(first) === language) return own;
  if (own.length === 0 && chosen === null) return asked;
  return [`${language}-${new Intl.Locale(first).maximize().region}`, ...own];
}

/** As the tables have it on their way to the browser, so that they do not carry the English texts: 32 bits (FNV-1a) in base 36. */
export function shortOf(text: string): string {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return (hash >>> 0).toString(36);
}
