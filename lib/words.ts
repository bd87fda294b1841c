/**
 * Texts for people in their language. The English text is the key: `config/words/de.json` has the German text for it.
 */
import { readFileSync } from 'node:fs';
import { ROOT } from './root.ts';

/** The default is first. */
export const LANGUAGES = Object.freeze(['en', 'de', 'fr', 'es', 'ja'] as const);
/** Code of a language: `de`. */
export type Language = (typeof LANGUAGES)[number];

/** The names in braces: `name` of `Sign out {name}`. */
type GapOf<Text extends string> = Text extends `${string}{${infer Name}}${infer Rest}` ? Name | GapOf<Rest> : never;
type Values<Name extends string> = Readonly<Record<Name, string | number>>;

/**
 * Returns an English text in a language. `say('And {count} more.', { count: 3 })`; a text without a translation stays
 * English.
 */
export type Say = <Text extends string>(
  text: Text,
  ...gaps: [GapOf<Text>] extends [never] ? [] : [values: Values<GapOf<Text>>]
) => string;

type Table = Readonly<Record<string, string>>;
const TABLES = new Map<Language, Table>([['en', {}]]);

/** Read at the first use of the language: a gateway that only English people use has no other words in memory. */
function tableOf(language: Language): Table {
  const known = TABLES.get(language);
  if (known) return known;
  const table: Table = JSON.parse(readFileSync(new URL(`config/words/${language}.json`, ROOT), 'utf8'));
  TABLES.set(language, table);
  return table;
}

/**
 * The text of a language for an English text, still with its gaps. The part after ` ## ` only separates two meanings of
 * one text.
 */
export function wordsFor(language: Language, text: string): string {
  const table = tableOf(language);
  return (Object.hasOwn(table, text) ? table[text] : undefined) ?? text.split(' ## ')[0] ?? '';
}

/** A text with its gaps filled. */
export const filled = (text: string, values: Values<string>): string =>
  text.replaceAll(/\{(\w+)\}/g, (gap, name: string) => String(values[name] ?? gap));

/** Of `{count} day|{count} days` the form for this number; a text with one form is that form. */
const formFor = (language: Language, text: string, count: unknown): string => {
  const forms = text.split('|');
  const isFirst = typeof count !== 'number' || new Intl.PluralRules(language).select(count) === 'one';
  return forms[isFirst ? 0 : forms.length - 1] ?? '';
};

/** Returns the `Say` function of this language. */
export const sayIn =
  (language: Language): Say =>
  (text, ...[values]) => {
    const gaps: Values<string> = values ?? {};
    return filled(formFor(language, wordsFor(language, text), gaps.count), gaps);
  };

/** A number, a time (RFC 3339), a text that all languages have, a sentence, or a list of these. */
type SentenceValue = string | number | Sentence | readonly SentenceValue[];

/** A text of an answer, as programs and people of every language can read it. */
export interface Sentence {
  /** For programs: `level_above`. It stays the same when the words change. */
  readonly code: string;
  /** English, with gaps: its name in `config/words`. Behind `|` the plural, for the value `count`. */
  readonly text: string;
  readonly values: Readonly<Record<string, SentenceValue>>;
}

/** Makes a sentence of a table by its code and the values of its gaps. */
export type SentenceMaker<Table extends Readonly<Record<string, string>>> = <Code extends keyof Table & string>(
  code: Code,
  ...values: [GapOf<Table[Code]>] extends [never] ? [] : [Readonly<Record<GapOf<Table[Code]>, SentenceValue>>]
) => Sentence;

/** With `sentencesOf(texts({ above: 'It is above {limit} dB.' }))` as `sentence`, `sentence('above', { limit: 70 })` is one. */
export const sentencesOf =
  <const Table extends Readonly<Record<string, string>>>(table: Table): SentenceMaker<Table> =>
  (code, ...[values]) => ({ code, text: table[code] ?? '', values: values ?? {} });

const MOMENT = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/;

/** A sentence in a language. `show` writes a time (ms since 1970 UTC); English has times and numbers as they were given. */
export function sentenceIn(language: Language, sentence: Sentence, show: (at: number) => string): string {
  const written = (value: SentenceValue): string => {
    if (typeof value === 'number')
      return language === 'en' ? String(value) : value.toLocaleString(language, { useGrouping: false });
    if (typeof value === 'string')
      return language !== 'en' && MOMENT.test(value) ? show(Date.parse(value.replace(' ', 'T'))) : value;
    return isList(value) ? value.map(written).join(', ') : sentenceIn(language, value, show);
  };
  const { text, values } = sentence;
  const gaps = Object.entries(values).map(([name, value]) => [name, written(value)] as const);
  return filled(formFor(language, wordsFor(language, text), values.count), Object.fromEntries(gaps));
}

const isList = (value: object): value is readonly SentenceValue[] => Array.isArray(value);

/** Texts that `say` gets later, from a list or by a name. `test/arch/words.test.ts` finds them by this call. */
export const texts = <const Texts extends readonly string[] | Readonly<Record<string, string>>>(all: Texts): Texts =>
  all;

const isLanguage = (word: string): word is Language => LANGUAGES.some((language) => language === word);

/** The first of our languages by the weights of a header `Accept-Language` (RFC 9110, 12.5.4); default English. */
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
