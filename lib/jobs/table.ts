/** Jobs as rows, and rows as jobs. */
import { integer, integerOrNull, jsonOrNull, text, textOrNull } from '../domain/fields/columns.ts';
import { defineTable, type RecordOf } from '../domain/fields/field.ts';
import type { TableMigration } from '../store/contract.ts';
import type { Job, JobProgress, JobState } from './contract.ts';

const FIELDS = {
  id: integer(),
  kind: text(),
  unitId: textOrNull(),
  state: text<JobState>(),
  progress: jsonOrNull<JobProgress>(),
  message: textOrNull(),
  createdAt: integer(),
  startedAt: integerOrNull(),
  endedAt: integerOrNull(),
  error: jsonOrNull<{ readonly code: string; readonly detail: string }>(),
  // Wrapped in an object: the JSON value may be null or a plain text.
  result: jsonOrNull<{ readonly value: unknown }>(),
  input: jsonOrNull<{ readonly value: unknown }>(),
  checkpoint: jsonOrNull<{ readonly value: unknown }>(),
} as const;

/** A job as a row: input, result and checkpoint are JSON. */
export type JobRow = RecordOf<typeof FIELDS>;
/** The table of jobs; its key is the number of the job. */
export const JOBS = defineTable('job', ['id'], FIELDS);

/** Migrations of this table, oldest first. */
export const jobMigrations: readonly TableMigration[] = [
  {
    name: '0001-jobs',
    statements: [
      `create table job (
        id integer not null primary key,
        kind text not null,
        unit_id text null,
        state text not null,
        progress json null,
        message text null,
        created_at integer not null,
        started_at integer null,
        ended_at integer null,
        error json null,
        result json null,
        input json null,
        checkpoint json null
      )`,
    ],
  },
];

/** `title`: title of its kind. */
export function jobOf({ input: _, checkpoint: __, result, ...row }: JobRow, title: string): Job {
  return Object.freeze({ ...row, title, result: result?.value ?? null });
}

/** Default values of a new job. */
export const NEW_JOB: JobRow = Object.freeze({
  id: 0,
  kind: '',
  unitId: null,
  state: 'queued',
  progress: null,
  message: null,
  createdAt: 0,
  startedAt: null,
  endedAt: null,
  error: null,
  result: null,
  input: null,
  checkpoint: null,
});
