/** Name, place, zone and tags of a unit; its recorded levels, and its copied files. */
import { Migration } from '@mikro-orm/migrations';

const COLUMNS = [
  'name text null',
  'place text null',
  'latitude double null',
  'longitude double null',
  'timezone text null',
  'tags json null',
  // Off for existing meters: an update of the gateway must not record without a request.
  "history text not null default 'off'",
  'mirror json null',
];

/** Adds columns with their defaults. */
export class UnitsForPeople extends Migration {
  override up(): void {
    for (const column of COLUMNS) this.addSql(`alter table device_config add column ${column}`);
  }

  override down(): void {
    for (const column of COLUMNS) this.addSql(`alter table device_config drop column ${column.split(' ')[0]}`);
  }
}
