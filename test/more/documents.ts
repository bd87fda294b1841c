/**
 * The documents that describe the API, of a whole gateway, checked by validators that know nothing of it. Their examples are
 * answers of a simulated meter. `WRITE_EXAMPLES=1 npx tap test/more/documents.ts && npm run format` writes them again.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { Ajv } from 'ajv';
import addFormats from 'ajv-formats';
import t from 'tap';
import { openWorld, type World } from '../support/world.ts';

type Json = Record<string, unknown>;
interface Operation {
  readonly operationId: string;
  readonly tags: readonly string[];
}
type Call = readonly [
  method: 'GET' | 'PUT' | 'POST' | 'DELETE',
  path: string,
  body?: object | undefined,
  query?: string,
];

const FILE = new URL('../../config/api-examples.json', import.meta.url);
const SPAN = '?from=2026-03-02T06:00:00Z&to=2026-03-02T07:00:00Z';
const CSV = ['start,duration_s,leq,lmax,l90', ...[54.3, 55.1, 57.9, 53.2].map(row)].join('\n');
function row(leq: number, index: number): string {
  return `2026-03-02T06:${String(index * 15).padStart(2, '0')}:00Z,900,${leq},${leq + 12},${leq - 8}`;
}
const RULE = {
  name: 'Leq 15m above 55 dB',
  units: ['roof'],
  kind: 'level',
  quantity: 'leq',
  window: '15m',
  limit_db: 55,
};
const EVERY_DAY = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun', 'holiday'];
const PERMIT = {
  title: 'Depot, Main Street',
  units: ['roof'],
  limits: [{ index: 'leq', window: '15m', from: '06:00', to: '07:00', days: EVERY_DAY, limit_db: 70, amber_db: 65 }],
  responsible: 'A. Weber',
};
const NOTE = { kind: 'exclusion', reason: 'own_noise', text: 'We cut the hedge.' };
/** In an order in which each finds what it needs. */
const CALLS: readonly Call[] = [
  ['GET', '/_about'],
  ['GET', '/'],
  ['GET', '/{unit_id}/config'],
  ['PUT', '/{unit_id}/config', { name: 'Roof, north side', place: 'Main Street 1', tags: ['site-a'] }],
  ['POST', '/{unit_id}/start'],
  ['GET', '/{unit_id}/live'],
  ['GET', '/{unit_id}/status'],
  ['GET', '/_status'],
  ['GET', '/{unit_id}/measurement-state'],
  ['POST', '/{unit_id}/stop'],
  ['GET', '/{unit_id}/results'],
  ['GET', '/{unit_id}/clock'],
  ['PUT', '/{unit_id}/clock', { datetime: '2026/03/02,07:10:55' }],
  ['GET', '/{unit_id}/battery'],
  ['GET', '/{unit_id}/frequency-weighting'],
  ['PUT', '/{unit_id}/frequency-weighting', { weighting: 'C' }],
  ['PUT', '/{unit_id}/measurement-time', { preset: '15m' }],
  ['GET', '/{unit_id}/settings/all'],
  ['GET', '/{unit_id}/session'],
  ['GET', '/{unit_id}/polling/config'],
  ['PUT', '/{unit_id}/polling/config', { poll_interval_seconds: 10 }],
  ['GET', '/_polling/status'],
  ['GET', '/{unit_id}/history', undefined, `${SPAN}&step=15m&quantities=leq,lmax,l90`],
  ['GET', '/{unit_id}/history/extent'],
  ['GET', '/{unit_id}/indices', undefined, '?from=2026-03-02T00:00:00Z&to=2026-03-03T00:00:00Z&zone=UTC'],
  ['POST', '/_alerts/rules', RULE],
  ['GET', '/_alerts/rules'],
  ['POST', '/_alerts/rules/preview', { rule: RULE, from: '2026-03-02T00:00:00Z', to: '2026-03-03T00:00:00Z' }],
  ['GET', '/{unit_id}/budget'],
  ['GET', '/_alerts/events'],
  ['POST', '/_alerts/targets', { name: 'Site office', kind: 'mail', to: ['site@example.org'] }],
  ['GET', '/_jobs'],
  ['POST', '/{unit_id}/notes', NOTE],
  ['GET', '/{unit_id}/notes'],
  ['PUT', '/_permits/{name}', PERMIT],
  ['GET', '/_permits/{name}/verdict', undefined, '?day=2026-03-02'],
];

t.test('the documents of a whole gateway are valid', async (t) => {
  const world = await openWorld(t);
  const { body: openapi, headers } = await world.get('/openapi.json');

  await t.test('OpenAPI: a validator that knows nothing of the gateway finds no error', async (t) => {
    const config = await createConfig({ extends: ['recommended'], rules: RULES });
    const found = await lintFromString({ source: JSON.stringify(openapi), config });
    t.strictSame(
      [...new Set(found.map(({ ruleId, message, location }) => `${ruleId}: ${message} ${location[0]?.pointer}`))],
      [],
    );
  });

  await t.test('operations are named by one rule, once each, and belong to a group that is described', async (t) => {
    const operations = Object.values<Json>(openapi.paths).flatMap((item) =>
      ['get', 'put', 'post', 'delete'].flatMap((method) => (item[method] as Operation | undefined) ?? []),
    );
    const ids = operations.map(({ operationId }) => operationId);
    t.strictSame(
      ids.filter((id, index) => !/^[a-z][A-Za-z]+$/.test(id) || ids.indexOf(id) !== index),
      [],
    );
    for (const id of ['getLive', 'startMeasurement', 'setClock', 'createAlertRule', 'ackAlertEvent', 'enableFtp']) {
      t.ok(ids.includes(id), id);
    }
    const described = new Map(openapi.tags.map(({ name, description }: Json) => [name, description]));
    for (const { operationId, tags } of operations) {
      t.ok(
        tags.every((tag) => String(described.get(tag)).length > tag.length),
        `${operationId} in ${tags}`,
      );
    }
  });

  await t.test('a name stands for one schema', async (t) => {
    const { components, ...rest } = openapi;
    const inline = [...JSON.stringify({ ...rest, ...nested(components.schemas) }).matchAll(/"title":"([A-Z]\w*)"/g)];
    t.strictSame(
      inline.map(([, title]) => title),
      [],
    );
  });

  await t.test('a document that the caller has already is not sent again', async (t) => {
    const etag = headers.get('etag') ?? '';
    t.match(etag, /^W\/"/);
    for (const name of ['openapi.json', 'asyncapi.json']) {
      const first = await world.get(`/${name}`);
      const known = { 'If-None-Match': first.headers.get('etag') ?? '' };
      t.equal((await fetch(`${world.base}/${name}`, { headers: known })).status, 304, name);
    }
  });

  await t.test('AsyncAPI: the sockets, as the schema of AsyncAPI 3 wants them', async (t) => {
    const { body } = await world.get('/asyncapi.json');
    const ajv = new Ajv({ strict: false, allErrors: true });
    addFormats.default(ajv);
    const schema = createRequire(import.meta.url)('@asyncapi/specs/schemas/3.0.0-without-$id.json');
    const validate = ajv.compile(schema);
    t.ok(validate(body), ajv.errorsText(validate.errors));
    t.match(body.channels, { watchLive: { address: '/{unit_id}/live' }, watchUnits: { address: '/_live' } });
    t.strictSame(Object.keys(body.channels.watchLive.messages), [
      'Frame',
      'FeedChange',
      'ReachabilityChange',
      'LastValues',
    ]);
    t.match(body.operations, { watchLive: { action: 'send' }, watchUnitsChange: { action: 'receive' } });
    t.strictSame(danglingIn(body), [], 'every reference leads somewhere');
  });

  await t.test('examples are what a simulated meter answers', async (t) => {
    const seen = await examplesOf(world, openapi);
    if (process.env.WRITE_EXAMPLES) writeFileSync(FILE, `${JSON.stringify(seen, null, 2)}\n`);
    const written = JSON.parse(readFileSync(FILE, 'utf8'));
    t.strictSame(shapeOf(written, seen), shapeOf(seen, written));
    t.match(openapi.paths['/{unit_id}/live'].get.responses[200].content['application/json'].example, { status: 'ok' });
  });
});

const RULES = {
  // The gateway itself is the server, wherever it runs.
  'no-server-example.com': 'off',
  // A path of one unit may look like a path of many: the fixed one counts.
  'no-ambiguous-paths': 'off',
  // A path that is a WebSocket alone ends in 101 or 426.
  'operation-2xx-response': 'off',
  'tag-description': 'error',
  'operation-operationId': 'error',
  // The messages of the WebSockets are in `x-websocket`, which this rule does not read.
  'no-unused-components': 'off',
  'no-invalid-media-type-examples': 'error',
} as const;

/** The components without the title at the head of each, which is its name. */
const nested = (schemas: Record<string, Json>): Json =>
  Object.fromEntries(Object.entries(schemas).map(([name, { title: _, ...schema }]) => [name, schema]));

function danglingIn(document: Json): string[] {
  const ways = [...JSON.stringify(document).matchAll(/"\$ref":"#\/([^"]+)"/g)].map(([, way = '']) => way);
  return ways.filter(
    (way) =>
      way.split('/').reduce<unknown>((found, name) => (found as Json | undefined)?.[name], document) === undefined,
  );
}

async function examplesOf(world: World, { paths }: { readonly paths: Record<string, Record<string, Operation>> }) {
  const csv = { raw: CSV, headers: { 'Content-Type': 'text/csv' } };
  await world.ask('POST', '/sim-1/history/import', csv);
  await world.pass(1_000);
  const examples: Record<string, { body?: object; answer: unknown }> = {};
  for (const [method, path, body, query = ''] of CALLS) {
    const sent = body && { json: JSON.parse(JSON.stringify(body).replaceAll('"roof"', '"sim-1"')) };
    const address = `${path === '/' ? '' : path.replace('{unit_id}', 'sim-1').replace('{name}', 'depot')}${query}`;
    const { status, body: answer } = await world.ask(method, address, sent ?? {});
    if (status > 299) throw new Error(`${method} ${path}: ${status} ${JSON.stringify(answer)}`);
    const name = paths[path]?.[method.toLowerCase()]?.operationId ?? '';
    examples[name] = { ...(body && { body }), answer: harmless(answer, world) };
  }
  return examples;
}

/** As of a meter of somebody else's. */
function harmless(answer: unknown, { meter }: World): unknown {
  const text = JSON.stringify(answer)
    .replaceAll('sim-1', 'roof')
    .replaceAll('127.0.0.1', '192.0.2.40')
    .replaceAll(new RegExp(`\\b${meter.tcpPort}\\b`, 'g'), '2255')
    .replaceAll(new RegExp(`\\b${meter.ftpPort}\\b`, 'g'), '21');
  return JSON.parse(text);
}

/** Names and kinds without the values. A value that either of the two does not have (null) says nothing about its kind. */
function shapeOf(value: unknown, other: unknown): unknown {
  if (value === null || other === null) return 'null';
  if (Array.isArray(value)) return value.length === 0 ? [] : [shapeOf(value[0], (other as unknown[] | undefined)?.[0])];
  if (typeof value !== 'object') return typeof value;
  return Object.fromEntries(
    Object.entries(value as Json).map(([name, part]) => [name, shapeOf(part, (other as Json | undefined)?.[name])]),
  );
}
