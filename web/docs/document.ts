/** Reads an OpenAPI document: its operations in the order of their groups, and schemas as text. */

export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly additionalProperties?: Schema | boolean;
  readonly description?: string;
  readonly default?: unknown;
  readonly example?: unknown;
  readonly 'x-unit'?: string;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
}

interface RawParameter {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly description?: string;
  readonly schema?: Schema;
  readonly example?: unknown;
}

type Content = Readonly<Record<string, { readonly schema?: Schema; readonly example?: unknown }>>;

interface RawOperation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description?: string;
  readonly 'x-access'?: string;
  readonly 'x-websocket'?: unknown;
  readonly parameters?: readonly (RawParameter & Ref)[];
  readonly requestBody?: { readonly content: Content };
  readonly responses: Readonly<Record<string, { readonly description?: string; readonly content?: Content } & Ref>>;
}
interface Ref {
  readonly $ref?: string;
}

export interface Document {
  readonly info: { readonly title: string; readonly version: string; readonly description?: string };
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly components: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

export interface Parameter {
  readonly name: string;
  readonly place: string;
  readonly isRequired: boolean;
  readonly what: string;
  readonly choices: readonly string[];
  readonly hint: string;
}

export interface Operation {
  readonly id: string;
  readonly tag: string;
  readonly method: string;
  readonly path: string;
  readonly server: string;
  readonly summary: string;
  readonly description: string;
  readonly access: string;
  readonly isSocket: boolean;
  readonly parameters: readonly Parameter[];
  readonly body: { readonly type: string; readonly schema: Schema; readonly example: string } | undefined;
  readonly answers: readonly {
    readonly status: string;
    readonly description: string;
    readonly schema: Schema | undefined;
  }[];
  /** For the filter, in small letters. */
  readonly words: string;
}

const METHODS = ['get', 'put', 'post', 'delete'];

function resolved<T extends object>(api: Document, thing: T & Ref): T {
  if (!thing.$ref) return thing;
  const [, , kind = '', name = ''] = thing.$ref.split('/');
  return (api.components[kind]?.[name] ?? {}) as T;
}

const known = new WeakMap<Document, readonly Operation[]>();

export function operationsIn(api: Document): readonly Operation[] {
  const found = known.get(api) ?? readOperations(api);
  known.set(api, found);
  return found;
}

const readOperations = (api: Document): readonly Operation[] =>
  Object.entries(api.paths).flatMap(([path, item]) => {
    const [server = { url: '.' }] = (item.servers ?? []) as readonly { readonly url: string }[];
    return METHODS.flatMap((method) => {
      const raw = item[method] as RawOperation | undefined;
      return raw ? operationOf(api, raw, { method, path, server: server.url }) : [];
    });
  });

function operationOf(api: Document, raw: RawOperation, at: Pick<Operation, 'method' | 'path' | 'server'>): Operation {
  const { operationId: id, tags, summary, description = '' } = raw;
  const [type, content] = Object.entries(raw.requestBody?.content ?? {})[0] ?? [];
  const example = content?.example ?? content?.schema?.example ?? {};
  return {
    ...at,
    id,
    tag: tags[0] ?? '',
    summary,
    description,
    access: raw['x-access'] ?? 'everybody',
    isSocket: raw['x-websocket'] !== undefined && raw.responses['200'] === undefined,
    parameters: (raw.parameters ?? []).map((one) => parameterOf(api, resolved<RawParameter>(api, one))),
    body:
      type && content
        ? { type, schema: content.schema ?? {}, example: type.includes('json') ? JSON.stringify(example, null, 2) : '' }
        : undefined,
    answers: Object.entries(raw.responses).map(([status, response]) => {
      const { description: what = '', content: given = {} } = resolved(api, response);
      return { status, description: what, schema: Object.values(given)[0]?.schema };
    }),
    words: `${at.method} ${at.path} ${id} ${summary} ${tags.join(' ')}`.toLowerCase(),
  };
}

function parameterOf(api: Document, raw: RawParameter): Parameter {
  const schema = resolved<Schema>(api, raw.schema ?? {});
  return {
    name: raw.name,
    place: raw.in,
    isRequired: raw.required ?? raw.in === 'path',
    what: [raw.description ?? schema.description ?? '', defaultText(schema)].filter(Boolean).join('; '),
    choices: (schema.enum ?? []).map(String),
    hint: String(raw.example ?? schema.example ?? schema.default ?? ''),
  };
}

const defaultText = (schema: Schema): string =>
  schema.default === undefined ? '' : `default ${JSON.stringify(schema.default)}`;

const MOST_DEPTH = 6;

/** A line for each property, indented as deep as it is; in what is deeper than six levels only the type. */
export function schemaText(api: Document, given: Schema, depth = 0): string {
  const schema = resolved<Schema>(api, given);
  const { properties, items, additionalProperties: others } = schema;
  const parts = schema.allOf ?? schema.anyOf ?? schema.oneOf;
  if (depth >= MOST_DEPTH) return '';
  if (parts)
    return parts
      .map((part) => schemaText(api, part, depth))
      .filter(Boolean)
      .join('\n');
  if (items) return schemaText(api, items, depth);
  const lines = Object.entries(properties ?? {}).flatMap(([name, property]) => {
    const one = resolved<Schema>(api, property);
    const isNeeded = schema.required?.includes(name) ? '' : '?';
    const inner = schemaText(api, one, depth + 1);
    const line = `${'  '.repeat(depth)}${name}${isNeeded}: ${typeText(api, one)}${aboutText(one)}`;
    return inner === '' ? [line] : [line, inner];
  });
  if (typeof others === 'object') lines.push(`${'  '.repeat(depth)}[name]: ${typeText(api, others)}`);
  return lines.join('\n');
}

function typeText(api: Document, given: Schema): string {
  const schema = resolved<Schema>(api, given);
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum) return schema.enum.map((each) => JSON.stringify(each)).join(' | ');
  if (schema.items) return `${typeText(api, schema.items)}[]`;
  const parts = schema.anyOf ?? schema.oneOf;
  if (parts) return [...new Set(parts.map((part) => typeText(api, part)))].join(' | ');
  return [schema.type ?? 'object'].flat().join(' | ');
}

function aboutText(schema: Schema): string {
  const unit = schema['x-unit'] ? `in ${schema['x-unit']}` : '';
  const about = [unit, schema.description ?? '', defaultText(schema)].filter(Boolean).join('; ');
  return about === '' ? '' : `    ${about}`;
}
