/** The hand-written types of the client are held against the OpenAPI document, and its functions against a whole gateway. */
import { readFileSync } from 'node:fs';
import t from 'tap';
import { Client, GatewayProblem, type LiveEvent } from '../../client/index.ts';
import { openWorld } from '../support/world.ts';

const TYPES = readFileSync(new URL('../../client/types.ts', import.meta.url), 'utf8');

interface Property {
  readonly name: string;
  readonly optional: boolean;
  readonly nullable: boolean;
}

/** The properties of an interface, those of interfaces that it extends too. */
function propertiesOf(name: string): readonly Property[] {
  const found = new RegExp(`^export interface ${name}(?: extends (\\w+))? \\{\\n([\\s\\S]*?)^\\}`, 'm').exec(TYPES);
  if (!found) throw new Error(`client/types.ts has no ${name}`);
  const [, base, body = ''] = found;
  // What belongs to an object within is indented further.
  const own = [...body.matchAll(/^ {2}readonly (\w+)(\??): ((?:.|\n {4,})*?)(?:;|\{)$/gm)].map(
    ([whole, property = '', mark]) => ({
      name: property,
      optional: mark === '?',
      nullable: / \| null/.test(statementFrom(body, whole)),
    }),
  );
  return [...(base ? propertiesOf(base) : []), ...own];
}

/** From the beginning of a property to its semicolon outside of braces. */
function statementFrom(body: string, start: string): string {
  const rest = body.slice(body.indexOf(start));
  let depth = 0;
  for (let at = 0; at < rest.length; at += 1) {
    if (rest[at] === '{') depth += 1;
    if (rest[at] === '}') depth -= 1;
    if (rest[at] === ';' && depth === 0) return outside(rest.slice(0, at));
  }
  return rest;
}

/** What is not in braces. */
function outside(text: string): string {
  const less = text.replaceAll(/\{[^{}]*\}/g, '');
  return less === text ? text : outside(less);
}

// biome-ignore lint/suspicious/noExplicitAny: a JSON Schema of the document
type Schema = any;

const allowsNull = ({ type, anyOf, enum: words }: Schema): boolean =>
  (type ? [type].flat().includes('null') : false) ||
  (anyOf ?? []).some((each: Schema) => allowsNull(each)) ||
  (words ?? []).includes(null);

t.test('every type of the client is what the OpenAPI document says', async (t) => {
  const world = await openWorld(t);
  const { body: document } = await world.get('/openapi.json');
  const answer = (path: string, ...way: readonly string[]): Schema =>
    way.reduce(
      (schema, step) => schema[step],
      document.paths[path].get.responses[200].content['application/json'].schema.properties,
    );
  const pairs: Readonly<Record<string, Schema>> = {
    About: answer('/_about', 'data'),
    Unit: answer('/_status', 'data', 'items'),
    Session: answer('/{unit_id}/session', 'data'),
    Config: answer('/{unit_id}/config', 'data'),
    CardFile: answer('/{unit_id}/ftp/files', 'files', 'items'),
    History: answer('/{unit_id}/history', 'data'),
    Extent: answer('/{unit_id}/history/extent', 'data'),
    Day: answer('/{unit_id}/indices', 'data', 'properties', 'days', 'items'),
    Job: answer('/_jobs', 'data', 'items'),
    AlertRule: answer('/_alerts/rules', 'data', 'items'),
    AlertEvent: answer('/_alerts/events', 'data', 'items'),
    Budget: answer('/{unit_id}/budget', 'data', 'items'),
  };
  for (const [name, schema] of Object.entries(pairs)) {
    const properties = propertiesOf(name);
    t.ok(properties.length > 2, `${name} has properties`);
    for (const { name: property, optional, nullable } of properties) {
      const known = schema.properties[property];
      t.ok(known, `${name}.${property} is in the document`);
      if (!known) continue;
      t.equal(nullable, allowsNull(known), `${name}.${property} may be null`);
      t.equal(optional, !schema.required.includes(property), `${name}.${property} may be absent`);
    }
  }
  const unit = propertiesOf('Unit').map(({ name }) => name);
  t.strictSame(unit.sort(), Object.keys(pairs.Unit.properties).sort(), 'a unit is whole');
});

t.test('the client asks, changes, and tells errors by their code', async (t) => {
  const world = await openWorld(t);
  const client = new Client({ baseUrl: world.gateway.baseUrl });
  t.match(await client.about(), { caller: { name: 'anybody', role: 'admin', units: null } });
  t.match(await client.units(), [{ unit_id: 'sim-1' }]);
  t.match(await client.configure('sim-1', { name: 'Roof' }), { data: { name: 'Roof' } });
  t.match(await client.units({ q: 'roof' }), [{ name: 'Roof' }]);
  await t.rejects(client.config('nobody'), { name: 'GatewayProblem', code: 'UNIT_NOT_FOUND', status: 404 });
  const refused = await client.configure('sim-1', { tcp_port: 0 }).catch((error: unknown) => error);
  t.ok(refused instanceof GatewayProblem && refused.errors[0]?.path === '/tcp_port');
  const nowhere = new Client({ baseUrl: 'http://127.0.0.1:1/api/nl43' });
  await t.rejects(nowhere.about(), { code: 'NO_GATEWAY', status: 0 });
});

t.test('live events begin with how everything stands, and end with the loop', async (t) => {
  const world = await openWorld(t);
  const client = new Client({ baseUrl: world.gateway.baseUrl });
  const heard: LiveEvent[] = [];
  const states: string[] = [];
  for await (const event of client.events({ connection: (state) => states.push(state) })) {
    heard.push(event);
    if (event.event === 'hello') await client.configure('sim-1', { place: 'North side' });
    if (event.event === 'config') break;
  }
  t.match(heard[0], { event: 'hello', data: [{ unit_id: 'sim-1', place: null }] });
  t.match(heard.at(-1), { event: 'config', unit_id: 'sim-1', data: { unit: { place: 'North side' } } });
  t.strictSame(states, ['open']);
});

t.test('a signal ends the loop', async (t) => {
  const world = await openWorld(t);
  const leaving = new AbortController();
  let events = 0;
  for await (const _event of new Client({ baseUrl: world.gateway.baseUrl }).events({ signal: leaving.signal })) {
    events += 1;
    leaving.abort();
  }
  t.equal(events, 1);
});
