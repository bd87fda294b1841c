/** Device configs, last snapshots, and facts about the database. */
import { Migration } from '@mikro-orm/migrations';

/** Released with 0.1.0. */
export class FirstTables extends Migration {
  override up(): void {
    this.addSql(`create table device_config (
      unit_id text not null primary key,
      host text not null,
      tcp_port integer not null,
      tcp_enabled integer not null,
      ftp_enabled integer not null,
      web_enabled integer not null,
      ftp_port integer not null,
      ftp_mode text not null,
      ftp_username text null,
      ftp_password text null
    )`);
    this.addSql(`create table snapshot (
      unit_id text not null primary key,
      measurement_state text null,
      lp text null, leq text null, le text null, lmax text null, lmin text null, lpeak text null,
      ln1 text null, ln2 text null, ln3 text null, ln4 text null, ln5 text null,
      over_range integer null,
      under_range integer null,
      battery_level text null,
      battery_state text null,
      power_source text null,
      sd_remaining_mb text null,
      sd_free_ratio text null,
      measurement_start_time integer null,
      last_seen integer null
    )`);
    this.addSql('create table store_fact (name text not null primary key, value text not null)');
  }

  override down(): void {
    for (const table of ['device_config', 'snapshot', 'store_fact']) this.addSql(`drop table ${table}`);
  }
}
