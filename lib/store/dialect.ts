/** In what SQLite and PostgreSQL differ, as far as tables of plugins meet it. */
import type { SqlEntityManager } from '@mikro-orm/sqlite';

/** One database's way to say the same. */
export interface SqlDialect {
  /** A statement of a migration as this database takes it. */
  statement(sql: string): string;
  /** Makes others wait who want to change tables, until the transaction ends. */
  lockTables(em: SqlEntityManager): Promise<void>;
  /** Rows without a value come last where nothing else is said. */
  readonly nullsLast: boolean;
  readonly offsetNeedsLimit: boolean;
}

/** The statements of plugins are written as SQLite takes them, and only one gateway has its file. */
export const SQLITE: SqlDialect = {
  statement: (sql) => sql,
  lockTables: async () => {},
  nullsLast: false,
  offsetNeedsLimit: true,
};
