/**
 * Writes `client/schemas.ts`: a type for each schema that has a name in the OpenAPI document. `npm run client:types`; a test says
 * when it is out of date.
 */
import { writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startGateway } from '../lib/app/gateway.ts';

/** The part of JSON Schema that our documents are written in. */
interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | Schema;
  readonly items?: Schema;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
}

export const CLIENT_TYPES = new URL('../client/schemas.ts', import.meta.url);

const HEAD = `/**
 * The schemas of the OpenAPI document as types. Made by \`npm run client:types\`: change the schemas of the routes, not this
 * file. Levels are in dB, times are ISO 8601 in UTC.
 */
`;

export function clientTypes(document: unknown): string {
  const { components } = document as { readonly components: { readonly schemas: Readonly<Record<string, Schema>> } };
  const types = Object.entries(components.schemas).map(
    ([name, schema]) => comment(schema, '') + exported(name, schema),
  );
  return [HEAD, ...types].join('\n');
}

function exported(name: string, schema: Schema): string {
  const { allOf, ...own } = schema;
  if (own.type !== 'object' || !own.properties) return `export type ${name} = ${typeOf(schema, '')};\n`;
  const base = allOf ? ` extends ${allOf.map((each) => typeOf(each, '')).join(', ')}` : '';
  return `export interface ${name}${base} ${typeOf(own, '')}\n`;
}

/** `indent`: the indentation of the line that has the type. */
function typeOf(schema: Schema, indent: string): string {
  const { $ref, type, enum: words, anyOf, allOf } = schema;
  if ($ref) return $ref.slice($ref.lastIndexOf('/') + 1);
  if (words) return words.map((word) => literal(word)).join(' | ');
  if (schema.const !== undefined) return literal(schema.const);
  if (anyOf) return anyOf.map((each) => typeOf(each, indent)).join(' | ');
  if (allOf) return allOf.map((each) => typeOf(each, indent)).join(' & ');
  if (type === undefined) return 'unknown';
  return [type]
    .flat()
    .map((one) => ofOneType(one, schema, indent))
    .join(' | ');
}

function ofOneType(type: string, { items = {}, properties, ...rest }: Schema, indent: string): string {
  if (type === 'array') return arrayOf(typeOf(items, indent));
  if (type === 'integer') return 'number';
  if (type !== 'object') return type;
  if (properties) return objectOf(properties, rest.required ?? [], indent);
  const value = typeof rest.additionalProperties === 'object' ? typeOf(rest.additionalProperties, indent) : 'unknown';
  return `Readonly<Record<string, ${value}>>`;
}

const arrayOf = (type: string): string => (/^\w+$/.test(type) ? `readonly ${type}[]` : `ReadonlyArray<${type}>`);

function objectOf(properties: Readonly<Record<string, Schema>>, required: readonly string[], indent: string): string {
  const within = `${indent}  `;
  const lines = Object.entries(properties).map(([name, schema]) => {
    const mark = required.includes(name) ? '' : '?';
    return `${comment(schema, within)}${within}readonly ${name}${mark}: ${typeOf(schema, within)};\n`;
  });
  return `{\n${lines.join('')}${indent}}`;
}

const comment = ({ description }: Schema, indent: string): string =>
  description === undefined ? '' : `${indent}/** ${description.replaceAll('*/', '*\\/')} */\n`;

const literal = (value: unknown): string =>
  typeof value === 'string' ? `'${value.replaceAll(/['\\]/g, '\\$&')}'` : String(value);

if (import.meta.main) writeFileSync(CLIENT_TYPES, clientTypes(await openApiDocument()));

// The OpenAPI document as a gateway that was just started serves it: what tables and types are made from.

export async function openApiDocument(): Promise<unknown> {
  const folder = await mkdtemp(join(tmpdir(), 'slm-document-'));
  const storage = { data_dir: join(folder, 'data'), key_file: join(folder, 'key') };
  const gateway = await startGateway({ ...storage, port: 0, log_level: 'silent' });
  try {
    return await (await fetch(`${gateway.baseUrl}/openapi.json`)).json();
  } finally {
    await gateway.stop();
    await rm(folder, { recursive: true, force: true });
  }
}
