/** A column for levels and flags from after the first release: JSON by name. */
import { Migration } from '@mikro-orm/migrations';

const TABLES = ['history_hour', 'history_interval'];

/** Adds the column `more`. */
export class MoreQuantities extends Migration {
  override up(): void {
    for (const table of TABLES) this.addSql(`alter table ${table} add column more text null`);
  }

  override down(): void {
    for (const table of TABLES) this.addSql(`alter table ${table} drop column more`);
  }
}
