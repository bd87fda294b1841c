/**
 * Result of all migrations for an empty SQLite database, as one text. With the ORM, one after the other, they take five
 * times as long.
 */
import type { MikroORM } from '@mikro-orm/sqlite';
import { withColumns } from '../whole-tables.ts';
import { storeMigrations } from './index.ts';

/** As the ORM creates it (`MigrationStorage`); a test compares the two. */
const DONE =
  "create table `mikro_orm_migrations` (`id` integer not null primary key autoincrement, `name` text not null, `executed_at` datetime not null default (strftime('%s', 'now') * 1000))";

/** All tables of the store, and the names of the migrations. Without a transaction around it. */
export function textForEmpty({ driver, config }: MikroORM): string {
  const statements = storeMigrations.flatMap(({ class: Step }) => {
    const step = new Step(driver, config);
    step.up();
    return step.getQueries().map(String);
  });
  const names = storeMigrations.map(({ name }) => `('${name}')`).join(', ');
  return [DONE, ...withColumns(statements), `insert into mikro_orm_migrations (name) values ${names}`].join(';\n');
}
