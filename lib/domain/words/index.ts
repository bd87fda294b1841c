/** The words that people read in their own language, a file for each. `{name}` in a text is filled in. */
import { de } from './de.ts';
import { en, type WordTable } from './en.ts';
import { es } from './es.ts';
import { fr } from './fr.ts';
import { ja } from './ja.ts';
import { presetsDe } from './presets/de.ts';
import { presetsEs } from './presets/es.ts';
import { presetsFr } from './presets/fr.ts';
import { presetsJa } from './presets/ja.ts';

export type { WordTable };

const CATALOGUES = { en, de, fr, es, ja } as const satisfies Record<string, WordTable>;

/** Of a catalogue: `de`. */
export type Language = keyof typeof CATALOGUES;

/** All of them, the usual one first. */
export const LANGUAGES = Object.freeze(Object.keys(CATALOGUES)) as readonly Language[];

/** The words of a language. */
export const wordsOf = (language: Language): WordTable => CATALOGUES[language];

const isLanguage = (word: string): word is Language => Object.hasOwn(CATALOGUES, word);

/** The first of our languages by the weights of a header `Accept-Language` (RFC 9110, 12.5.4); English where there is none. */
export function languageOf(header: string | undefined): Language {
  const wishes = (header ?? '')
    .slice(0, 500)
    .split(',')
    .map((part) => {
      const [range = '', ...parameters] = part.split(';').map((text) => text.trim().toLowerCase());
      const weight = parameters.find((text) => text.startsWith('q='))?.slice(2);
      return { language: range.split('-')[0] ?? '', weight: weight === undefined ? 1 : Number(weight) || 0 };
    });
  const best = wishes.filter(({ weight }) => weight > 0).toSorted((one, other) => other.weight - one.weight);
  return best.map(({ language }) => language).find(isLanguage) ?? 'en';
}

const PRESETS: Readonly<Partial<Record<Language, Readonly<Record<string, string>>>>> = {
  ...{ de: presetsDe, fr: presetsFr, es: presetsEs, ja: presetsJa },
};

/** A title or source of a preset that comes with the gateway. What people wrote themselves stays as it is. */
export function presetText(language: Language, text: string): string {
  const texts = PRESETS[language] ?? {};
  return Object.hasOwn(texts, text) ? (texts[text] ?? text) : text;
}

/** A text with its gaps filled. */
export const filled = (text: string, values: Readonly<Record<string, string | number>>): string =>
  text.replaceAll(/\{(\w+)\}/g, (gap, name: string) => String(values[name] ?? gap));
