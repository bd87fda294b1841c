/** A column for last levels without a column of their own: JSON by name. */
import { Migration } from '@mikro-orm/migrations';

/** Adds the column `levels` of a snapshot. */
export class FurtherLevels extends Migration {
  override up(): void {
    this.addSql('alter table snapshot add column levels json null');
  }

  override down(): void {
    this.addSql('alter table snapshot drop column levels');
  }
}
