/** The OpenAPI 3.1 document, from the definitions that the router and the checks are made of. */
import { ERRORS, type ErrorCode } from '../errors.ts';
import { closed, parameterSchema } from './checks.ts';
import type { Route, Schema, SocketRoute } from './contract.ts';
import { PROBES } from './health.ts';
import type { OwnPath } from './router.ts';
import { hasUnit, type RouteTable, takesBody } from './routes.ts';

type Json = Record<string, unknown>;

/**
 * `{base path}/openapi.json`. Built once, when it is first asked for: the table does not change while the server runs. As
 * bytes, which all answers share: anybody may ask, and one who does not read holds no copy.
 */
export function openApiPath(table: RouteTable, basePath: string, version: string): OwnPath {
  let document: Buffer | undefined;
  return {
    path: `${basePath}/openapi.json`,
    answer() {
      document ??= Buffer.from(JSON.stringify(openApi(table, basePath, version)));
      return document;
    },
  };
}

export function openApi(table: RouteTable, basePath: string, version: string): Json {
  const paths: Record<string, Json> = {};
  for (const { path, summary, schema, errors } of PROBES) {
    paths[path] = { servers: [{ url: '/' }], get: own(summary, schema, errors) };
  }
  paths['/openapi.json'] = { get: own('This document', { type: 'object' }) };
  for (const { route } of table.routes) {
    const place = route.besideBase ? { servers: [{ url: '/' }] } : {};
    paths[route.path] = { ...place, ...paths[route.path], [route.method.toLowerCase()]: operation(route) };
  }
  for (const { route } of table.sockets) paths[route.path] = withSocket(paths[route.path] ?? {}, route);
  return {
    openapi: '3.1.0',
    info: { title: 'slm-gateway', version, description: 'REST and WebSocket gateway for networked sound level meters' },
    servers: [{ url: basePath === '' ? '/' : basePath }],
    paths,
    components: { schemas: { Problem: problemSchema(Object.keys(ERRORS)) }, securitySchemes: { key: BEARER } },
  };
}

const BEARER = { type: 'http', scheme: 'bearer', description: 'An API key; not needed where the gateway runs without' };

const security = ({ access }: Pick<Route, 'access'>): Json => (access === 'public' ? {} : { security: [{ key: [] }] });

function operation(route: Route): Json {
  return {
    operationId: operationId(route.method, route.path),
    summary: route.summary,
    ...(route.description ? { description: route.description } : {}),
    'x-access': route.access,
    ...security(route),
    parameters: parameters(route),
    ...(takesBody(route) ? requestBody(route) : {}),
    responses: { ...successes(route), ...problems(errorsOf(route)) },
  };
}

const TICKET = [
  {
    name: 'ticket',
    in: 'query',
    description: 'In place of a key, for browsers; POST /_tickets gives it',
    required: false,
    schema: { type: 'string' },
  },
];

/** OpenAPI has no word for WebSocket: the handshake is a GET that ends in 101, and `x-websocket` has the messages. */
function withSocket(path: Json, route: SocketRoute): Json {
  const get = (path.get as Json | undefined) ?? {
    operationId: operationId('WS', route.path),
    summary: route.summary,
    'x-access': route.access,
    ...security(route),
    parameters: parameters(route),
    responses: problems([...everywhere(route), ...route.errors, 'UPGRADE_REQUIRED']),
  };
  const about = {
    summary: route.summary,
    description: route.description,
    'x-access': route.access,
    messages: route.accepts ? [...route.messages, problemSchema(Object.keys(ERRORS))] : route.messages,
    ...(route.accepts && { accepts: closed(route.accepts) }),
  };
  const responses = { 101: { description: 'The handshake is done; see x-websocket' }, ...(get.responses as Json) };
  return {
    ...path,
    get: {
      ...get,
      responses,
      'x-websocket': {
        ...about,
        parameters: [...query(route), ...TICKET],
        responses: problems([...everywhere(route), ...route.errors]),
      },
    },
  };
}

const operationId = (method: string, path: string): string =>
  [method.toLowerCase(), ...path.split('/').filter((part) => part && part !== '{unit_id}')]
    .join('_')
    .replaceAll(/[^a-z0-9_]/gi, '_');

function parameters(route: Pick<Route, 'path' | 'query' | 'params'>): Json[] {
  const unit = {
    name: 'unit_id',
    in: 'path',
    required: true,
    schema: { type: 'string', pattern: '^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$' },
  };
  const wait = {
    name: 'Request-Timeout',
    in: 'header',
    description: 'Longest wait for the answer in seconds, where it is to be shorter than the usual one',
    schema: { type: 'number', exclusiveMinimum: 0 },
  };
  const timeout = {
    name: 'timeout_s',
    in: 'query',
    description: 'The same as Request-Timeout, where a header is not at hand; of both the shorter one counts',
    schema: { type: 'number', exclusiveMinimum: 0 },
  };
  const inPath = Object.entries(route.params ?? {}).map(([name, schema]) => ({
    name,
    in: 'path',
    required: true,
    schema: parameterSchema(schema),
  }));
  return hasUnit(route.path) ? [unit, ...inPath, ...query(route), wait, timeout] : [...inPath, ...query(route)];
}

const query = (route: Pick<Route, 'query'>): Json[] =>
  Object.entries(route.query ?? {}).map(([name, schema]) => ({
    name,
    in: 'query',
    required: schema.required === true,
    schema: parameterSchema(schema),
  }));

function requestBody(route: Route): Json {
  if (route.upload) {
    const schema = { type: 'string', contentMediaType: route.upload.contentType };
    return { requestBody: { required: true, content: { [route.upload.contentType]: { schema } } } };
  }
  const schema = route.body ? closed(route.body) : { type: 'object', additionalProperties: false };
  return { requestBody: { required: route.body !== undefined, content: { 'application/json': { schema } } } };
}

const NOT_MODIFIED = { description: 'The caller has the same already, as its If-None-Match says' };
const PART = 'One range of the file';

const isGetFile = ({ answer, method }: Route): boolean => answer === 'file' && method === 'GET';

function successes(route: Route): Json {
  const whole = success(route);
  const byStatus = (route.statuses ?? [200]).map((status) => {
    const headers = status === 200 ? {} : { Location: { schema: { type: 'string' } } };
    return [status, { ...whole, headers: { ...(whole.headers as Json | undefined), ...headers } }] as const;
  });
  return {
    ...Object.fromEntries(byStatus),
    ...(isGetFile(route) && { 206: { ...whole, description: PART } }),
    ...((route.etag || isGetFile(route)) && { 304: NOT_MODIFIED }),
  };
}

function success(route: Route): Json {
  if (route.answer === 'file') {
    const headers = { 'Content-Disposition': { schema: { type: 'string' } } };
    const content = contents(route.contentTypes ?? ['application/octet-stream'], { type: 'string', format: 'binary' });
    return { description: 'The file', headers, content };
  }
  if (route.answer === 'text') {
    return { description: 'Text', content: contents(route.contentTypes ?? ['text/plain'], { type: 'string' }) };
  }
  const optional = route.optional ?? [];
  const required = ['status', ...Object.keys(route.answer).filter((name) => !optional.includes(name))];
  const properties = { status: { const: 'ok' }, ...route.answer };
  const schema = { type: 'object', properties, required, additionalProperties: false };
  return {
    description: 'Success',
    content: { ...json(schema), ...contents(route.contentTypes ?? [], { type: 'string' }) },
  };
}

const contents = (types: readonly string[], schema: Schema): Json =>
  Object.fromEntries(types.map((type) => [type, { schema }]));

/** What the middleware answers, whatever the path. */
const AT_ANY_PATH: readonly ErrorCode[] = [
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

/** What every route can answer by where it is and what it takes. */
function everywhere(route: Pick<Route, 'access' | 'path' | 'params' | 'createsUnit'>): ErrorCode[] {
  return [
    'INVALID',
    ...AT_ANY_PATH,
    ...(route.access === 'public' ? [] : (['UNAUTHENTICATED', 'FORBIDDEN'] as const)),
    ...(hasUnit(route.path) && !route.createsUnit ? (['UNIT_NOT_FOUND'] as const) : []),
    ...(route.params ? (['NOT_FOUND'] as const) : []),
  ];
}

function errorsOf(route: Route): ErrorCode[] {
  const body: ErrorCode[] = takesBody(route) ? ['MALFORMED_JSON', 'BODY_TOO_LARGE', 'NOT_JSON'] : [];
  const range: ErrorCode[] = isGetFile(route) ? ['RANGE_NOT_SATISFIABLE'] : [];
  return [...everywhere(route), ...body, ...range, ...route.errors];
}

/** One response a status, with the codes that can stand in it. */
function problems(codes: readonly ErrorCode[]): Json {
  const byStatus = new Map<number, ErrorCode[]>();
  for (const code of new Set(codes)) {
    const { status } = ERRORS[code];
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  return Object.fromEntries([...byStatus].map(([status, some]) => [status, problemOf(some)]));
}

const problemOf = (codes: readonly ErrorCode[]): Json => ({
  description: codes.map((code) => `${code}: ${ERRORS[code].means}`).join('. '),
  content: json({ allOf: [{ $ref: '#/components/schemas/Problem' }, { properties: { code: { enum: codes } } }] }),
});

function problemSchema(codes: readonly string[]): Json {
  const error = {
    type: 'object',
    properties: { path: { type: 'string' }, message: { type: 'string' } },
    required: ['path', 'message'],
  };
  const properties = { detail: { type: 'string' }, code: { enum: codes }, errors: { type: 'array', items: error } };
  return { type: 'object', properties, required: ['detail', 'code'], additionalProperties: false };
}

const json = (schema: Schema): Json => ({ 'application/json': { schema } });

function own(description: string, schema: Schema, errors: readonly ErrorCode[] = []): Json {
  return {
    summary: description,
    'x-access': 'public',
    responses: { 200: { description, content: json(schema) }, ...problems([...AT_ANY_PATH, ...errors]) },
  };
}
