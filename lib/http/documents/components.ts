/** Parts of a document that are written once and referenced elsewhere. A schema with a `title` in one word becomes a component. */
import { ERRORS, type ErrorCode } from '../../errors.ts';
import type { Route, Schema, SocketRoute } from '../contract.ts';
import { hasUnit, takesBody } from '../routes.ts';

type Json = Record<string, unknown>;

type ComponentKind = 'schemas' | 'responses' | 'parameters' | 'messages';

const NAME = /^[A-Z][A-Za-z0-9]*$/;
/** Keywords whose value is a schema, a list of schemas, or an object of schemas. */
const WITHIN = ['items', 'additionalProperties', 'not', 'anyOf', 'oneOf', 'allOf', 'prefixItems'];

/** Of one document, filled while it is written. */
export class Components {
  readonly #kinds = new Map<ComponentKind, Map<string, Json>>();

  /**
   * A reference to the component of this name, which is added if it is missing. If another schema has this name
   * already, returns `content` itself.
   */
  put(kind: ComponentKind, name: string, content: Json): Json {
    const named = this.#kinds.get(kind) ?? new Map<string, Json>();
    this.#kinds.set(kind, named);
    const present = named.get(name);
    if (present && JSON.stringify(present) !== JSON.stringify(content)) return content;
    named.set(name, content);
    return { $ref: `#/components/${kind}/${name}` };
  }

  /** The same schema, with a reference in place of each named part. */
  schema(schema: Schema): Json {
    const whole = this.#parts(schema);
    const { title } = schema;
    return typeof title === 'string' && NAME.test(title) ? this.put('schemas', title, whole) : whole;
  }

  /** As `schema`; a schema without a name gets this name. */
  named(name: string, schema: Schema): Json {
    const title = typeof schema.title === 'string' && NAME.test(schema.title) ? schema.title : name;
    return this.put('schemas', title, this.#parts(schema));
  }

  /** All components, by kind and name. */
  all(): Record<string, Json> {
    const sorted = [...this.#kinds].map(([kind, named]) => {
      const entries = [...named].sort(([one], [other]) => (one < other ? -1 : 1));
      return [kind, Object.fromEntries(entries)] as const;
    });
    return Object.fromEntries(sorted);
  }

  #parts(schema: Schema): Json {
    const copy: Json = { ...schema };
    for (const name of WITHIN) if (name in copy) copy[name] = this.#part(copy[name]);
    if (isSchema(schema.properties)) {
      const properties = Object.entries(schema.properties).map(([name, part]) => [name, this.#part(part)]);
      copy.properties = Object.fromEntries(properties);
    }
    return copy;
  }

  #part(value: unknown): unknown {
    if (Array.isArray(value)) return value.map((each) => this.#part(each));
    return isSchema(value) ? this.schema(value) : value;
  }
}

const isSchema = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const VERBS = { GET: 'get', PUT: 'set', DELETE: 'delete' } as const;

/**
 * Name of an operation for programs, from the words of the path: `getLive`, `setClock`, `createAlertRule`, `ackAlertEvent`.
 * The name of a POST is its last word, which is a verb, or "create" if the route answers 201. A word before another
 * word or a parameter is in the singular.
 */
export function operationId({ operation, method, path, statuses }: Omit<Route, 'handle'>): string {
  if (operation !== undefined) return operation;
  const words = wordsOf(path);
  if (method !== 'POST') return VERBS[method] + words.join('');
  if (statuses?.includes(201)) return `create${[...words.slice(0, -1), singular(words.at(-1) ?? '')].join('')}`;
  return small(words.at(-1) ?? '') + words.slice(0, -1).map(singular).join('');
}

/** `watchLive` for `/{unit_id}/live`. */
export const socketOperationId = ({ operation, path }: Pick<SocketRoute, 'operation' | 'path'>): string =>
  operation ?? `watch${wordsOf(path).join('')}`;

/** `/_alerts/rules/{id}` is Alert, Rule; `/{unit_id}/index-number` is IndexNumber. */
function wordsOf(path: string): string[] {
  const segments = path.split('/').filter((segment) => segment !== '' && segment !== '{unit_id}');
  return segments.flatMap((segment, index) => {
    if (segment.startsWith('{')) return [];
    const word = segment.split(/[-_.]/).map(capital).join('');
    return [index < segments.length - 1 ? singular(word) : word];
  });
}

const capital = (word: string): string => word.slice(0, 1).toUpperCase() + word.slice(1);
const small = (word: string): string => word.slice(0, 1).toLowerCase() + word.slice(1);
/** For words of paths; words such as `status` stay as they are. */
const singular = (word: string): string => word.replace(/ies$/, 'y').replace(/([^su])s$/, '$1');

const NOT_MODIFIED = { description: 'The caller has the same already, as its If-None-Match says' };
const PART = 'One range of the file';

const isGetFile = ({ answer, method }: Route): boolean => answer === 'file' && method === 'GET';

/** The responses below 400, by status. */
export function successes(components: Components, route: Route, id: string, example: unknown): Json {
  const whole = success(components, route, id, example);
  const byStatus = (route.statuses ?? [200]).map((status) => {
    const headers = status === 200 ? {} : { Location: { schema: { type: 'string' } } };
    if (status === 303) return [status, { description: 'Go on at the address in Location', headers }] as const;
    return [status, { ...whole, headers: { ...(whole.headers as Json | undefined), ...headers } }] as const;
  });
  return {
    ...Object.fromEntries(byStatus),
    ...(isGetFile(route) && { 206: { ...whole, description: PART } }),
    ...((route.etag || isGetFile(route)) && { 304: NOT_MODIFIED }),
  };
}

function success(components: Components, route: Route, id: string, example: unknown): Json {
  if (route.answer === 'file') {
    const headers = { 'Content-Disposition': { schema: { type: 'string' } } };
    const content = contents(route.contentTypes ?? ['application/octet-stream'], { type: 'string', format: 'binary' });
    return { description: 'The file', headers, content };
  }
  if (route.answer === 'text') {
    return { description: 'Text', content: contents(route.contentTypes ?? ['text/plain'], { type: 'string' }) };
  }
  const names = Object.keys(route.answer);
  const optional = route.optional ?? [];
  const required = ['status', ...names.filter((name) => !optional.includes(name))];
  const properties = { status: { const: 'ok' }, ...route.answer };
  const schema = { type: 'object', properties, required, additionalProperties: false };
  // An answer that many operations share has one name.
  const name = names.join() === 'message' ? 'Done' : `${id.slice(0, 1).toUpperCase()}${id.slice(1)}Answer`;
  const json = { schema: components.named(name, schema), ...(example !== undefined && { example }) };
  return {
    description: 'Success',
    content: { 'application/json': json, ...contents(route.contentTypes ?? [], { type: 'string' }) },
  };
}

const contents = (types: readonly string[], schema: Schema): Json =>
  Object.fromEntries(types.map((type) => [type, { schema }]));

/** Errors of the middleware, at any path. */
export const AT_ANY_PATH: readonly ErrorCode[] = [
  'MALFORMED_REQUEST',
  'FOREIGN_ORIGIN',
  'REQUEST_TIMEOUT',
  'URI_TOO_LONG',
  'EXPECTATION_FAILED',
  'WRONG_HOST',
  'TOO_MANY_REQUESTS',
  'HEADERS_TOO_LARGE',
  'STOPPING',
  'INTERNAL',
];

/** Errors of every route and socket, from its path and access. */
export function errorsOfAny(route: Pick<Route, 'access' | 'path' | 'params' | 'createsUnit'>): ErrorCode[] {
  return [
    'INVALID',
    ...AT_ANY_PATH,
    ...(route.access === 'public' ? [] : (['UNAUTHENTICATED', 'FORBIDDEN'] as const)),
    ...(hasUnit(route.path) && !route.createsUnit ? (['UNIT_NOT_FOUND'] as const) : []),
    ...(route.params ? (['NOT_FOUND'] as const) : []),
    'PLUGIN_TIMEOUT',
    'STORAGE_FAILED',
  ];
}

/** Errors of this route, besides the errors of every route. */
export function errorsOf(route: Route): ErrorCode[] {
  const body: ErrorCode[] = takesBody(route) ? ['MALFORMED_JSON', 'BODY_TOO_LARGE', 'NOT_JSON'] : [];
  const range: ErrorCode[] = isGetFile(route) ? ['RANGE_NOT_SATISFIABLE'] : [];
  const long: ErrorCode[] = route.cost ? ['BUSY'] : [];
  return [...errorsOfAny(route), ...body, ...range, ...long, ...route.errors];
}

/** One response per status, with its possible codes. `isPage`: browsers get a page. */
export function problems(components: Components, codes: readonly ErrorCode[], isPage = false): Json {
  const byStatus = new Map<number, ErrorCode[]>();
  for (const code of new Set(codes)) {
    const { status } = ERRORS[code];
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  return Object.fromEntries([...byStatus].map(([status, some]) => [status, problemOf(components, some, isPage)]));
}

/** `UnitNotFoundOrFileNotFound`. */
const nameOf = (codes: readonly string[]): string =>
  codes
    .map((code) => code.toLowerCase().replaceAll(/(?:^|_)(.)/g, (_, letter: string) => letter.toUpperCase()))
    .join('Or');

const problemOf = (components: Components, codes: readonly ErrorCode[], isPage: boolean): Json =>
  components.put('responses', `${nameOf(codes)}${isPage ? 'AsPage' : ''}`, {
    description: codes.map((code) => `${code}: ${ERRORS[code].means}`).join('. '),
    content: {
      'application/json': {
        schema: { allOf: [{ $ref: '#/components/schemas/Problem' }, { properties: { code: { enum: codes } } }] },
      },
      ...(isPage && { 'text/html': { schema: { type: 'string' } } }),
    },
  });

/** The schema of every error answer. */
export function problemSchema(): Schema {
  const error = {
    type: 'object',
    properties: { path: { type: 'string' }, message: { type: 'string' } },
    required: ['path', 'message'],
  };
  const code = { enum: Object.keys(ERRORS) };
  const properties = { detail: { type: 'string' }, code, errors: { type: 'array', items: error } };
  return { title: 'Problem', type: 'object', properties, required: ['detail', 'code'], additionalProperties: false };
}
