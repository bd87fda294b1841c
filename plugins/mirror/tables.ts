/** The tables of the mirror: the state of each file and each unit. */
import { columns, defineTable, type Table, type TableMigration } from '../../lib/index.ts';

/** `growing`: not whole yet, or changed while it was fetched. */
export type FileState = 'complete' | 'growing' | 'gone_from_card';

const { boolean, integer, integerOrNull, json, realOrNull, text, textOrNull } = columns;

/** The copies of all units and cards. */
export const FILES = defineTable('mirror_file', ['id'], {
  /** The name of the file on this disk; see `places.ts`. */
  id: text(),
  unitId: text(),
  /** The cards of a unit count from 1. */
  card: integer(),
  path: text(),
  /** As listed: bytes, and the text of the time. */
  size: integer(),
  modified: text(),
  /** The hash of the copy; null until it is complete for the first time. */
  sha256: textOrNull(),
  /** Bytes of the copy that `sha256` belongs to. */
  kept: integer(),
  /** The listed time of those bytes: the file on the card may have another time now. */
  wholeModified: textOrNull(),
  fetchedAt: integerOrNull(),
  state: text<FileState>(),
  /** Bytes of a half file that are certainly on the disk. */
  half: integer(),
  /** The hash of the bytes that were read into the history; null: not read. */
  parsed: textOrNull(),
  /** The number of rows of the history from them. */
  rows: integer(),
  /** Their problems, each with its line. */
  problems: json<readonly string[]>(),
  /** End of the name of the copy on this disk; see `pathOfCopy`. */
  stored: text(),
});
export type FileRow = typeof FILES extends Table<infer Row> ? Row : never;

/** Replaced copies of files. The present copy is in the row of the file itself. */
export const VERSIONS = defineTable('mirror_version', ['id', 'sha256'], {
  id: text(),
  sha256: text(),
  unitId: text(),
  card: integer(),
  path: text(),
  size: integer(),
  /** As listed at the time of the transfer; null: not known. */
  modified: textOrNull(),
  fetchedAt: integerOrNull(),
  replacedAt: integer(),
  stored: text(),
  /** The newer copy begins with these bytes: this copy is removed as soon as possible. */
  contained: boolean(),
});
export type VersionRow = typeof VERSIONS extends Table<infer Row> ? Row : never;

/** The present card of each unit, and the time of its last run. */
export const UNITS = defineTable('mirror_unit', ['unitId'], {
  unitId: text(),
  card: integer(),
  lastRun: integerOrNull(),
  /** The local day of `dayBytes`. */
  day: text(),
  dayBytes: integer(),
});
export type UnitRow = typeof UNITS extends Table<infer Row> ? Row : never;

/** Readings of the clock of a meter. */
export const CLOCKS = defineTable('mirror_clock', ['unitId', 'at'], {
  unitId: text(),
  at: integer(),
  /** The meter's clock minus UTC. */
  offset: integer(),
  /** Plus or minus: the time of the request, and the clock shows whole seconds. */
  uncertainty: integer(),
});
export type ClockRow = typeof CLOCKS extends Table<infer Row> ? Row : never;

/** Card and live compared, an hour each. */
export const HOURS = defineTable('mirror_hour', ['unitId', 'hour'], {
  unitId: text(),
  hour: integer(),
  /** Minutes that are complete in both. */
  compared: integer(),
  /** Card minus stream, dB: the mean, and the largest absolute difference. */
  meanDifference: realOrNull(),
  largestDifference: realOrNull(),
  /** Whole seconds that only the card has. */
  filled: integer(),
  /** Of the stream, if it differs from that of the card. */
  otherWeighting: textOrNull(),
});
export type HourRow = typeof HOURS extends Table<infer Row> ? Row : never;

/** The time of the sound in a copied WAV file. */
export const RECORDINGS = defineTable('mirror_recording', ['id'], {
  id: text(),
  unitId: text(),
  card: integer(),
  path: text(),
  /** The hash of the copy that was read. */
  sha256: text(),
  size: integer(),
  /** ms since 1970 UTC; null: not known. */
  began: integerOrNull(),
  ended: integerOrNull(),
  /** The same, with the possible error of the clock of the meter. */
  earliest: integer(),
  latest: integer(),
  /** The reason if its time is not known. */
  problem: textOrNull(),
});
export type RecordingRow = typeof RECORDINGS extends Table<infer Row> ? Row : never;

export const MIRROR_MIGRATIONS: readonly TableMigration[] = [
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
  {
    name: '0003-time-of-the-whole-file',
    statements: [
      'alter table mirror_file add column whole_modified text null',
      "update mirror_file set whole_modified = modified where sha256 is not null and state <> 'growing'",
    ],
  },
  {
    name: '0004-versions',
    statements: [
      "alter table mirror_file add column stored text not null default ''",
      `create table mirror_version (
        id text not null,
        sha256 text not null,
        unit_id text not null,
        card integer not null,
        path text not null,
        size integer not null,
        modified text null,
        fetched_at integer null,
        replaced_at integer not null,
        stored text not null,
        contained boolean not null,
        primary key (id, sha256)
      )`,
      'create index mirror_version_path on mirror_version (unit_id, path)',
    ],
  },
  {
    name: '0005-recordings',
    statements: [
      `create table mirror_recording (
        id text not null primary key,
        unit_id text not null,
        card integer not null,
        path text not null,
        sha256 text not null,
        size integer not null,
        began integer null,
        ended integer null,
        earliest integer not null,
        latest integer not null,
        problem text null
      )`,
      'create index mirror_recording_time on mirror_recording (began, id)',
      'create index mirror_recording_unit on mirror_recording (unit_id, began)',
    ],
  },
];
