/** What the mirror knows of each file and each unit. */
import { defineTable, field, type Table, type TableMigration } from '../../lib/index.ts';

export type FileState = 'complete' | 'growing' | 'gone_from_card';

const text = field<string>({ column: 'text', fresh: '', schema: {} });
const count = field<number>({ column: 'integer', fresh: 0, schema: {} });
const moment = field<number | null>({ column: 'integer', nullable: true, fresh: null, schema: {} });

export const FILES = defineTable('mirror_file', ['id'], {
  /** Names the file on this disk; see `places.ts`. */
  id: text,
  unitId: text,
  /** The cards of a unit count from 1. */
  card: count,
  path: text,
  /** As listed: bytes, and the text of the time. */
  size: count,
  modified: text,
  /** Of the file here; null until it is whole for the first time. */
  sha256: field<string | null>({ column: 'text', nullable: true, fresh: null, schema: {} }),
  /** Bytes of the file here that `sha256` is of. */
  kept: count,
  fetchedAt: moment,
  state: field<FileState>({ column: 'text', fresh: 'growing', schema: {} }),
  /** Bytes of a half file that are surely on the disk. */
  half: count,
  /** The hash of the bytes that became history; null: none did. */
  parsed: field<string | null>({ column: 'text', nullable: true, fresh: null, schema: {} }),
  /** Rows of the history that they made. */
  rows: count,
  /** What could not be read in them, with its line. */
  problems: field<readonly string[]>({ column: 'json', fresh: [], schema: {} }),
});
export type FileRow = typeof FILES extends Table<infer Row> ? Row : never;

export const UNITS = defineTable('mirror_unit', ['unitId'], {
  unitId: text,
  /** The card that was seen last. */
  card: count,
  lastRun: moment,
  /** The local day that `dayBytes` were fetched in. */
  day: text,
  dayBytes: count,
});
export type UnitRow = typeof UNITS extends Table<infer Row> ? Row : never;

/** Looks at the clock of a meter. */
export const CLOCKS = defineTable('mirror_clock', ['unitId', 'at'], {
  unitId: text,
  at: count,
  offset: count,
  uncertainty: count,
});
export type ClockRow = typeof CLOCKS extends Table<infer Row> ? Row : never;

const level = field<number | null>({ column: 'real', nullable: true, fresh: null, schema: {} });

/** Card and live compared, an hour each. */
export const HOURS = defineTable('mirror_hour', ['unitId', 'hour'], {
  unitId: text,
  /** Seconds since 1970. */
  hour: count,
  compared: count,
  meanDifference: level,
  largestDifference: level,
  filled: count,
  otherWeighting: field<string | null>({ column: 'text', nullable: true, fresh: null, schema: {} }),
});
export type HourRow = typeof HOURS extends Table<infer Row> ? Row : never;

export const MIGRATIONS: readonly TableMigration[] = [
  {
    name: '0001-mirror',
    statements: [
      `create table mirror_file (
        id text not null primary key,
        unit_id text not null,
        card integer not null,
        path text not null,
        size integer not null,
        modified text not null,
        sha256 text null,
        kept integer not null,
        fetched_at integer null,
        state text not null,
        half integer not null
      )`,
      'create index mirror_file_path on mirror_file (unit_id, card, path)',
      `create table mirror_unit (
        unit_id text not null primary key,
        card integer not null,
        last_run integer null,
        day text not null,
        day_bytes integer not null
      )`,
    ],
  },
  {
    name: '0002-history',
    statements: [
      'alter table mirror_file add column parsed text null',
      'alter table mirror_file add column "rows" integer not null default 0',
      "alter table mirror_file add column problems json not null default '[]'",
      `create table mirror_clock (
        unit_id text not null,
        at integer not null,
        "offset" integer not null,
        uncertainty integer not null,
        primary key (unit_id, at)
      )`,
      `create table mirror_hour (
        unit_id text not null,
        hour integer not null,
        compared integer not null,
        mean_difference real null,
        largest_difference real null,
        filled integer not null,
        other_weighting text null,
        primary key (unit_id, hour)
      )`,
    ],
  },
];
