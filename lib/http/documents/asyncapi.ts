/** The AsyncAPI 3 document of the WebSockets, from the same definitions as the OpenAPI document. */
import { closed, parameterSchema } from '../checks.ts';
import type { Schema, SocketRoute } from '../contract.ts';
import { hasUnit } from '../routes.ts';
import { Components, problemSchema, socketOperationId } from './components.ts';
import { type Described, LICENCE } from './openapi.ts';

type Json = Record<string, unknown>;

/** The address of the reader's gateway is not known when the document is written: the reader fills in the host. */
const SERVER = {
  host: '{host}',
  protocol: 'ws',
  description: 'wss behind TLS',
  variables: { host: { default: '127.0.0.1:8100', description: 'Host and port of the gateway' } },
};
const SECURITY_SCHEMES = {
  key: { type: 'http', scheme: 'bearer', description: 'An API key, in the header of the handshake' },
  ticket: { type: 'httpApiKey', name: 'ticket', in: 'query', description: 'For browsers; POST /_tickets gives it' },
};

/** `send`: messages from the gateway, `receive`: messages to the gateway. */
export function asyncApi({ table, basePath, version }: Described): Json {
  const components = new Components();
  const channels: Record<string, Json> = {};
  const operations: Record<string, Json> = {};
  for (const { route } of table.sockets) {
    const id = socketOperationId(route);
    const sent = route.accepts ? [...route.messages, problemSchema()] : route.messages;
    const outward = messages(components, id, sent);
    const inward = route.accepts ? messages(components, `change${id}`, [closed(route.accepts)]) : {};
    channels[id] = channel(route, { ...outward, ...inward });
    operations[id] = operation('send', id, route, outward);
    if (route.accepts) operations[`${id}Change`] = operation('receive', id, route, inward);
  }
  const bySecurity = Object.keys(operations).length === 0 ? {} : { securitySchemes: SECURITY_SCHEMES };
  return {
    asyncapi: '3.0.0',
    info: {
      title: 'slm-gateway',
      version,
      description: 'WebSockets of the gateway for networked sound level meters',
      license: { name: LICENCE.name },
    },
    defaultContentType: 'application/json',
    servers: { gateway: { ...SERVER, ...(basePath !== '' && { pathname: basePath }) } },
    channels,
    operations,
    components: { ...components.all(), ...bySecurity },
  };
}

/** By name; each is a component. */
function messages(components: Components, id: string, schemas: readonly Schema[]): Record<string, Json> {
  const named = schemas.map((schema, index) => {
    const name = typeof schema.title === 'string' ? schema.title : `${id}Message${index + 1}`;
    const about = typeof schema.description === 'string' ? { summary: schema.description } : {};
    const payload = components.named(name, schema);
    return [name, components.put('messages', name, { name, ...about, payload })] as const;
  });
  return Object.fromEntries(named);
}

function channel(route: SocketRoute, known: Record<string, Json>): Json {
  const properties = Object.entries(route.query ?? {}).map(([name, schema]) => [name, parameterSchema(schema)]);
  const query = { type: 'object', properties: Object.fromEntries(properties) };
  return {
    address: route.path,
    title: route.summary,
    ...(route.description && { description: route.description }),
    ...(hasUnit(route.path) && { parameters: { unit_id: { description: 'The short name of a meter' } } }),
    messages: known,
    bindings: { ws: { method: 'GET', ...(properties.length > 0 && { query }), bindingVersion: '0.1.0' } },
  };
}

function operation(action: 'send' | 'receive', id: string, route: SocketRoute, some: Record<string, Json>): Json {
  const security = Object.keys(SECURITY_SCHEMES).map((name) => ({ $ref: `#/components/securitySchemes/${name}` }));
  return {
    action,
    channel: { $ref: `#/channels/${id}` },
    summary: action === 'send' ? route.summary : 'Change the subscription',
    ...(route.access !== 'public' && { security }),
    messages: Object.keys(some).map((name) => ({ $ref: `#/channels/${id}/messages/${name}` })),
  };
}
