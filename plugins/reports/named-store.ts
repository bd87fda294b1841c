/** Templates and letterheads from people, by name. */
import { invalid } from '../../lib/built-in.ts';
import { type Clock, columns, defineTable, NamedRows, type TableMigration, type Tables } from '../../lib/index.ts';

export const MOST_NAMED = 50;

const { integer, json, text } = columns;

export const NAMED_BODIES = defineTable('reports_named', ['kind', 'name'], {
  kind: text<'template' | 'letterhead'>(),
  name: text(),
  body: json<object>(),
  changedAt: integer(),
});

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

export type NamedStore<Body extends object> = ReturnType<typeof namedStore<Body>>;

/** All of one kind. Call `load` before the first use. */
export function namedStore<Body extends object>(tables: Tables, kind: 'template' | 'letterhead', clock: Clock) {
  const full = () =>
    invalid([{ path: '', message: `there are ${MOST_NAMED} already, which is the limit: remove one` }]);
  const rows = new NamedRows(tables, clock, { table: NAMED_BODIES, where: { kind }, most: MOST_NAMED, full });
  return {
    load: () => rows.load(),
    close: () => rows.close(),
    /** By name. */
    list: () => rows.list().map(({ name, body }) => [name, body as Body] as const),
    find: (name: string) => rows.find(name)?.body as Body | undefined,
    /** Errors: INVALID where there are too many; STORAGE_FULL, STORAGE_FAILED. */
    put: (name: string, body: Body) => rows.put({ kind, name, body }),
    remove: (name: string) => rows.remove(name),
  };
}
