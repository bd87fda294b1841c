/** The way to PostgreSQL. A gateway on SQLite loads nothing of it. */
import type { DatabaseAddress } from '../domain/database-address.ts';
import type { Database } from './database.ts';
import type { ServerOptions } from './postgres/index.ts';

/** Throws as `openServer`. */
export async function onServer(address: DatabaseAddress, options: ServerOptions): Promise<Database> {
  const { openServer } = await import('./postgres/index.ts');
  return openServer(address, options);
}
