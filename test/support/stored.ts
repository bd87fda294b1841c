/** Content of the database of a gateway, of both kinds: for tests of data that no answer shows. */
import { join } from 'node:path';
import Database from 'better-sqlite3';
import type { World } from './world.ts';

/** Runs one statement that both databases take. Resolves with the rows that it gives or changes (`returning`). */
export async function inStore<Row extends object>(world: World, statement: string): Promise<Row[]> {
  if (world.databaseUrl !== '') {
    const { inDatabase } = await import('./postgres.ts');
    return inDatabase<Row>(world.databaseUrl, statement);
  }
  const database = new Database(join(world.dataDir, 'data', 'gateway.db'));
  try {
    return database.prepare(statement).all() as Row[];
  } finally {
    database.close();
  }
}
