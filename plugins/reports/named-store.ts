/** Templates and letterheads from people, by name: read from memory, on the disk before memory shows a change. */
import {
  type Clock,
  columns,
  defineTable,
  invalid,
  SureChanges,
  type Table,
  type TableMigration,
  type Tables,
} from '../../lib/index.ts';

/** The kind of a named text. */
type NamedKind = 'template' | 'letterhead';

/** Most of each kind. */
export const MOST_NAMED = 50;

interface NamedRow {
  readonly kind: NamedKind;
  readonly name: string;
  readonly body: object;
  /** ms since 1970 UTC. */
  readonly changedAt: number;
}

const { integer, json, text } = columns;

/** All of them. */
export const NAMED_BODIES: Table<NamedRow> = defineTable('reports_named', ['kind', 'name'], {
  kind: text<NamedKind>(),
  name: text(),
  body: json<object>(),
  changedAt: integer(),
});

/** The steps in the life of this table. */
export const NAMED_MIGRATIONS: readonly TableMigration[] = [
  {
    name: '0003-named',
    statements: [
      `create table reports_named (
        kind text not null, name text not null, body json not null, changed_at integer not null, primary key (kind, name)
      )`,
    ],
  },
];

/** All of one kind. */
export class NamedStore<Body extends object> {
  readonly #tables: Tables;
  readonly #kind: NamedKind;
  readonly #clock: Pick<Clock, 'now' | 'after'>;
  readonly #bodies = new Map<string, Body>();
  readonly #changes: SureChanges;

  constructor(tables: Tables, kind: NamedKind, clock: Pick<Clock, 'now' | 'after'>) {
    this.#tables = tables;
    this.#kind = kind;
    this.#clock = clock;
    this.#changes = new SureChanges(clock, () => this.load());
  }

  async load(): Promise<void> {
    const found = await this.#tables.read((rows) => rows.find(NAMED_BODIES, { where: { kind: this.#kind } }));
    this.#bodies.clear();
    for (const { name, body } of found) this.#bodies.set(name, body as Body);
  }

  /** By name. */
  list(): readonly (readonly [name: string, body: Body])[] {
    return [...this.#bodies].toSorted(([one], [other]) => (one < other ? -1 : 1));
  }

  find(name: string): Body | undefined {
    return this.#bodies.get(name);
  }

  /** Errors: INVALID where there are too many; STORAGE_FULL, STORAGE_FAILED. */
  put(name: string, body: Body): Promise<void> {
    return this.#changes.inTurn(async () => {
      if (!this.#bodies.has(name) && this.#bodies.size >= MOST_NAMED)
        throw invalid([{ path: '', message: `there are ${MOST_NAMED} already, which is the limit: remove one` }]);
      const row = { kind: this.#kind, name, body, changedAt: this.#clock.now() };
      await this.#tables.write((rows) => rows.put(NAMED_BODIES, [row]));
      this.#bodies.set(name, body);
    });
  }

  /** Errors: STORAGE_FULL, STORAGE_FAILED. */
  remove(name: string): Promise<void> {
    return this.#changes.inTurn(async () => {
      await this.#tables.write((rows) => rows.remove(NAMED_BODIES, { kind: this.#kind, name }));
      this.#bodies.delete(name);
    });
  }

  /** Nothing is looked up by itself any more. */
  close(): void {
    this.#changes.close();
  }
}
