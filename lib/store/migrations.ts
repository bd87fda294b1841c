/**
 * Every change of the store's own tables on SQLite, oldest first. A name that was ever released stays: a database is
 * "newer" when it has a name that is not here.
 */
import type { TableMigration } from './contract.ts';

const added = (table: string, ...columns: readonly string[]): readonly string[] =>
  columns.map((column) => `alter table ${table} add column ${column}`);

/** Run in this order, each once. */
export const storeMigrations: readonly TableMigration[] = [
  {
    name: '0001-first-tables',
    statements: [
      `create table device_config (
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
    )`,
      `create table snapshot (
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
    )`,
      'create table store_fact (name text not null primary key, value text not null)',
    ],
  },
  {
    name: '0002-polling-and-moments',
    statements: [
      // Off for existing meters: an update of the gateway must not contact a meter.
      ...added(
        'device_config',
        'poll_enabled integer not null default false',
        'poll_interval_seconds integer not null default 60',
      ),
      // Null in older snapshots: `last_seen` is only the last of these times.
      ...added(
        'snapshot',
        ...['state_at', 'lp_at', 'levels_at', 'battery_at', 'power_at', 'card_at', 'unchanged_since'].map(
          (name) => `${name} integer null`,
        ),
      ),
    ],
  },
  {
    name: '0003-units-for-people',
    statements: added(
      'device_config',
      'name text null',
      'place text null',
      'latitude double null',
      'longitude double null',
      'timezone text null',
      'tags json null',
      // Off for existing meters: an update of the gateway must not record without a request.
      "history text not null default 'off'",
      'mirror json null',
    ),
  },
  {
    name: '0004-tables-of-plugins',
    statements: ['create table plugin_migration (name text not null primary key)'],
  },
  { name: '0005-meter-of-a-unit', statements: added('snapshot', 'meter json null') },
  // There was only this family.
  { name: '0006-family-of-a-meter', statements: added('device_config', "family text not null default 'nl43'") },
  { name: '0007-source-of-the-start', statements: added('snapshot', 'measurement_start_source text null') },
  { name: '0008-further-levels', statements: added('snapshot', 'levels json null') },
  { name: '0009-channels-of-the-history', statements: added('device_config', 'history_channels json null') },
  {
    name: '0010-last-days-of-a-meter',
    statements: added('device_config', 'verified_until text null', 'sim_valid_until text null'),
  },
];
