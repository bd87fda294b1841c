/** The way to PostgreSQL. A gateway on SQLite loads nothing of it. */
import type { DatabaseAddress } from '../domain/database-address.ts';
import type { Database } from './database.ts';
import type { DatabaseVisit, ServerOptions } from './postgres/index.ts';

/** Throws as `openServer`. */
export async function onServer(address: DatabaseAddress, options: ServerOptions): Promise<Database> {
  const { openServer } = await import('./postgres/index.ts');
  return openServer(address, options);
}

/** Throws as `visitServer` there. */
export async function visitOnServer(address: DatabaseAddress, options: ServerOptions): Promise<DatabaseVisit> {
  const server = await import('./postgres/index.ts');
  return server.visitServer(address, options);
}
