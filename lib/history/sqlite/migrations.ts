/** Every change of the tables, oldest first: its name and its statements. A name that was ever released stays. */

const HOUR_OF_ROWS = 'series integer not null, hour integer not null, rows blob not null, primary key (series, hour)';

/** Levels are hundredths of a dB, `hour` counts hours since 1970 UTC, blobs have the formats of `../rows`. */
export const HISTORY_MIGRATIONS: readonly (readonly [name: string, statements: readonly string[]])[] = [
  [
    // Released with 0.1.0.
    '0001-first-tables',
    [
      `create table history_series (
         id integer not null primary key,
         unit_id text not null,
         source text not null,
         frequency text not null,
         time text not null,
         ready integer not null,
         intervals_from integer null,
         intervals_to integer null
       )`,
      'create index history_series_unit on history_series (unit_id)',
      `create table history_second_hour (${HOUR_OF_ROWS})`,
      `create table history_minute_hour (${HOUR_OF_ROWS})`,
      `create table history_hour (
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
       )`,
      `create table history_interval (
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
       ) without rowid`,
      'create table history_journal (id integer not null primary key, head text not null, rows blob not null)',
    ],
  ],
  [
    // Levels and flags from after the first release: JSON by name.
    '0002-more-quantities',
    ['alter table history_hour add column more text null', 'alter table history_interval add column more text null'],
  ],
  // Null is the main channel, as in all earlier rows.
  ['0003-channel-of-a-series', ['alter table history_series add column channel text null']],
];
