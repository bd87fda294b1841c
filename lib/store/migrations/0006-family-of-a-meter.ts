/** To which family of meters a unit belongs. */
import { Migration } from '@mikro-orm/migrations';

/** Adds the column `family` of a config. */
export class FamilyOfAMeter extends Migration {
  override up(): void {
    // There was only this family.
    this.addSql("alter table device_config add column family text not null default 'nl43'");
  }

  override down(): void {
    this.addSql('alter table device_config drop column family');
  }
}
