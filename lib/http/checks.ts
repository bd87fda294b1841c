/**
 * Compiles JSON Schemas into checks of bodies, query parameters and path parameters. The text of a parameter is read as its
 * declared type; in a body only a string of digits is, where an integer is wanted. Messages never repeat the value: it may
 * be a password.
 */
import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { PLAIN_TEXT } from '../domain/fields/field.ts';
import { CHANNEL_PATTERN, isTag, UNIT_ID } from '../domain/ids.ts';
import { isTimeZone } from '../domain/zone.ts';
import { GatewayError, type InputError } from '../errors.ts';
import { nearest } from '../nearest.ts';
import type { Schema } from './contract.ts';

const MOST_ERRORS = 20;

const ajv = new Ajv2020({
  allErrors: true,
  useDefaults: true,
  verbose: true,
  strictRequired: false,
  allowUnionTypes: true,
  // `assertSchema` does it where the schemas are not the gateway's own.
  validateSchema: false,
  // Takes a third of the time of compiling, and the checks are as fast without.
  code: { optimize: false },
});
ajv.addVocabulary(['example', 'x-unit', 'x-secret']);
addFormats.default(ajv);
ajv.addFormat('timezone', isTimeZone);
ajv.addFormat('tag', isTag);

const compiled = new Map<string, ValidateFunction>();

/** Most routes take no query, and many the same parts: equal schemas are compiled once. */
function compile(schema: Schema): ValidateFunction {
  const key = JSON.stringify(schema);
  const validate = compiled.get(key) ?? ajv.compile(schema);
  compiled.set(key, validate);
  return validate;
}

/** Made at the first use: for all routes together, a fourth of a start. */
function late<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

/** Fills in defaults. Throws GatewayError INVALID. */
export type ValueCheck = (value: unknown) => void;

/** A check of bodies by this schema. Unknown fields are refused, defaults are filled in. */
export function compileBody(schema: Schema): ValueCheck {
  const parts = late(() => ({ validate: compile(closed(schema)), readDigits: digitReader(schema) }));
  return (body) => {
    const { validate, readDigits } = parts();
    readDigits?.(body);
    if (!validate(body)) throw invalid(inputErrors(validate));
  };
}

/** The parameters that are known, read as their types, with defaults. Throws GatewayError INVALID. */
export type ReadParameters = (given: Readonly<Record<string, unknown>>) => Record<string, unknown>;

/** Parameters that are not named are left out: callers and proxies may add their own. */
export function compileParameters(parameters: Readonly<Record<string, Schema>>): ReadParameters {
  const names = Object.keys(parameters);
  const parts = late(() => {
    const required = names.filter((name) => parameters[name]?.required === true);
    const properties = Object.fromEntries(
      Object.entries(parameters).map(([name, schema]) => [name, parameterSchema(schema)]),
    );
    return { properties, validate: compile({ type: 'object', properties, required, additionalProperties: false }) };
  });
  return (given) => {
    const known: Record<string, unknown> = {};
    if (names.length === 0) return known;
    const { properties, validate } = parts();
    const repeated = names.filter((name) => Array.isArray(given[name]));
    if (repeated.length > 0)
      throw invalid(repeated.map((name) => ({ path: pointer(name), message: 'is given more than once' })));
    for (const [name, schema] of Object.entries(properties)) {
      const isGiven = Object.hasOwn(given, name) && !(given[name] === '' && parameters[name]?.allowEmptyValue === true);
      if (isGiven) known[name] = typed(given[name], schema.type);
    }
    if (!validate(known)) throw invalid(inputErrors(validate));
    return known;
  };
}

/** Throws when no check can be made of the schema. */
export function assertSchema(schema: Schema): void {
  if (!ajv.validateSchema(schema)) throw new Error(`not a JSON Schema: ${ajv.errorsText(ajv.errors)}`);
  ajv.compile(schema);
}

/** `required` and `allowEmptyValue` are words of OpenAPI for a query parameter, and not part of its schema. */
export function parameterSchema({ required: _, allowEmptyValue: __, ...rest }: Schema): Schema {
  return rest;
}

/** The same schema, with every object that lists its properties refusing others. */
export function closed(schema: Schema): Schema {
  const copy: Record<string, unknown> = { ...schema };
  if (isSchema(schema.items)) copy.items = closed(schema.items);
  if (!isSchema(schema.properties)) return copy;
  const properties = Object.entries(schema.properties);
  copy.properties = Object.fromEntries(properties.map(([name, part]) => [name, isSchema(part) ? closed(part) : part]));
  copy.additionalProperties ??= false;
  return copy;
}

const isSchema = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

type ReadDigits = (value: unknown) => void;

/**
 * Replaces strings of digits with integers where the schema wants an integer and no text, in place. Undefined: no such
 * place.
 */
function digitReader(schema: Schema): ReadDigits | undefined {
  const properties = isSchema(schema.properties) ? Object.entries(schema.properties) : [];
  const readers = properties.flatMap(([name, part]) => {
    const replace = isSchema(part) ? digitsIn(part) : undefined;
    return replace ? [[name, replace] as const] : [];
  });
  const item = isSchema(schema.items) ? digitsIn(schema.items) : undefined;
  if (readers.length === 0 && !item) return undefined;
  return (value) => {
    if (Array.isArray(value)) for (const [index, part] of value.entries()) value[index] = item ? item(part) : part;
    if (!isSchema(value)) return;
    const object = value as Record<string, unknown>;
    for (const [name, replace] of readers) if (Object.hasOwn(object, name)) object[name] = replace(object[name]);
  };
}

function digitsIn(schema: Schema): ((value: unknown) => unknown) | undefined {
  const types = [schema.type].flat();
  if (types.includes('integer') && !types.includes('string')) {
    return (value) => (typeof value === 'string' && /^-?\d{1,15}$/.test(value) ? Number(value) : value);
  }
  const inner = digitReader(schema);
  return (
    inner &&
    ((value) => {
      inner(value);
      return value;
    })
  );
}

/** Text that does not read as the type stays text, and the check complains. */
function typed(text: unknown, type: unknown): unknown {
  if (type === 'integer') return /^-?\d{1,15}$/.test(String(text)) ? Number(text) : text;
  if (type === 'number') return /^-?\d{1,15}(\.\d{1,15})?$/.test(String(text)) ? Number(text) : text;
  if (type === 'boolean') return text === 'true' ? true : text === 'false' ? false : text;
  return text;
}

/** A refusal that names the wrong inputs. */
export function invalid(errors: readonly InputError[]): GatewayError {
  const [first] = errors;
  const more = errors.length > 1 ? ` (and ${errors.length - 1} more)` : '';
  const detail = first ? `${sentence(first)}${more}` : 'The request is not valid';
  return new GatewayError('INVALID', `${detail.replace(/\.$/, '')}.`, { errors });
}

/** `/channel must be one of ...` as the beginning of a sentence; a message that is a sentence already stays as it is. */
const sentence = ({ path, message }: InputError): string =>
  path === '' || /^[A-Z]/.test(message)
    ? message.charAt(0).toUpperCase() + message.slice(1)
    : `The value at ${path} ${message}`;

function inputErrors(validate: ValidateFunction): InputError[] {
  return withoutAlternatives(validate.errors ?? [])
    .slice(0, MOST_ERRORS)
    .map(inputError);
}

/**
 * For a value that matches none of several forms: the fault for the first form. The other forms are ways to leave it
 * out.
 */
function withoutAlternatives(errors: readonly ErrorObject[]): ErrorObject[] {
  const choices = errors.filter(({ keyword }) => keyword === 'anyOf');
  const isLeftOut = (error: ErrorObject): boolean =>
    choices.some(
      ({ instancePath, schemaPath }) =>
        error.instancePath === instancePath &&
        error.schemaPath.startsWith(schemaPath) &&
        !error.schemaPath.startsWith(`${schemaPath}/0/`),
    );
  return errors.filter((error) => !isLeftOut(error));
}

function inputError(error: ErrorObject): InputError {
  const at = error.instancePath;
  switch (error.keyword) {
    case 'additionalProperties':
      return { path: at + pointer(error.params.additionalProperty), message: unknownWords(error) };
    case 'required':
      return { path: at + pointer(error.params.missingProperty), message: 'is required' };
    case 'enum':
      return { path: at, message: `must be one of ${error.params.allowedValues.filter(isWord).join(', ')}` };
    case 'type':
      return {
        path: at,
        message: at === '' ? 'the body must be a JSON object' : `must be ${words(error.params.type)}`,
      };
    case 'format':
      return { path: at, message: FORMS[error.params.format] ?? expected(error) };
    case 'pattern':
      return { path: at, message: SHAPES[error.params.pattern] ?? expected(error) };
    case 'uniqueItems':
      return { path: at, message: 'must not name the same twice' };
    case 'minItems':
      return {
        path: at,
        message: error.params.limit === 1 ? 'must not be empty' : `must have ${error.params.limit} entries or more`,
      };
    default:
      return { path: at, message: error.message?.replace('must NOT', 'must not') ?? 'is wrong' };
  }
}

const FORMS: Readonly<Record<string, string>> = {
  timezone: 'is no time zone; give an IANA name such as Europe/Berlin',
  date: 'is no day of the calendar; write it as 2026-12-25',
};

/** Values that mean "unchanged" (null, an empty text) are not listed as choices. */
const isWord = (value: unknown): boolean => value !== null && value !== '';

function unknownWords({ params, parentSchema }: ErrorObject): string {
  const known = isSchema(parentSchema?.properties) ? Object.keys(parentSchema.properties) : [];
  const meant = nearest(String(params.additionalProperty), known);
  return `is not a known property${meant === undefined ? '' : ` (did you mean ${meant}?)`}`;
}

const TYPES: Readonly<Record<string, string>> = {
  integer: 'a whole number',
  number: 'a number',
  string: 'a text',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
};

const words = (type: unknown): string =>
  [type]
    .flat()
    .map((one) => TYPES[String(one)] ?? String(one))
    .join(' or ');

/** Texts of the patterns that many schemas have. */
const SHAPES: Readonly<Record<string, string>> = {
  [PLAIN_TEXT]: 'must be a text without control characters and marks that turn its direction',
  [UNIT_ID]: 'must be up to 64 letters, digits, . - and _, beginning with a letter or digit',
  [CHANNEL_PATTERN]: 'must be a channel such as main or sub1',
};

/** A pattern means little to a person; the schema's own description means more. */
function expected(error: ErrorObject): string {
  const description = error.parentSchema?.description;
  return typeof description === 'string' ? `must be: ${asPart(description)}` : 'has the wrong form';
}

/** A sentence as the end of another one. A word in capitals stays as it is: `YYYY/MM/DD`. The default does not help here. */
const asPart = (text: string): string =>
  text
    .replace(/\. Default.*$/, '')
    .replace(/\.$/, '')
    .replace(/^[A-Z](?![A-Z])/, (letter) => letter.toLowerCase());

/** A name as a step of a JSON pointer; names come from the caller and may be long. */
const pointer = (name: string): string => `/${name.slice(0, 100).replaceAll('~', '~0').replaceAll('/', '~1')}`;

const HERE: Schema = { description: 'May be here and has no effect: the data of a GET can be sent back.' };

/** A PUT accepts the data of its GET: properties that GET shows and PUT cannot change, for the schema of the body. */
export const readOnly = (names: readonly string[]): Readonly<Record<string, Schema>> =>
  Object.fromEntries(names.map((name) => [name, HERE]));

/**
 * A body without them. The first of them is the id of the thing: it must fit, so that data of another thing is not written here by mistake.
 * Errors: INVALID.
 */
export function settable<Body extends object>(body: Body, names: readonly string[], own: string): Body {
  const given: [string, unknown][] = Object.entries(body);
  const [identity = ''] = names;
  const other = given.some(([name, value]) => name === identity && value !== null && String(value) !== own);
  if (other) throw invalid([{ path: `/${identity}`, message: `must be ${own}, as in the path, or be left out` }]);
  return Object.fromEntries(given.filter(([name]) => !names.includes(name))) as Body;
}
