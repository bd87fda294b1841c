/** The channel of the meter for each series. */
import { Migration } from '@mikro-orm/migrations';

/** Adds the column `channel`; null is the main channel, as in all earlier rows. */
export class ChannelOfASeries extends Migration {
  override up(): void {
    this.addSql('alter table history_series add column channel text null');
  }

  override down(): void {
    this.addSql('alter table history_series drop column channel');
  }
}
