/** Whether and how often a meter is read in the background; when each group of its values was measured. */
import { Migration } from '@mikro-orm/migrations';

const MOMENTS = ['state_at', 'lp_at', 'levels_at', 'battery_at', 'power_at', 'card_at', 'unchanged_since'];

/** Adds columns; values of older snapshots have no time of their own. */
export class PollingAndMoments extends Migration {
  override up(): void {
    // Off for existing meters: an update of the gateway must not contact a meter.
    this.addSql('alter table device_config add column poll_enabled integer not null default false');
    this.addSql('alter table device_config add column poll_interval_seconds integer not null default 60');
    // Moments of values from before are not known: `last_seen` is only the last one of them all.
    for (const name of MOMENTS) this.addSql(`alter table snapshot add column ${name} integer null`);
  }

  override down(): void {
    for (const name of MOMENTS) this.addSql(`alter table snapshot drop column ${name}`);
    for (const name of ['poll_enabled', 'poll_interval_seconds']) {
      this.addSql(`alter table device_config drop column ${name}`);
    }
  }
}
