/** The OpenAPI 3.1 document, from the definitions that the router and the checks are made of. */
import { UNIT_ID } from '../../domain/ids.ts';
import { closed, parameterSchema } from '../checks.ts';
import type { Route, SocketRoute } from '../contract.ts';
import { PROBES } from '../health.ts';
import {
  asksMeter,
  type CompiledRoute,
  type CompiledSocket,
  hasUnit,
  LONGEST_AGE_S,
  needsBody,
  type RouteTable,
  takesBody,
} from '../routes.ts';
import {
  AT_ANY_PATH,
  Components,
  errorsOf,
  errorsOfAny,
  operationId,
  problemSchema,
  problems,
  socketOperationId,
  successes,
} from './components.ts';

type Json = Record<string, unknown>;

/** Bodies and answers that a test has seen, by the name of their operation. */
export type Examples = Readonly<Record<string, { readonly body?: unknown; readonly answer?: unknown }>>;

/** Input of a document. */
export interface Described {
  readonly table: Pick<RouteTable, 'routes' | 'sockets' | 'about'>;
  readonly basePath: string;
  readonly version: string;
  readonly examples?: Examples;
}

/** The group of operations that belong to no plugin. */
const OWN_GROUP = { name: 'gateway', description: 'The gateway itself: its state, its abilities, tickets' };
const BEARER = {
  type: 'http',
  scheme: 'bearer',
  description: 'An API key; not needed if the gateway runs without keys',
};
/** Of the API description, as SPDX writes it. */
export const LICENCE = { name: 'MIT', identifier: 'MIT' };

/** The whole document, as JSON. */
export function openApi({ table, basePath, version, examples = {} }: Described): Json {
  const writing: Writing = { components: new Components(), examples };
  const besideBase = { servers: [{ url: rootFrom(basePath) }] };
  const paths: Record<string, Json> = {};
  for (const { path, operation, summary, schema, errors } of PROBES) {
    const own = { operationId: operation, summary, schema, errors };
    paths[path] = { ...besideBase, get: ownOperation(writing, own) };
  }
  for (const [name, path, summary] of DOCUMENTS) {
    paths[path] = {
      get: ownOperation(writing, { operationId: name, summary, schema: { type: 'object' }, etag: true }),
    };
  }
  for (const compiled of table.routes) {
    const { route } = compiled;
    const place = route.besideBase ? besideBase : {};
    const written = operation(writing, compiled);
    paths[route.path] = { ...place, ...paths[route.path], [route.method.toLowerCase()]: written };
  }
  for (const compiled of table.sockets) {
    const { path } = compiled.route;
    paths[path] = withSocket(writing, paths[path] ?? {}, compiled);
  }
  writing.components.put('schemas', 'Problem', problemSchema());
  return {
    openapi: '3.1.0',
    info: {
      title: 'slm-gateway',
      version,
      description: 'REST and WebSocket gateway for networked sound level meters',
      license: LICENCE,
    },
    // Relative to the address of this document, so that it is right behind any proxy that adds a path prefix.
    servers: [{ url: '.' }],
    tags: tags(table),
    paths,
    components: { ...writing.components.all(), securitySchemes: { key: BEARER } },
  };
}

/** Path from the folder of the document to the root of the server: `../..` for `/api/nl43`. */
const rootFrom = (basePath: string): string => basePath.replace(/^\//, '').replaceAll(/[^/]+/g, '..') || '.';

/** Name, path and summary of the documents themselves. */
const DOCUMENTS = [
  ['getOpenapi', '/openapi.json', 'This document'],
  ['getAsyncapi', '/asyncapi.json', 'The WebSockets and their messages, as an AsyncAPI document'],
] as const;

interface Writing {
  readonly components: Components;
  readonly examples: Examples;
}

/** The groups that have an operation, in the order in which their plugins were loaded. */
function tags(table: Described['table']): Json[] {
  const used = new Set([...table.routes, ...table.sockets].map(({ group }) => group));
  used.delete(OWN_GROUP.name);
  return [OWN_GROUP, ...[...used].map((name) => ({ name, description: table.about(name) ?? name }))];
}

const security = ({ access }: Pick<Route, 'access'>): Json => ({ security: access === 'public' ? [] : [{ key: [] }] });

function operation(writing: Writing, { route, group }: CompiledRoute): Json {
  const { components, examples } = writing;
  const id = operationId(route);
  const example = examples[id] ?? {};
  return {
    operationId: id,
    tags: [group],
    summary: route.summary,
    ...(route.description ? { description: route.description } : {}),
    'x-access': route.access,
    ...security(route),
    parameters: parameters(components, route),
    ...(takesBody(route) ? requestBody(components, route, id, example.body) : {}),
    responses: {
      ...successes(components, route, id, example.answer),
      ...problems(components, errorsOf(route), route.errorPage !== undefined),
    },
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
function withSocket({ components }: Writing, path: Json, { route, group }: CompiledSocket): Json {
  const refusals = [...errorsOfAny(route), ...route.errors];
  const get = (path.get as Json | undefined) ?? {
    operationId: socketOperationId(route),
    tags: [group],
    summary: route.summary,
    'x-access': route.access,
    ...security(route),
    parameters: parameters(components, route),
    responses: problems(components, [...refusals, 'UPGRADE_REQUIRED']),
  };
  const messages = route.accepts ? [...route.messages, problemSchema()] : route.messages;
  const about = {
    summary: route.summary,
    description: route.description,
    'x-access': route.access,
    messages: messages.map((schema) => components.schema(schema)),
    ...(route.accepts && { accepts: components.schema(closed(route.accepts)) }),
    parameters: [...query(route), ...TICKET],
    responses: problems(components, refusals),
  };
  const responses = { 101: { description: 'The handshake is done; see x-websocket' }, ...(get.responses as Json) };
  return { ...path, get: { ...get, responses, 'x-websocket': about } };
}

const UNIT_PARAMETER = {
  name: 'unit_id',
  in: 'path',
  required: true,
  description: 'The short name of a meter',
  schema: { type: 'string', pattern: UNIT_ID },
};
const REQUEST_TIMEOUT = {
  name: 'Request-Timeout',
  in: 'header',
  description: 'Longest wait for the answer in seconds; it can only shorten the usual wait',
  schema: { type: 'number', exclusiveMinimum: 0 },
};
const TIMEOUT = {
  name: 'timeout_s',
  in: 'query',
  description: 'The same as Request-Timeout, for callers that cannot set a header; the shorter of the two counts',
  schema: { type: 'number', exclusiveMinimum: 0 },
};

const MAX_AGE = {
  name: 'max_age',
  in: 'query',
  description:
    'How old the answer may be, in seconds. 0, or Cache-Control: no-cache, asks the meter. Without max_age the meter is asked, with two exceptions. Beside a watched stream the values of the newest frame are the answer. Settings that were read in the last minute are the answer, too',
  schema: { type: 'number', minimum: 0, maximum: LONGEST_AGE_S },
};

const ONLY_NEW = {
  name: 'If-None-Match',
  in: 'header',
  description: 'With * nothing that exists is changed: 412',
  schema: { type: 'string', enum: ['*'] },
};

function parameters(
  components: Components,
  route: Pick<Route, 'path' | 'query' | 'params' | 'createsUnit' | 'errors'> & { method?: Route['method'] },
): Json[] {
  const inPath = Object.entries(route.params ?? {}).map(([name, schema]) => ({
    name,
    in: 'path',
    required: true,
    schema: parameterSchema(schema),
  }));
  const own = [...inPath, ...query(route)];
  if (!hasUnit(route.path)) return own;
  const unit = components.put('parameters', 'UnitId', UNIT_PARAMETER);
  const onlyNew = route.createsUnit ? [components.put('parameters', 'OnlyNew', ONLY_NEW)] : [];
  const waits = [
    components.put('parameters', 'RequestTimeout', REQUEST_TIMEOUT),
    components.put('parameters', 'TimeoutS', TIMEOUT),
  ];
  const ages = asksMeter(route) ? [components.put('parameters', 'MaxAge', MAX_AGE)] : [];
  return [unit, ...own, ...onlyNew, ...waits, ...ages];
}

const query = (route: Pick<SocketRoute, 'query'>): Json[] =>
  Object.entries(route.query ?? {}).map(([name, schema]) => ({
    name,
    in: 'query',
    required: schema.required === true,
    ...(schema.allowEmptyValue === true && { allowEmptyValue: true }),
    schema: parameterSchema(schema),
  }));

function requestBody(components: Components, route: Route, id: string, example: unknown): Json {
  if (route.upload) {
    const content = [route.upload.contentType].flat().map((type) => {
      return [type, { schema: { type: 'string', contentMediaType: type } }] as const;
    });
    return { requestBody: { required: true, content: Object.fromEntries(content) } };
  }
  if (!route.body) return { requestBody: { required: false, content: { 'application/json': { schema: NO_BODY } } } };
  const schema = components.named(`${id.slice(0, 1).toUpperCase()}${id.slice(1)}Body`, closed(route.body));
  const shown = example === undefined ? {} : { example };
  return { requestBody: { required: needsBody(route), content: { 'application/json': { schema, ...shown } } } };
}

const NO_BODY = { type: 'object', additionalProperties: false };

interface Own {
  readonly operationId: string;
  readonly summary: string;
  readonly schema: Json;
  readonly errors?: (typeof PROBES)[number]['errors'];
  readonly etag?: true;
}

function ownOperation(
  { components, examples }: Writing,
  { operationId, summary, schema, errors = [], etag }: Own,
): Json {
  const example = examples[operationId]?.answer;
  const content = { 'application/json': { schema, ...(example !== undefined && { example }) } };
  return {
    operationId,
    tags: [OWN_GROUP.name],
    summary,
    'x-access': 'public',
    security: [],
    responses: {
      200: { description: summary, content },
      ...(etag && { 304: { description: 'The caller has the same already, as its If-None-Match says' } }),
      ...problems(components, [...AT_ANY_PATH, ...errors]),
    },
  };
}
