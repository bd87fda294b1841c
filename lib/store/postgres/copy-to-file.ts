/** The whole database of a server as a `gateway.db`, as a gateway on SQLite has it: what a backup holds, and the way back. */
import { chmod, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { IsolationLevel } from '@mikro-orm/core';
import type { MikroORM, SqlEntityManager } from '@mikro-orm/postgresql';
import BetterSqlite from 'better-sqlite3';
import { systemClock } from '../../clock.ts';
import { createLog } from '../../log.ts';
import { moveOver } from '../../system.ts';
import { openDatabase } from '../orm.ts';
import { type Carried, compared, OWN_FACTS, quoted, serverRows } from './carried.ts';
import { type CopiedTable, OWN_TABLES, sqliteStatements, tablesOf } from './schema.ts';

/**
 * Everything as it is at one moment, read in one transaction of `orm` and compared. `file` is replaced when the copy is whole.
 */
export async function copyToFile(orm: MikroORM, file: string): Promise<readonly Carried[]> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  const folder = await mkdtemp(join(dirname(file), '.copy-'));
  try {
    await (await openDatabase(folder, { clock: systemClock, log: createLog('silent') })).close();
    const draft = join(folder, 'gateway.db');
    const carried = await orm.em
      .fork()
      .transactional((em) => fill(draft, em), { isolationLevel: IsolationLevel.REPEATABLE_READ, readOnly: true });
    await chmod(draft, 0o600);
    await moveOver(draft, file);
    return carried;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function fill(path: string, em: SqlEntityManager): Promise<readonly Carried[]> {
  const native = new BetterSqlite(path);
  try {
    native.exec('begin');
    const carried: Carried[] = [];
    for (const table of await tablesOf(em)) {
      if (OWN_TABLES.includes(table.name)) native.exec(`delete from "${table.name}"`);
      else for (const statement of sqliteStatements(table)) native.exec(statement);
      await fillTable(native, em, table);
      carried.push(await compared(em, native, table));
    }
    native.exec(`delete from store_fact where name in (${OWN_FACTS.map((name) => `'${name}'`).join(', ')})`);
    native.exec('commit');
    native.pragma('wal_checkpoint(truncate)');
    return carried;
  } finally {
    native.close();
  }
}

async function fillTable(native: BetterSqlite.Database, em: SqlEntityManager, table: CopiedTable): Promise<void> {
  const names = table.columns.map(({ name }) => name);
  const marks = names.map(() => '?').join(', ');
  const insert = native.prepare(`insert into "${table.name}" (${quoted(names)}) values (${marks})`);
  for await (const rows of serverRows(em, table))
    for (const row of rows) insert.run(names.map((name) => sqliteValue(row[name])));
}

const sqliteValue = (value: unknown): unknown => (typeof value === 'boolean' ? Number(value) : value);
