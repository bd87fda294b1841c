/** Every change of the tables, oldest first. A name that was ever released stays (see `lib/store/migrations`). */

import { Migration } from '@mikro-orm/migrations';

const HOUR_OF_ROWS = 'series integer not null, hour integer not null, rows blob not null, primary key (series, hour)';

/**
 * Series, hours of seconds and minutes, sums of hours, intervals, and the journal of newer rows. Released with 0.1.0.
 */
class FirstHistoryTables extends Migration {
  override up(): void {
    this.addSql(`create table history_series (
      id integer not null primary key,
      unit_id text not null,
      source text not null,
      frequency text not null,
      time text not null,
      ready integer not null,
      intervals_from integer null,
      intervals_to integer null
    )`);
    this.addSql('create index history_series_unit on history_series (unit_id)');
    this.addSql(`create table history_second_hour (${HOUR_OF_ROWS})`);
    this.addSql(`create table history_minute_hour (${HOUR_OF_ROWS})`);
    this.addSql(`create table history_hour (
      series integer not null,
      hour integer not null,
      leq integer not null,
      lmax integer not null,
      lmax_at integer not null,
      lmin integer not null,
      lpeak integer not null,
      lp integer not null,
      steps integer not null,
      readings integer not null,
      over integer not null,
      under integer not null,
      frozen integer not null,
      implausible integer not null,
      second_bytes integer not null,
      minute_bytes integer not null,
      counts blob not null,
      spans blob not null,
      primary key (series, hour)
    )`);
    this.addSql(`create table history_interval (
      series integer not null,
      at integer not null,
      duration integer not null,
      leq integer not null,
      lmax integer not null,
      lmin integer not null,
      lpeak integer not null,
      ln text null,
      line integer null,
      primary key (series, at)
    ) without rowid`);
    this.addSql(
      'create table history_journal (id integer not null primary key, head text not null, rows blob not null)',
    );
  }

  override down(): void {
    for (const name of ['series', 'second_hour', 'minute_hour', 'hour', 'interval', 'journal']) {
      this.addSql(`drop table history_${name}`);
    }
  }
}

const TABLES = ['history_hour', 'history_interval'];

/** A column for levels and flags from after the first release: JSON by name. Adds the column `more`. */
class MoreQuantities extends Migration {
  override up(): void {
    for (const table of TABLES) this.addSql(`alter table ${table} add column more text null`);
  }

  override down(): void {
    for (const table of TABLES) this.addSql(`alter table ${table} drop column more`);
  }
}

/**
 * The channel of the meter for each series. Adds the column `channel`; null is the main channel, as in all earlier
 * rows.
 */
class ChannelOfASeries extends Migration {
  override up(): void {
    this.addSql('alter table history_series add column channel text null');
  }

  override down(): void {
    this.addSql('alter table history_series drop column channel');
  }
}

/** Run in this order, each once. */
export const historyMigrations = [
  { name: '0001-first-tables', class: FirstHistoryTables },
  { name: '0002-more-quantities', class: MoreQuantities },
  { name: '0003-channel-of-a-series', class: ChannelOfASeries },
];
