/**
 * Parts of a document that are written once and referenced elsewhere. A schema whose `title` is a name in one word,
 * such as `AlertRule`, becomes a component of this name.
 */
import type { Route, Schema, SocketRoute } from '../contract.ts';

type Json = Record<string, unknown>;

/** A section below `components`. */
export type ComponentKind = 'schemas' | 'responses' | 'parameters' | 'messages';

const NAME = /^[A-Z][A-Za-z0-9]*$/;
/** Keywords whose value is a schema, a list of schemas, or an object of schemas. */
const WITHIN = ['items', 'additionalProperties', 'not', 'anyOf', 'oneOf', 'allOf', 'prefixItems'];

/** The components of one document, filled while it is written. */
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
 * Name of an operation for programs: `getLive`, `setClock`, `createAlertRule`, `ackAlertEvent`. It comes from the words
 * of the path.
 * The name of a POST is its last word, which is a verb, or "create" if the route answers 201. A word before another
 * word or a parameter is in the singular. A route may have a name of its own.
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
