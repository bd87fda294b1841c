/** Name, place, zone and tags of a unit; what of it is kept, and what is mirrored. */
import { Migration } from '@mikro-orm/migrations';

const COLUMNS = [
  'name text null',
  'place text null',
  'latitude double null',
  'longitude double null',
  'timezone text null',
  'tags json null',
  // Off for the meters that are there already: an update of the gateway keeps nothing that nobody asked for.
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
