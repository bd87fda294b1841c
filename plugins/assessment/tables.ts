/** The tables of assessments: presets and calendars of people. Times are ms since 1970 UTC. */
import { columns, defineTable, type Table, type TableMigration } from '../../lib/index.ts';
import type * as assessment from './model/index.ts';

const { integer, json, text } = columns;

export interface PresetRow {
  readonly name: string;
  readonly body: assessment.PresetBody;
  readonly changedAt: number;
}
export const OWN_PRESETS: Table<PresetRow> = defineTable('assessment_preset', ['name'], {
  name: text(),
  body: json<assessment.PresetBody>(),
  changedAt: integer(),
});

/** A day without work. */
export interface Holiday {
  /** `2026-12-25` of the local calendar. */
  readonly date: string;
  readonly name: string;
}
interface CalendarRow {
  readonly name: string;
  readonly days: readonly Holiday[];
  readonly changedAt: number;
}
export const CALENDARS: Table<CalendarRow> = defineTable('assessment_calendar', ['name'], {
  name: text(),
  days: json<readonly Holiday[]>(),
  changedAt: integer(),
});

/** The migrations of these tables. */
export const MIGRATIONS: readonly TableMigration[] = [
  {
    name: '0001-presets',
    statements: [
      `create table assessment_preset (
        name text not null primary key,
        body json not null,
        changed_at integer not null
      )`,
      `create table assessment_calendar (
        name text not null primary key,
        days json not null,
        changed_at integer not null
      )`,
    ],
  },
];
