/** Schemas of the parts of answers. Imports no other module. */

/** A JSON Schema (2020-12), as data. */
export type FieldSchema = Readonly<Record<string, unknown>>;

type Properties = Readonly<Record<string, FieldSchema>>;

/**
 * Text in one line for people. Control characters are forbidden, because they move a cursor. Marks that turn the
 * direction of all following text (U+202A to U+202E, U+2066 to U+2069) are forbidden, too: with them a name can look
 * like another name. Letters that run from right to left need no marks.
 */
export const PLAIN_TEXT = '^[^\\u0000-\\u001f\\u007f-\\u009f\\u202a-\\u202e\\u2066-\\u2069]*$';

const allBut = (optional: readonly string[], properties: Properties): readonly string[] =>
  Object.keys(properties).filter((name) => !optional.includes(name));

/** An object with exactly these properties; only the optional ones may be missing. */
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
