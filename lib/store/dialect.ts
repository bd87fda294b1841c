/** Differences between SQLite and PostgreSQL for tables of plugins. */
import type { SqlEntityManager } from '@mikro-orm/sqlite';
import { withColumns } from './whole-tables.ts';

/** Statements in the form of one database. */
export interface SqlDialect {
  /** Runs the statements of migrations, in their order. */
  run(em: SqlEntityManager, statements: readonly string[]): Promise<void>;
  /** Makes others who want to change tables wait until the transaction ends. False: there are no others. */
  lockTables(em: SqlEntityManager): Promise<boolean>;
  /** Rows without a value come last by default. */
  readonly nullsLast: boolean;
  readonly offsetNeedsLimit: boolean;
}

/**
 * The statements of plugins are written as SQLite takes them, and only one gateway has its file. It gets them as one text: one by one
 * they were a third of a first start.
 */
export const SQLITE: SqlDialect = {
  run: (em, statements) => em.getConnection().executeDump(withColumns(statements).join(';\n')),
  lockTables: async () => false,
  nullsLast: false,
  offsetNeedsLimit: true,
};
