/**
 * The parts of a field of a stored record. One table of fields gives the column of the database,
 * the type in the code, the JSON schema and the answer. So a new field is one line.
 */

/** A JSON Schema (2020-12), as data. */
export type FieldSchema = Readonly<Record<string, unknown>>;

type Properties = Readonly<Record<string, FieldSchema>>;

/**
 * No control characters, which move a cursor, and no marks that turn the direction of the text (U+202A to U+202E,
 * U+2066 to U+2069): with them a name can look like another name. Letters from right to left need no marks.
 */
export const PLAIN_TEXT = '^[^\\u0000-\\u001f\\u007f-\\u009f\\u202a-\\u202e\\u2066-\\u2069]*$';
/** The same in several lines. */
export const PLAIN_LINES = PLAIN_TEXT.replace('\\u0000-\\u001f', '\\u0000-\\u0009\\u000b-\\u001f');

const allBut = (optional: readonly string[], properties: Properties): readonly string[] =>
  Object.keys(properties).filter((name) => !optional.includes(name));

export const whole = (
  properties: Properties,
  more: FieldSchema = {},
  optional: readonly string[] = [],
): FieldSchema => ({
  type: 'object',
  properties,
  required: allBut(optional, properties),
  additionalProperties: false,
  ...more,
});

/** The same with a name in one word: of a component of the OpenAPI document, and of a type of the client. */
export const named = (title: string, properties: Properties, optional: readonly string[] = []): FieldSchema => ({
  title,
  ...whole(properties, {}, optional),
});

/** The same, but other schemas may add properties. */
export const base = (title: string, properties: Properties, optional: readonly string[] = []): FieldSchema => ({
  title,
  type: 'object',
  properties,
  required: allBut(optional, properties),
});

/** A named schema with all properties of a base, and these. */
export const extending = (of: FieldSchema, title: string, properties: Properties): FieldSchema => ({
  title,
  type: 'object',
  allOf: [of],
  properties,
  required: Object.keys(properties),
  unevaluatedProperties: false,
});

/** The same schema, with null allowed. A named schema keeps its meaning everywhere. */
export function orNull(schema: FieldSchema): FieldSchema {
  if (schema.title) return { anyOf: [schema, { type: 'null' }] };
  const types = [schema.type].flat();
  const words = Array.isArray(schema.enum) ? { enum: [...schema.enum, null] } : {};
  return { ...schema, ...words, type: [...types, 'null'] };
}

/** Times are in UTC, ISO 8601. */
export const TIME: FieldSchema = { type: 'string', format: 'date-time' };
/** RFC 3339 in UTC, or null. */
export const TIME_OR_NULL = orNull(TIME);

/** A frequency and a time weighting. */
export const WEIGHTING = named('Weighting', {
  frequency: { type: 'string', enum: ['A', 'C', 'Z'] },
  time: { type: 'string', enum: ['F', 'S', 'I'] },
});

export interface Field<Value = unknown> {
  readonly column: 'text' | 'integer' | 'real' | 'boolean' | 'json';
  /** Schema of the value in the API; `nullable` decides whether it may be null. */
  readonly schema: FieldSchema;
  readonly fresh: Value;
  /** The column may be null. Null in a row that is older than the field is read as `fresh`. */
  readonly nullable?: true;
  /** The value for rows of an older release, if it is not `fresh`: the default of the column. */
  readonly older?: string | number | boolean;
  /** Name in the API, if it is not the name here in snake case. */
  readonly shownAs?: string;
  /** `secret`: encrypted on the disk; can be set, but is never shown. `hidden`: not in the API. */
  readonly kept?: 'secret' | 'hidden';
  /** In a change the empty string removes the value. */
  readonly removable?: true;
  readonly parts?: Fields;
  /** The field has no column of its own: it is part of this JSON column. */
  readonly within?: 'levels';
}

export type Fields = Readonly<Record<string, Field>>;

export type RecordOf<Table extends Fields> = {
  readonly [Name in keyof Table]: Table[Name] extends Field<infer Value> ? Value : never;
};

/** A field of one type; `fresh` and `Value` decide the type of its value. */
export const field = <Value>(given: Field<Value>): Field<Value> => given;

/** `tcpPort` -> `tcp_port`. */
export const snakeCase = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

const apiName = (name: string, { shownAs }: Field): string => shownAs ?? snakeCase(name);

export const freshRecord = <Table extends Fields>(table: Table): RecordOf<Table> =>
  Object.freeze(Object.fromEntries(Object.entries(table).map(([name, { fresh }]) => [name, fresh]))) as RecordOf<Table>;

export function shownSchemas(table: Fields): Readonly<Record<string, FieldSchema>> {
  const shown = Object.entries(table).filter(([, { kept }]) => kept === undefined);
  return Object.fromEntries(shown.map(([name, one]) => [apiName(name, one), answerSchema(one)]));
}

function answerSchema({ schema, parts, fresh }: Field): FieldSchema {
  if (!parts) return fresh === null ? orNull(schema) : schema;
  return { ...whole(shownSchemas(parts)), ...schema };
}

export function shownRecord(table: Fields, record: object): Record<string, unknown> {
  const values = record as Readonly<Record<string, unknown>>;
  const shown: Record<string, unknown> = {};
  for (const [name, inApi, one] of shownFields(table)) shown[inApi] = shownValue(one, values[name]);
  return shown;
}

type ShownField = readonly [name: string, inApi: string, field: Field];

/** Kept for each table, because records are shown often. */
const shownOf = new WeakMap<Fields, readonly ShownField[]>();

function shownFields(table: Fields): readonly ShownField[] {
  const known = shownOf.get(table);
  if (known) return known;
  const entries = Object.entries(table).filter(([, { kept }]) => kept === undefined);
  const shown = entries.map(([name, one]): ShownField => [name, apiName(name, one), one]);
  shownOf.set(table, shown);
  return shown;
}

function shownValue({ parts, column, schema }: Field, value: unknown): unknown {
  if (parts && isRecord(value)) return shownRecord(parts, value);
  // A time is kept as ms since 1970 and shown as ISO 8601 in UTC.
  const isTime = column === 'integer' && schema.format === 'date-time' && typeof value === 'number';
  return isTime ? new Date(value).toISOString() : value;
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The schema of a change: every field may be left out, and null means the same. */
export function changeSchemas(table: Fields): Readonly<Record<string, FieldSchema>> {
  const entries = Object.entries(table).filter(([, { kept }]) => kept !== 'hidden');
  return Object.fromEntries(entries.map(([name, one]) => [apiName(name, one), changeSchema(one)]));
}

function changeSchema({ schema: plain, parts, removable, kept, fresh }: Field): FieldSchema {
  const schema = withDefault(plain, fresh);
  const secret = kept === 'secret' ? { writeOnly: true } : {};
  if (parts)
    return orNull({ ...schema, type: 'object', properties: changeSchemas(parts), additionalProperties: false });
  // A text without a format may be empty.
  if (!removable || (schema.type === 'string' && schema.format === undefined)) return { ...orNull(schema), ...secret };
  const { type, description, ...limits } = schema;
  return { description, anyOf: [{ type, ...limits }, { const: '' }, { type: 'null' }] };
}

/** In words: a `default` of the schema would be filled in, but a field that is left out keeps its value. */
function withDefault(schema: FieldSchema, fresh: unknown): FieldSchema {
  if (fresh === null || fresh === '' || typeof fresh === 'object') return schema;
  const words = typeof schema.description === 'string' ? `${schema.description.replace(/\.$/, '')}. ` : '';
  return { ...schema, description: `${words}Default ${fresh}.` };
}

/** Missing fields and null stay. The empty string removes a removable value: it is then as in a new record. */
export function changedRecord<Table extends Fields>(
  table: Table,
  base: RecordOf<Table>,
  change: Readonly<Record<string, unknown>>,
  fresh: RecordOf<Table> = freshRecord(table),
): RecordOf<Table> {
  const entries = Object.entries(table).map(([name, one]) => {
    const key = name as keyof Table;
    return [name, changedValue(one, base[key], change[apiName(name, one)], fresh[key])];
  });
  return Object.fromEntries(entries) as RecordOf<Table>;
}

function changedValue({ parts, removable }: Field, before: unknown, given: unknown, fresh: unknown): unknown {
  if (given === undefined || given === null) return before;
  if (parts && isRecord(given)) return changedRecord(parts, isRecord(before) ? before : freshRecord(parts), given);
  return removable && given === '' ? fresh : given;
}

export interface Table<Row> {
  readonly name: string;
  /** The fields that tell one row from the others. */
  readonly key: readonly (keyof Row & string)[];
  readonly fields: Fields;
}

/** `name`: that of the plugin, or with `_` and more. Migrations of the plugin make the table. */
export function defineTable<Given extends Fields>(
  name: string,
  key: readonly (keyof Given & string)[],
  fields: Given,
): Table<RecordOf<Given>> {
  return { name, key, fields };
}
