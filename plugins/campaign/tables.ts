/** The tables of campaigns. Times are ms since 1970 UTC. */
import { columns, defineTable, type Table, type TableMigration } from '../../lib/index.ts';
import type { ProfileBody } from './profiles/profile.ts';
import type { Schedule } from './schedules/schedule.ts';

const { integer, integerOrNull, json, text, textOrNull } = columns;

export const PROFILES = defineTable('campaign_profile', ['name'], {
  name: text(),
  body: json<ProfileBody>(),
  createdAt: integer(),
  changedAt: integer(),
});

export const ASSIGNED = defineTable('campaign_assigned', ['unitId'], {
  unitId: text(),
  profile: text(),
  appliedAt: integer(),
});
export type AssignedRow = typeof ASSIGNED extends Table<infer Row> ? Row : never;

export const SETTING_VALUES = defineTable('campaign_value', ['unitId', 'name'], {
  unitId: text(),
  name: text(),
  value: text(),
  at: integer(),
});

/** As the gateway saw it; the first seen value counts as a change. */
export const SETTING_CHANGES = defineTable('campaign_setting_change', ['unitId', 'n'], {
  unitId: text(),
  n: integer(),
  name: text(),
  value: text(),
  at: integer(),
});
export type SettingChangeRow = typeof SETTING_CHANGES extends Table<infer Row> ? Row : never;

/** The last measurement that a cycle started on a unit. */
export const CYCLES = defineTable('campaign_cycle', ['unitId'], {
  unitId: text(),
  /** Four digits; null in manual store mode. */
  storeName: textOrNull(),
  startedAt: integer(),
  profile: textOrNull(),
});
export type CycleRow = typeof CYCLES extends Table<infer Row> ? Row : never;

export const SCHEDULES = defineTable('campaign_schedule', ['unitId'], {
  unitId: text(),
  body: json<Schedule>(),
  /** Runs up to this time are done. */
  handledUntil: integer(),
});
export type ScheduleRow = typeof SCHEDULES extends Table<infer Row> ? Row : never;

export const RUNS = defineTable('campaign_run', ['unitId', 'due', 'action', 'profile'], {
  unitId: text(),
  due: integer(),
  action: text(),
  /** Empty: no profile. */
  profile: text(),
  outcome: text<'started' | 'made_up' | 'missed' | 'not_started'>(),
  job: textOrNull(),
  detail: textOrNull(),
  /** The newest job when this run was about to be started; null: the outcome is known. */
  afterJob: integerOrNull(),
});
export type RunRow = typeof RUNS extends Table<infer Row> ? Row : never;

export const TABLES: readonly Table<never>[] = [
  PROFILES,
  ASSIGNED,
  SETTING_VALUES,
  SETTING_CHANGES,
  CYCLES,
  SCHEDULES,
  RUNS,
];

export const CAMPAIGN_MIGRATIONS: readonly TableMigration[] = [
  {
    name: '0001-profiles',
    statements: [
      `create table campaign_profile (
        name text not null primary key, body json not null, created_at integer not null,
        changed_at integer not null
      )`,
      `create table campaign_assigned (
        unit_id text not null primary key, profile text not null, applied_at integer not null
      )`,
      `create table campaign_value (
        unit_id text not null, name text not null, value text not null, at integer not null,
        primary key (unit_id, name)
      )`,
    ],
  },
  {
    name: '0002-cycles',
    statements: [
      `create table campaign_cycle (
        unit_id text not null primary key, store_name text null, started_at integer not null, profile text null
      )`,
    ],
  },
  {
    name: '0003-schedules',
    statements: [
      `create table campaign_schedule (
        unit_id text not null primary key, body json not null, handled_until integer not null
      )`,
      `create table campaign_run (
        unit_id text not null, due integer not null, action text not null, profile text not null,
        outcome text not null, job text null, detail text null, primary key (unit_id, due, action, profile)
      )`,
    ],
  },
  {
    name: '0004-setting-changes',
    statements: [
      `create table campaign_setting_change (
        unit_id text not null, n integer not null, name text not null, value text not null, at integer not null,
        primary key (unit_id, n)
      )`,
      // The known values of a meter are the first entries of this table.
      `insert into campaign_setting_change (unit_id, n, name, value, at)
        select unit_id, row_number() over (partition by unit_id order by at, name), name, value, at from campaign_value`,
    ],
  },
  { name: '0005-begun-runs', statements: ['alter table campaign_run add column after_job integer null'] },
];
