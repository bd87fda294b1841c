/** Which channels of a unit are recorded. */
import { Migration } from '@mikro-orm/migrations';

/** Adds the column `history_channels` of a config; null: the main channel alone. */
export class ChannelsOfTheHistory extends Migration {
  override up(): void {
    this.addSql('alter table device_config add column history_channels json null');
  }

  override down(): void {
    this.addSql('alter table device_config drop column history_channels');
  }
}
