/**
 * The parts of a form: a table beside the page, or fields as the API describes them (`GET /_alerts/kinds`). The values
 * are those of the API, so a form sends what it holds.
 */
import type { ComponentChildren } from 'preact';
import type { schemas } from '../../client/index.ts';
import { say, sayOfApi } from '../words/say.ts';

/** One field, several in a row, or a list of rows. */
export interface FormPart<Name extends string = string> {
  /** Of the value in the body of the API; problems of this path are shown here. */
  readonly name: Name;
  readonly label?: string;
  /** Default: `choice` with choices, else `text`. */
  readonly type?: PartType | undefined;
  readonly choices?: readonly (readonly [word: string, text: string])[];
  readonly required?: boolean;
  readonly hint?: string | undefined;
  readonly pattern?: string | undefined;
  /** The text for a value that does not fit the pattern. */
  readonly wrong?: string | undefined;
  readonly step?: string;
  readonly min?: number | null;
  readonly max?: number | null;
  readonly autoComplete?: 'username' | 'new-password';
  /** The value of an empty field. Default: an empty text, or no value for a number. */
  readonly empty?: null | undefined;
  /** For a text that people write in another form than the API. */
  readonly written?: Written;
  /** Whether it takes a line of its own. Default: boxes to tick, texts of several lines and rows. */
  readonly isWide?: boolean;
  /** Is folded under `More`. */
  readonly isSeldom?: boolean;
  /** Parts of an object. */
  readonly parts?: AnyParts;
  readonly rows?: FormRows;
  /** A field of another kind. */
  readonly draw?: ComponentChildren;
  /** In place of the change of this value alone. */
  put?(next: unknown): void;
}

/** Parts of these values. A part that does not apply is false. */
export type PartsOf<Values> = readonly (FormPart<keyof Values & string> | false)[];
export type AnyParts = readonly (FormPart | false)[];

type PartType =
  | 'text'
  | 'number'
  | 'date'
  | 'time'
  | 'datetime-local'
  | 'secret'
  | 'lines'
  | 'list'
  | 'switch'
  | 'choice'
  | 'checks';

interface Written {
  print(value: unknown): string;
  parse(text: string): unknown;
}

export interface FormRows {
  /** `remove`: text of the button that removes it. */
  of(row: unknown, index: number): { readonly parts: AnyParts; readonly legend?: string; readonly remove?: string };
  /** Text of the button that adds a row. */
  readonly add?: string;
  /** A new row; `last`: the row before it. */
  fresh?(last: unknown): unknown;
}

/** A choice of numbers. */
export const NUMBERS: Written = { print: String, parse: Number };

/** `day:55, night:40`. The gateway refuses a part that is no number, with its path. */
export const NUMBERS_BY_NAME: Written = {
  print: (values: Readonly<Record<string, number>>) =>
    Object.entries(values)
      .map(([name, number]) => `${name}:${number}`)
      .join(', '),
  parse: (text) =>
    Object.fromEntries(
      wordsIn(text).map((part) => {
        const [name = '', number = ''] = part.split(':').map((each) => each.trim());
        return [name, number === '' ? Number.NaN : Number(number)];
      }),
    ),
};

/** Names that are part of an address. */
export const NAME_PATTERN = String.raw`[A-Za-z0-9][A-Za-z0-9._\-]{0,63}`;

/** The name of a new thing, as a part of its address. */
export const namePart = (label: string, hint: string, wrong?: string): FormPart<'name'> => ({
  name: 'name',
  label,
  required: true,
  hint,
  pattern: NAME_PATTERN,
  wrong,
});

/** How the text of a field becomes its value and back. */
export function writtenOf(part: FormPart): Written {
  const { type, written } = part;
  const isNumber = type === 'number';
  const empty = 'empty' in part ? part.empty : isNumber ? undefined : '';
  const parse = (text: string) => {
    if (isNumber) return Number(text);
    if (type === 'list') return wordsIn(text);
    return type === 'secret' ? text : text.trim();
  };
  return {
    print: (value: unknown) => (Array.isArray(value) ? value.join(', ') : String(value ?? '')),
    parse: (text) => (text.trim() === '' && (type !== 'list' || 'empty' in part) ? empty : parse(text)),
    ...written,
  };
}

/** Parts of a text with commas between. */
const wordsIn = (text: string): readonly string[] =>
  text
    .split(',')
    .map((each) => each.trim())
    .filter((each) => each !== '');

/** The values of the parts alone. */
export const bodyOf = <Values extends object>(parts: PartsOf<Values>, values: Values): Values =>
  Object.fromEntries(parts.flatMap((part) => (part ? [[part.name, values[part.name]]] : []))) as Values;

/** As `GET /_alerts/kinds` describes it. */
type FormField = schemas.FormField;
type AnyField = FormField | schemas.FormChoiceField;
/** A missing value is undefined. */
export type FormValues = Readonly<Record<string, unknown>>;
/** A thing that is to be changed, as the API gives it. */
export type Present = FormValues | undefined;

/** First values of a form: those of the present thing, or the usual values. */
export function firstValues(fields: readonly FormField[], present: Present): FormValues {
  if (present) {
    const own = fields.flatMap(({ choices }) => choices?.flatMap((choice) => choice.fields) ?? []);
    return Object.fromEntries(
      [...own, ...fields].map((field) => [field.name, present[field.name] ?? field.default ?? undefined]),
    );
  }
  const usual: FormValues = Object.fromEntries(fields.map((field) => [field.name, field.usual ?? undefined]));
  return fields.reduce((all, field) => chosen(fields, all, field, all[field.name]), usual);
}

/** The values after a choice: what it asks for is there as usual, and what it does not allow is what it allows. */
function chosen(fields: readonly FormField[], values: FormValues, field: FormField, value: unknown): FormValues {
  const own = field.choices?.find((choice) => choice.value === value)?.fields ?? [];
  const next = own.map(({ name, usual, choices }): [string, unknown] => {
    const isNarrowed = fields.some((other) => other.name === name);
    if (!isNarrowed) return [name, usual ?? undefined];
    const allowed = choices?.map((choice) => choice.value) ?? [];
    const before = values[name];
    return [name, allowed.length === 0 || allowed.includes(String(before)) ? before : allowed[0]];
  });
  return { ...values, ...Object.fromEntries(next), [field.name]: value };
}

/** The fields that apply, with what the present choices add and narrow. */
function applicable(fields: readonly FormField[], values: FormValues): readonly AnyField[] {
  const own = (field: FormField) => field.choices?.find(({ value }) => value === values[field.name])?.fields ?? [];
  const narrowed = fields.flatMap(own);
  return fields.flatMap((field) => [
    narrowed.find(({ name }) => name === field.name) ?? field,
    ...own(field).filter(({ name }) => !fields.some((other) => other.name === name)),
  ]);
}

/** Numbers that keep their distance from another one, until a person enters them. */
export function followed(fields: readonly FormField[], values: FormValues, present: Present): FormValues {
  const moved = fields.flatMap(({ name, follows }): [string, number][] => {
    const [was, ahead, now] = [present?.[name], present?.[follows ?? ''], values[follows ?? '']];
    if (typeof was !== 'number' || typeof ahead !== 'number' || typeof now !== 'number') return [];
    return values[name] === was ? [[name, Number((was + now - ahead).toFixed(2))]] : [];
  });
  return { ...values, ...Object.fromEntries(moved) };
}

/** The parts of a form whose fields the API describes. */
export function describedParts(
  fields: readonly FormField[],
  values: FormValues,
  present: Present,
  change: (values: FormValues) => void,
): readonly FormPart[] {
  return (
    applicable(fields, values)
      // With one choice there is nothing to choose.
      .filter(({ choices }) => choices?.length !== 1)
      .map((field) => {
        const original = fields.find((own) => own.name === field.name);
        const part = described(field, present !== undefined);
        if (!original) return { ...part, isSeldom: false };
        return field.type === 'choice'
          ? { ...part, put: (next) => change(chosen(fields, values, original, next)) }
          : part;
      })
  );
}

function described(field: AnyField, isChange: boolean): FormPart {
  const { name, type, unit, needed, choices, pattern, description, minimum, maximum } = field;
  const label = unit ? `${sayOfApi(field.label)}, ${sayOfApi(unit)}` : sayOfApi(field.label);
  const isKept = type === 'secret' && isChange;
  return {
    name,
    type,
    label: type === 'list' ? say('{label}, with commas between', { label }) : label,
    required: needed && !isKept,
    hint: isKept ? say('as it is') : (field.example ?? (needed ? undefined : hintOf(field))),
    empty: undefined,
    // A number or a switch that has a good value of its own.
    isSeldom: !needed && field.usual === field.default && (type === 'number' || type === 'switch'),
    ...(choices && { choices: choices.map((choice) => [choice.value, sayOfApi(choice.words)] as const) }),
    ...(type === 'number' && { step: 'any', min: minimum, max: maximum }),
    ...(pattern &&
      type !== 'secret' && { pattern, wrong: (description && sayOfApi(description)) ?? say('has a wrong form') }),
  };
}

const hintOf = ({ type, generated, usual, default: preset }: AnyField): string => {
  if (type === 'secret') return generated === null ? say('none ## a secret') : say('is made');
  return String(usual ?? preset ?? '');
};

/** As the API takes it. A secret that nobody entered is made, for a new thing. */
export function describedBody(fields: readonly FormField[], values: FormValues, present: Present): FormValues {
  const moved = followed(fields, values, present);
  return Object.fromEntries(
    applicable(fields, moved).map(({ name, type, generated }) => {
      if (type === 'switch') return [name, moved[name] === true];
      const value = moved[name];
      if (value === undefined && generated !== null && !present) return [name, newSecret(generated)];
      // Secrets of programs are pasted, unlike passwords of people.
      return [name, type === 'secret' && typeof value === 'string' ? value.trim() : value];
    }),
  );
}

function newSecret(prefix: string): string {
  const bytes = crypto.getRandomValues(new Uint8Array(32));
  return `${prefix}${btoa(String.fromCharCode(...bytes))}`;
}
