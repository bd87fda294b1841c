/**
 * Compiles JSON Schemas into checks of bodies and query parameters. A body is taken as it is; the text of a query
 * parameter is read as its declared type. Messages never repeat the value: it may be a password.
 */
import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { GatewayError, type InputError } from '../errors.ts';
import type { Schema } from './contract.ts';

const MOST_ERRORS = 20;

const ajv = new Ajv2020({
  allErrors: true,
  useDefaults: true,
  verbose: true,
  strictRequired: false,
  allowUnionTypes: true,
});
ajv.addVocabulary(['example', 'x-unit', 'x-secret']);
addFormats.default(ajv);

const compiled = new Map<string, ValidateFunction>();

/** Most routes take no query, and many the same parts: equal schemas are compiled once. */
function compile(schema: Schema): ValidateFunction {
  const key = JSON.stringify(schema);
  const validate = compiled.get(key) ?? ajv.compile(schema);
  compiled.set(key, validate);
  return validate;
}

/** Fills in defaults. Throws GatewayError INVALID. */
export type Check<T> = (value: T) => void;

export function compileBody(schema: Schema): Check<unknown> {
  const validate = compile(closed(schema));
  return (body) => {
    if (!validate(body)) throw invalid(inputErrors(validate));
  };
}

export function compileQuery(parameters: Readonly<Record<string, Schema>>): Check<Record<string, unknown>> {
  const required = Object.keys(parameters).filter((name) => parameters[name]?.required === true);
  const properties = Object.fromEntries(
    Object.entries(parameters).map(([name, schema]) => [name, parameterSchema(schema)]),
  );
  const validate = compile({ type: 'object', properties, required, additionalProperties: false });
  return (query) => {
    const repeated = Object.keys(query).filter((name) => Array.isArray(query[name]));
    if (repeated.length > 0)
      throw invalid(repeated.map((name) => ({ path: pointer(name), message: 'given more than once' })));
    for (const [name, schema] of Object.entries(properties)) {
      if (typeof query[name] === 'string') query[name] = typed(query[name], schema.type);
    }
    if (!validate(query)) throw invalid(inputErrors(validate, 'query parameter'));
  };
}

/** Throws when the schema is not a schema. */
export function assertSchema(schema: Schema): void {
  if (!ajv.validateSchema(schema)) throw new Error(`not a JSON Schema: ${ajv.errorsText(ajv.errors)}`);
}

/** `required: true` marks a query parameter as in OpenAPI; in a schema the word means something else. */
export function parameterSchema(schema: Schema): Schema {
  const { required: _, ...rest } = schema;
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

/** Text that does not read as the type stays text, and the check complains. */
function typed(text: unknown, type: unknown): unknown {
  if (type === 'integer') return /^-?\d{1,15}$/.test(String(text)) ? Number(text) : text;
  if (type === 'number') return /^-?\d{1,15}(\.\d{1,15})?$/.test(String(text)) ? Number(text) : text;
  if (type === 'boolean') return text === 'true' ? true : text === 'false' ? false : text;
  return text;
}

/** A refusal that says which inputs are wrong. */
export function invalid(errors: readonly InputError[]): GatewayError {
  const [first] = errors;
  const more = errors.length > 1 ? ` (and ${errors.length - 1} more)` : '';
  const detail = first ? `${[first.path, first.message].filter(Boolean).join(' ')}${more}` : 'the request is not valid';
  return new GatewayError('INVALID', detail, { errors });
}

function inputErrors(validate: ValidateFunction, kind = 'property'): InputError[] {
  return (validate.errors ?? []).slice(0, MOST_ERRORS).map((error) => inputError(error, kind));
}

function inputError(error: ErrorObject, kind: string): InputError {
  const at = error.instancePath;
  switch (error.keyword) {
    case 'additionalProperties':
      return { path: at + pointer(error.params.additionalProperty), message: `is not a known ${kind}` };
    case 'required':
      return { path: at + pointer(error.params.missingProperty), message: 'is required' };
    case 'enum':
      return { path: at, message: `must be one of ${error.params.allowedValues.join(', ')}` };
    case 'type':
      return {
        path: at,
        message: at === '' ? 'the body must be a JSON object' : `must be ${words(error.params.type)}`,
      };
    case 'pattern':
    case 'format':
      return { path: at, message: expected(error) };
    default:
      return { path: at, message: error.message ?? 'is wrong' };
  }
}

const words = (type: unknown): string => (type === 'integer' ? 'a whole number' : `of type ${String(type)}`);

/** A pattern says little to a person; the schema's own description says more. */
function expected(error: ErrorObject): string {
  const description = error.parentSchema?.description;
  return typeof description === 'string' ? `must be: ${description}` : (error.message ?? 'has the wrong form');
}

/** A name as a step of a JSON pointer; names come from the caller and may be long. */
const pointer = (name: string): string => `/${name.slice(0, 100).replaceAll('~', '~0').replaceAll('/', '~1')}`;
