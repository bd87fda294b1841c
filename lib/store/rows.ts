/**
 * Rows of tables that are defined by their fields. By the query builder of the ORM: entities for all these tables were a
 * quarter of the work of a start.
 */
import type { SqlEntityManager } from '@mikro-orm/sqlite';
import { type Field, snakeCase, type Table } from '../domain/fields/field.ts';
import type { Rows, Selection, Where } from './contract.ts';
import type { SqlDialect } from './dialect.ts';

const BATCH_ROWS = 500;

/** One table, with all its columns as the database has them. */
type Records = Record<string, Record<string, unknown>>;

/** Must not be used after the work has ended: a late statement would be outside its transaction. */
export function rowsIn(
  em: SqlEntityManager,
  signal: AbortSignal,
  known: ReadonlySet<string>,
  { nullsLast, offsetNeedsLimit }: SqlDialect,
): Rows {
  const db = em.getKysely<Records>();
  const nameOf = ({ name }: { readonly name: string }): string => {
    signal.throwIfAborted();
    if (!known.has(name)) throw new Error(`the table ${name} is not among those that were opened`);
    return name;
  };
  async function insert<Row>(table: Table<Row>, rows: readonly Row[], replace: boolean) {
    const columns = Object.keys(table.fields).map(snakeCase);
    const keys = table.key.map(snakeCase);
    const others = columns.filter((column) => !keys.includes(column));
    for (let from = 0; from < rows.length; from += BATCH_ROWS) {
      const values = rows.slice(from, from + BATCH_ROWS).map((row) => kept(table, row as object));
      const query = db.insertInto(nameOf(table)).values(values);
      const put = query.onConflict((conflict) =>
        others.length === 0
          ? conflict.columns(keys).doNothing()
          : conflict
              .columns(keys)
              .doUpdateSet((eb) => Object.fromEntries(others.map((one) => [one, eb.ref(`excluded.${one}`)]))),
      );
      await (replace ? put : query).execute();
    }
  }
  return {
    async find<Row>(table: Table<Row>, { where = {}, order = {}, limit, offset }: Selection<Row> = {}) {
      let query = db.selectFrom(nameOf(table)).selectAll();
      for (const one of conditions(table, where)) query = query.where(...one);
      for (const [name, way] of Object.entries(order)) {
        // Rows without a value come first, and in the other direction last.
        const said = nullsLast && fieldOf(table, name).nullable;
        query = query.orderBy(snakeCase(name), (by) => {
          if (way === 'desc') return said ? by.desc().nullsLast() : by.desc();
          return said ? by.asc().nullsFirst() : by.asc();
        });
      }
      if (limit !== undefined) query = query.limit(limit);
      // A negative limit means no limit.
      else if (offset !== undefined && offsetNeedsLimit) query = query.limit(-1);
      if (offset !== undefined) query = query.offset(offset);
      return (await query.execute()).map((record) => rowOf<Row>(table, record));
    },
    async count(table, where = {}) {
      let query = db.selectFrom(nameOf(table)).select(({ fn }) => fn.countAll<number>().as('count'));
      for (const one of conditions(table, where)) query = query.where(...one);
      return (await query.executeTakeFirstOrThrow()).count;
    },
    put: (table, rows) => insert(table, rows, true),
    add: (table, rows) => insert(table, rows, false),
    async change(table, where, values) {
      let query = db.updateTable(nameOf(table)).set(kept(table, values));
      for (const one of conditions(table, where)) query = query.where(...one);
      return Number((await query.executeTakeFirst()).numUpdatedRows);
    },
    async remove(table, where) {
      let query = db.deleteFrom(nameOf(table));
      for (const one of conditions(table, where)) query = query.where(...one);
      return Number((await query.executeTakeFirst()).numDeletedRows);
    },
    async unitsWithoutConfig(table) {
      return (await em.execute<{ id: string }[]>(unitsWithoutConfig(nameOf(table)))).map(({ id }) => id);
    },
  };
}

/** From one unit to the next in the index: a table may have thousands of rows of each. */
const unitsWithoutConfig = (table: string): string => `
  with recursive unit (id) as (
    select min(unit_id) from ${table}
    union all
    select (select min(unit_id) from ${table} where unit_id > unit.id) from unit where unit.id is not null
  )
  select id from unit where id is not null and id not in (select unit_id from device_config)`;

function fieldOf(table: Pick<Table<never>, 'name' | 'fields'>, name: string): Field {
  const field = table.fields[name];
  if (!field) throw new Error(`the table ${table.name} has no field ${name}`);
  return field;
}

/** Values as they are kept, by column: truth as 0 and 1, and JSON as text. */
function kept<Row>(table: Table<Row>, values: object): Record<string, unknown> {
  const given = Object.entries(values).filter(([, value]) => value !== undefined);
  return Object.fromEntries(given.map(([name, value]) => [snakeCase(name), keptValue(fieldOf(table, name), value)]));
}

function keptValue({ column }: Field, value: unknown): unknown {
  if (value === null) return null;
  if (column === 'boolean') return value ? 1 : 0;
  return column === 'json' ? JSON.stringify(value) : value;
}

/** How a field is read, by its name and its column. */
type Reading = readonly [name: string, column: string, read: (value: unknown) => unknown];

const readings = new WeakMap<object, readonly Reading[]>();

/** Worked out once for each table: a year of a station is half a million rows. */
function readingsOf({ fields }: Pick<Table<never>, 'fields'>): readonly Reading[] {
  const known = readings.get(fields);
  if (known) return known;
  const made = Object.entries(fields).map(
    ([name, { column }]): Reading => [name, snakeCase(name), READ[column] ?? same],
  );
  readings.set(fields, made);
  return made;
}

const same = (value: unknown): unknown => value;
const READ: Readonly<Record<string, (value: unknown) => unknown>> = {
  boolean: (value) => value !== 0,
  json: (value) => JSON.parse(String(value)),
};

function rowOf<Row>(table: Table<Row>, record: Readonly<Record<string, unknown>>): Row {
  const row: Record<string, unknown> = {};
  for (const [name, column, read] of readingsOf(table)) {
    const value = record[column];
    row[name] = value === null ? null : read(value);
  }
  return row as Row;
}

const SPANS = { atLeast: '>=', above: '>', atMost: '<=', below: '<' } as const;
type Operator = (typeof SPANS)[keyof typeof SPANS] | '=' | 'in' | 'is' | 'is not';

function conditions<Row>(table: Table<Row>, where: Where<Row>): [column: string, operator: Operator, value: unknown][] {
  return Object.entries(where).flatMap(([name, condition]) => {
    if (condition === undefined) return [];
    const field = fieldOf(table, name);
    return operands(condition).map(([operator, value]): [string, Operator, unknown] => [
      snakeCase(name),
      operator,
      Array.isArray(value) ? value.map((one) => keptValue(field, one)) : keptValue(field, value),
    ]);
  });
}

function operands(condition: unknown): [Operator, unknown][] {
  if (condition === null) return [['is', null]];
  // An empty list matches nothing: the condition is "null and not null".
  if (Array.isArray(condition) && condition.length === 0)
    return [
      ['is', null],
      ['is not', null],
    ];
  if (Array.isArray(condition)) return [['in', condition]];
  if (typeof condition !== 'object') return [['=', condition]];
  return Object.entries(condition as object).map(([word, value]) => [SPANS[word as keyof typeof SPANS], value]);
}
