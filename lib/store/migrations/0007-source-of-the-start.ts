/** How the start of the present measurement is known. */
import { Migration } from '@mikro-orm/migrations';

/** Adds the column `measurement_start_source` of a snapshot. */
export class SourceOfTheStart extends Migration {
  override up(): void {
    this.addSql('alter table snapshot add column measurement_start_source text null');
  }

  override down(): void {
    this.addSql('alter table snapshot drop column measurement_start_source');
  }
}
