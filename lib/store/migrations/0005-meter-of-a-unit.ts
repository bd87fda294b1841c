/** Which meter answered last, and where. */
import { Migration } from '@mikro-orm/migrations';

export class MeterOfAUnit extends Migration {
  override up(): void {
    this.addSql('alter table snapshot add column meter json null');
  }

  override down(): void {
    this.addSql('alter table snapshot drop column meter');
  }
}
