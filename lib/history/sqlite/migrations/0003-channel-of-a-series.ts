/** Of which channel of the meter a series is. */
import { Migration } from '@mikro-orm/migrations';

/** Adds the column `channel`; null is the main channel, of which all earlier rows are. */
export class ChannelOfASeries extends Migration {
  override up(): void {
    this.addSql('alter table history_series add column channel text null');
  }

  override down(): void {
    this.addSql('alter table history_series drop column channel');
  }
}
