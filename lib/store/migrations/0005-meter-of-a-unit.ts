/** Which meter answered last, and where. */
import { Migration } from '@mikro-orm/migrations';

/** Adds the column `meter` of a snapshot: endpoint, serial number and model, as JSON. */
export class MeterOfAUnit extends Migration {
  override up(): void {
    this.addSql('alter table snapshot add column meter json null');
  }

  override down(): void {
    this.addSql('alter table snapshot drop column meter');
  }
}
