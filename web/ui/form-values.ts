/** The values of a form whose fields the API describes (`FormField`): as a person writes them, and as the API takes them. */
import type { schemas } from '../../client/index.ts';

/** As `GET /_alerts/kinds` describes it. */
export type FormField = schemas.FormField;
type ChoiceField = schemas.FormChoiceField;
/** Each field as text: numbers as written, lists with commas, switches as `true` or an empty text. */
export type FormValues = Readonly<Record<string, string>>;
/** A thing that is to be changed, as the API gives it. */
export type Present = Readonly<Record<string, unknown>> | undefined;

const textOf = (value: unknown): string => {
  if (value === false || value === null || value === undefined) return '';
  return Array.isArray(value) ? value.join(', ') : String(value);
};

/** First values of a form: those of the present thing, or the usual values. */
export function firstValues(fields: readonly FormField[], present: Present): FormValues {
  const own = fields.flatMap(({ choices }) => choices?.flatMap((choice) => choice.fields) ?? []);
  // Fields of all choices that are kept have their value from the start. Others get it when a person chooses.
  const kept = own.flatMap(({ name }) =>
    present?.[name] === undefined ? [] : [[name, textOf(present[name])] as const],
  );
  const first = fields.map((field) => {
    const value = present ? (present[field.name] ?? field.default) : field.usual;
    return [field.name, textOf(value)] as const;
  });
  const values = Object.fromEntries([...kept, ...first]);
  return present ? values : fields.reduce((all, field) => chosen(fields, all, field, all[field.name] ?? ''), values);
}

/** The values after a choice: what it asks for is there as usual, and what it does not allow is what it allows. */
export function chosen(
  fields: readonly FormField[],
  values: FormValues,
  { name, choices }: FormField,
  value: string,
): FormValues {
  const own = choices?.find((choice) => choice.value === value)?.fields ?? [];
  const next = own.map((field): [string, string] => {
    const isNarrowed = fields.some((other) => other.name === field.name);
    const before = values[field.name] ?? '';
    if (!isNarrowed) return [field.name, textOf(field.usual)];
    const allowed = field.choices?.map((choice) => choice.value) ?? [];
    return [field.name, allowed.length === 0 || allowed.includes(before) ? before : (allowed[0] ?? '')];
  });
  return { ...values, ...Object.fromEntries(next), [name]: value };
}

/** The fields that apply, with what the present choices add and narrow. */
export function applicable(fields: readonly FormField[], values: FormValues): readonly (FormField | ChoiceField)[] {
  const own = (field: FormField) => field.choices?.find(({ value }) => value === values[field.name])?.fields ?? [];
  const narrowed = fields.flatMap(own);
  return fields.flatMap((field) => [
    narrowed.find(({ name }) => name === field.name) ?? field,
    ...own(field).filter(({ name }) => !fields.some((other) => other.name === name)),
  ]);
}

/** A number that keeps its distance from another one, until a person enters it. */
export function followed(fields: readonly FormField[], values: FormValues, present: Present): FormValues {
  const moved = fields.flatMap(({ name, follows }): [string, string][] => {
    const [was, ahead] = [present?.[name], present?.[follows ?? '']];
    const now = Number(values[follows ?? '']);
    const isTouched = values[name] !== textOf(was);
    if (typeof was !== 'number' || typeof ahead !== 'number' || isTouched || Number.isNaN(now)) return [];
    return [[name, String(Number((was + now - ahead).toFixed(2)))]];
  });
  return { ...values, ...Object.fromEntries(moved) };
}

/** As the API takes it. A secret that nobody entered is made, for a new thing. */
export function bodyOf(fields: readonly FormField[], values: FormValues, present: Present): Record<string, unknown> {
  const moved = followed(fields, values, present);
  return Object.fromEntries(
    applicable(fields, moved).flatMap((field) => {
      const text = (moved[field.name] ?? '').trim();
      if (field.type === 'switch') return [[field.name, text === 'true']];
      if (text === '' && field.generated !== null && !present) return [[field.name, newSecret(field.generated)]];
      return text === '' ? [] : [[field.name, valueFrom(field, text)]];
    }),
  );
}

function valueFrom({ type }: FormField | ChoiceField, text: string): unknown {
  if (type === 'number') return Number(text);
  if (type !== 'list') return text;
  return text
    .split(',')
    .map((each) => each.trim())
    .filter((each) => each !== '');
}

function newSecret(prefix: string): string {
  const bytes = crypto.getRandomValues(new Uint8Array(32));
  return `${prefix}${btoa(String.fromCharCode(...bytes))}`;
}

/** `to 1` of `/to/0`, `rules 3, limit db` of `/rules/2/limit_db`: people count from 1. */
export const pathWords = (path: string): string =>
  path
    .replaceAll(/\/(\d+)(?=\/|$)/g, (_, index: string) => ` ${Number(index) + 1}`)
    .replaceAll('/', ', ')
    .replaceAll('_', ' ')
    .replace(/^[, ]+/, '');
