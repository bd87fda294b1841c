/**
 * Every text that people read on the page goes through `say`. Its English words are its name: the other languages (`config/words/de.json`) have
 * their words under them. CONTRIBUTING.md has the rules.
 */
import { LOCALES, language } from './language.ts';
import { shortOf } from './languages.ts';

/** The names in braces: `name` of `Sign out {name}`. */
type GapOf<Text extends string> = Text extends `${string}{${infer Name}}${infer Rest}` ? Name | GapOf<Rest> : never;
/** A text with two forms, `{count} meter|{count} meters`, needs the number that decides. */
type Deciding<Text extends string> = Text extends `${string}|${string}` ? { readonly count: number } : unknown;
type Gaps<Text extends string, Value> = [GapOf<Text>] extends [never]
  ? []
  : [gaps: { readonly [Name in GapOf<Text>]: Value } & Deciding<Text>];

/** What Preact shows: text, elements, or nothing. */
type Part = object | string | number | boolean | null | undefined;

/** A sentence of the API, with a named group for each gap, and its words. */
interface Sentence {
  readonly pattern: RegExp;
  readonly said: string;
}
let sentences: readonly Sentence[] = [];
let words: Readonly<Record<string, string>> = {};
const PLURAL = new Intl.PluralRules(language);
const WHOLE = new Intl.NumberFormat(LOCALES, { maximumFractionDigits: 0 });

/** Adds a table: texts of the page's language by the short names of the English ones. */
export function addWords(table: Readonly<Record<string, string>>): void {
  words = { ...words, ...table };
  // Short names have no dot at their end.
  sentences = Object.entries(words).flatMap(([text, said]) =>
    text.endsWith('.') ? [{ pattern: patternOf(text), said }] : [],
  );
}

/** A gap at the beginning has a list of words, or per cent; one within also a name with spaces, up to the end of the sentence. */
const FIRST_GAP = '(?<$1>(?:\\S+, )*\\S+?(?: %)?)';
const GAP = '(?<$1>(?:[^.]|\\.(?=\\S))+?)';
const patternOf = (sentence: string): RegExp =>
  new RegExp(
    sentence
      .replaceAll(/[.`()]/g, '\\$&')
      .replace(/^\{(\w+)\}/, FIRST_GAP)
      .replaceAll(/(?<!<)\{(\w+)\}/g, GAP),
    'g',
  );

/** The words of a text in the page's language, still with its gaps. The part behind ` ## ` tells translators the meaning. */
function formOf(text: string, count: unknown): string {
  const forms = (words[shortOf(text)] ?? words[text] ?? text.split(' ## ')[0] ?? '').split('|');
  return forms[typeof count !== 'number' || PLURAL.select(count) === 'one' ? 0 : forms.length - 1] ?? '';
}
const shown = (value: Part): Part => (typeof value === 'number' ? WHOLE.format(value) : value);

/** `say('Sign out {name}', { name })`. Numbers are whole ones and written as people of the locale do; write others before (`decibels`). */
export function say<Text extends string>(text: Text, ...[gaps]: Gaps<Text, string | number>): string {
  const values: Readonly<Record<string, string | number>> = gaps ?? {};
  return formOf(text, values.count).replaceAll(/\{(\w+)\}/g, (gap, name: string) => String(shown(values[name] ?? gap)));
}

/** The API has its texts in English: a label, a title, or sentences. One without words in this language stays as it is. */
export function sayOfApi(text: string | null): string {
  if (text === null) return '';
  const exact = words[shortOf(text)];
  if (exact !== undefined) return exact;
  return sentences.reduce(
    (sofar, { pattern, said }) =>
      sofar.replaceAll(pattern, (...found) => {
        const gaps: Readonly<Record<string, string>> = found.at(-1) ?? {};
        return said.replaceAll(/\{(\w+)\}/g, (gap, name: string) => valueOfApi(gaps[name] ?? gap));
      }),
    text,
  );
}

/** A text of an answer with its code and values (`Sentence` of the API). */
export interface SentenceOfApi {
  readonly text: string;
  readonly values: Readonly<Record<string, unknown>>;
}

const MOMENT = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/;
const isSentence = (value: unknown): value is SentenceOfApi =>
  typeof value === 'object' && value !== null && 'text' in value && 'values' in value;

/** In the language of the page. `show` writes a time (RFC 3339). */
export function saySentence({ text, values }: SentenceOfApi, show: (at: string) => string): string {
  const written = (value: unknown): string => {
    if (typeof value === 'number') return value.toLocaleString(LOCALES);
    if (Array.isArray(value)) return listOf(value.map(written));
    if (isSentence(value)) return saySentence(value, show);
    return MOMENT.test(String(value)) ? show(String(value).replace(' ', 'T')) : String(value);
  };
  return formOf(text, values.count).replaceAll(/\{(\w+)\}/g, (gap, name: string) =>
    name in values ? written(values[name]) : gap,
  );
}

/** `25 %`, or the name of a part of the day. */
function valueOfApi(text: string): string {
  const [number, rest] = [Number.parseFloat(text), text.replace(/^-?\d+(\.\d+)?/, '')];
  return /^( %)?$/.test(rest) ? `${number.toLocaleString(LOCALES)}${rest}` : (words[shortOf(text)] ?? text);
}

/** The same with elements in the gaps: `sayWith('Nothing is at {address}.', { address: <code>{path}</code> })`. */
export function sayWith<Text extends string>(text: Text, ...[gaps]: Gaps<Text, Part>): readonly Part[] {
  const values: Readonly<Record<string, Part>> = gaps ?? {};
  const parts = formOf(text, values.count).split(/\{(\w+)\}/);
  return parts.map((part, index) => (index % 2 === 0 ? part : shown(values[part])));
}

export const listOf = (parts: readonly string[]): string => parts.join(language === 'ja' ? '、' : ', ');
