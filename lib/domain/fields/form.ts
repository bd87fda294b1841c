/**
 * The fields of a kind of thing that a person makes (a rule, a target, a job), as data. They give the schema and the
 * check of a request, the form of the dashboard and the tables of the docs. So a new kind is written once. Pure.
 */
import { type FieldSchema, named, orNull } from './field.ts';

export interface FormField {
  /** The word of the API: `limit_db`. */
  readonly name: string;
  /** For a person, in front of the value: `Limit`. */
  readonly label: string;
  /** Schema of its value. Fields of one name have one schema, in all kinds. */
  readonly schema: FieldSchema;
  /** For a person, after the value: `dB`. */
  readonly unit?: string;
  /** The thing cannot be made without it. */
  readonly needed?: true;
  readonly default?: string | number | boolean;
  /** Value in a new form, if the field has no default. */
  readonly usual?: string | number | boolean;
  /** The greatest number, if it is less than the schema allows. */
  readonly most?: number;
  readonly example?: string;
  /** A form changes both by the same amount, unless a person enters this one: an end stays below its limit. */
  readonly follows?: string;
  /** A secret that a form makes if a person gives none: this text and the base64 of 32 random bytes. */
  readonly generated?: string;
  /** The usual values, in words. With an `enum` in the schema, no other values are allowed. */
  readonly choices?: readonly FormChoice[];
}

export interface FormChoice {
  readonly value: string;
  readonly words: string;
  /** Fields that exist only with this choice, or are narrowed by it. They have no further fields. */
  readonly fields?: readonly FormField[];
}

/** Choices whose words are their values. */
export const plainChoices = (values: readonly string[]): FormChoice[] =>
  values.map((value) => ({ value, words: value }));

/** `list`: texts, one or more. `secret`: can be set, and is never shown. */
const TYPES = ['choice', 'number', 'text', 'secret', 'switch', 'list'] as const;

const PART: Readonly<Record<string, FieldSchema>> = {
  name: { type: 'string', description: 'The word of the API.' },
  label: { type: 'string' },
  type: { type: 'string', enum: [...TYPES] },
  unit: { type: ['string', 'null'] },
  needed: { type: 'boolean' },
  default: { type: ['string', 'number', 'boolean', 'null'], description: 'The value of a missing field.' },
  usual: { type: ['string', 'number', 'boolean', 'null'], description: 'What a new form shows.' },
  minimum: { type: ['number', 'null'] },
  maximum: { type: ['number', 'null'] },
  pattern: { type: ['string', 'null'] },
  description: { type: ['string', 'null'] },
  example: { type: ['string', 'null'], description: 'An example of a value.' },
  follows: {
    type: ['string', 'null'],
    description:
      'Another number to which this number keeps its distance: a form changes both, unless a person enters this number.',
  },
  generated: {
    type: ['string', 'null'],
    description: 'If a person gives no secret, a form makes one: this text and the base64 of 32 random bytes.',
  },
};
const CHOICE: Readonly<Record<string, FieldSchema>> = {
  value: { type: 'string' },
  words: { type: 'string', description: 'For people.' },
};

export const FORM_FIELD: FieldSchema = named('FormField', {
  ...PART,
  choices: orNull({
    type: 'array',
    items: named('FormChoice', {
      ...CHOICE,
      fields: {
        type: 'array',
        description:
          'Fields that belong to this choice. A field that also exists without the choice is narrowed by it.',
        items: named('FormChoiceField', {
          ...PART,
          choices: orNull({ type: 'array', items: named('FormPlainChoice', CHOICE) }),
        }),
      },
    }),
  }),
});

/** In the form of the API, as `FORM_FIELD` describes it. */
export const shownField = (field: FormField) => ({
  ...partOf(field),
  choices:
    field.choices?.map(({ value, words, fields = [] }) => ({
      value,
      words,
      fields: fields.map((own) => ({
        ...partOf(own),
        choices: own.choices?.map((choice) => ({ value: choice.value, words: choice.words })) ?? null,
      })),
    })) ?? null,
});

function partOf(field: FormField) {
  const { name, label, schema, unit, needed, default: usual, usual: first, most, choices } = field;
  const number = (value: unknown) => (typeof value === 'number' ? value : null);
  const text = (value: unknown) => (typeof value === 'string' ? value : null);
  return {
    name,
    label,
    type: typeOf(schema, choices !== undefined),
    unit: unit ?? null,
    needed: needed === true,
    default: usual ?? null,
    usual: first ?? usual ?? null,
    minimum: number(schema.minimum),
    maximum: most ?? number(schema.maximum),
    pattern: text(schema.pattern),
    description: text(schema.description),
    example: field.example ?? null,
    follows: field.follows ?? null,
    generated: field.generated ?? null,
  };
}

function typeOf({ type, writeOnly }: FieldSchema, isChoice: boolean): (typeof TYPES)[number] {
  if (isChoice) return 'choice';
  if (writeOnly === true) return 'secret';
  if (type === 'number' || type === 'integer') return 'number';
  if (type === 'boolean') return 'switch';
  return type === 'array' ? 'list' : 'text';
}

const withParts = (fields: readonly FormField[]): readonly FormField[] =>
  fields.flatMap((field) => [field, ...(field.choices?.flatMap((choice) => choice.fields ?? []) ?? [])]);

/** The schema of each field by its name, for the body of a request. Throws if one name has two schemas. */
export function formSchemas(kinds: readonly { readonly fields: readonly FormField[] }[]): Record<string, FieldSchema> {
  const schemas: Record<string, FieldSchema> = {};
  for (const { name, schema } of kinds.flatMap(({ fields }) => withParts(fields))) {
    const known = schemas[name];
    if (known && JSON.stringify(known) !== JSON.stringify(schema))
      throw new Error(`the field ${name} has two schemas: kinds that share a name share its schema`);
    schemas[name] = schema;
  }
  return schemas;
}

interface FormProblem {
  readonly path: string;
  readonly message: string;
}

/** Missing fields, fields of another kind, or of another choice. Schemas have checked the types. `things`: `rules`. */
export function formProblems(
  things: string,
  kind: { readonly name: string; readonly fields: readonly FormField[] },
  kinds: readonly { readonly fields: readonly FormField[] }[],
  given: Readonly<Record<string, unknown>>,
): FormProblem[] {
  const at = (name: string, message: string): FormProblem[] => [{ path: `/${name}`, message }];
  const chosen = kind.fields.flatMap((field) => {
    const choice = field.choices?.find(({ value }) => value === given[field.name]);
    return (choice?.fields ?? []).map((own) => ({ own, by: choice?.value ?? '' }));
  });
  const plain = new Set(kind.fields.map(({ name }) => name));
  const applicable = new Set([...plain, ...chosen.map(({ own }) => own.name)]);
  const conditional = new Set(withParts(kind.fields).map(({ name }) => name));
  const foreign = Object.keys(formSchemas(kinds)).filter((name) => given[name] !== undefined && !applicable.has(name));
  const why = (name: string) =>
    conditional.has(name) ? chosenIn(kind.fields, given, name) : `${things} of the kind ${kind.name}`;
  return [
    ...foreign.flatMap((name) => at(name, `is not for ${why(name)}: leave it out`)),
    ...kind.fields.flatMap((field) =>
      field.needed && given[field.name] === undefined
        ? at(field.name, `is needed for ${things} of the kind ${kind.name}`)
        : [],
    ),
    ...chosen.flatMap(({ own, by }) => partProblem(own, given[own.name], by).flatMap((text) => at(own.name, text))),
  ];
}

/** The choice that excludes a field. */
function chosenIn(fields: readonly FormField[], given: Readonly<Record<string, unknown>>, name: string): string {
  const field = fields.find(({ choices }) =>
    choices?.some((choice) => choice.fields?.some((own) => own.name === name)),
  );
  return String(given[field?.name ?? '']);
}

function partProblem({ needed, unit, most, schema, choices }: FormField, value: unknown, by: string): string[] {
  const what = unit === undefined ? (schema.description ? `: ${schema.description}` : '') : `, in ${unit}`;
  if (value === undefined) return needed ? [`is needed for ${by}${what}`] : [];
  if (most !== undefined && Number(value) > most) return [`is in ${unit}: at most ${most}`];
  if (choices && !choices.some((choice) => choice.value === value))
    return [`must be ${choices.map((choice) => choice.value).join(' or ')} for ${by}`];
  return [];
}

/** The given values, with the defaults of the fields that apply. */
export function withDefaults<Given extends object>(fields: readonly FormField[], given: Given): Given {
  const defaults = fields.flatMap(({ name, default: usual }) => (usual === undefined ? [] : [[name, usual] as const]));
  return { ...Object.fromEntries(defaults), ...given };
}
