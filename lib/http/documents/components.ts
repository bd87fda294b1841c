/**
 * What a document names once and points to from everywhere else. A schema whose `title` is a name in one word, such as
 * `AlertRule`, becomes a component of this name wherever it stands.
 */
import type { Schema } from '../contract.ts';

type Json = Record<string, unknown>;

export type Kind = 'schemas' | 'responses' | 'parameters' | 'messages';

const NAME = /^[A-Z][A-Za-z0-9]*$/;
/** Keywords whose value is a schema, a list of schemas, or an object of schemas. */
const WITHIN = ['items', 'additionalProperties', 'not', 'anyOf', 'oneOf', 'allOf', 'prefixItems'];

export class Components {
  readonly #kinds = new Map<Kind, Map<string, Json>>();

  /** A reference to the component of this name, which is added if it is missing. If another schema has this name, the schema itself is returned. */
  put(kind: Kind, name: string, content: Json): Json {
    const named = this.#kinds.get(kind) ?? new Map<string, Json>();
    this.#kinds.set(kind, named);
    const present = named.get(name);
    if (present && JSON.stringify(present) !== JSON.stringify(content)) return content;
    named.set(name, content);
    return { $ref: `#/components/${kind}/${name}` };
  }

  /** The same schema, with a reference in place of each part that has a name. */
  schema(schema: Schema): Json {
    const whole = this.#parts(schema);
    const { title } = schema;
    return typeof title === 'string' && NAME.test(title) ? this.put('schemas', title, whole) : whole;
  }

  /** A schema that has no name of its own gets this one. */
  named(name: string, schema: Schema): Json {
    const title = typeof schema.title === 'string' && NAME.test(schema.title) ? schema.title : name;
    return this.put('schemas', title, this.#parts(schema));
  }

  /** As the document has them: by kind, by name. */
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
