/** Answers of an operation in OpenAPI: its successes, and its errors by status. */
import { ERRORS, type ErrorCode } from '../../errors.ts';
import type { Route, Schema } from '../contract.ts';
import { hasUnit, takesBody } from '../routes.ts';
import type { Components } from './components.ts';

type Json = Record<string, unknown>;

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

/**
 * One response per status, with its possible codes. Equal responses are written once, under their codes. `isPage`:
 * browsers get a page.
 */
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
