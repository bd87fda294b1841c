/** Jobs as rows, and rows as jobs. */
import { field, type RecordOf } from '../fields/field.ts';
import { defineTable } from '../fields/table.ts';
import type { TableMigration } from '../store/contract.ts';
import type { Job, JobProgress, JobState } from './contract.ts';

const text = <Value extends string>(fresh: Value) => field<Value>({ column: 'text', fresh, schema: {} });
const moment = field<number | null>({ column: 'integer', nullable: true, fresh: null, schema: {} });
const json = <Value>() => field<Value | null>({ column: 'json', nullable: true, fresh: null, schema: {} });

const FIELDS = {
  id: field<number>({ column: 'integer', fresh: 0, schema: {} }),
  kind: text<string>(''),
  unitId: field<string | null>({ column: 'text', nullable: true, fresh: null, schema: {} }),
  state: text<JobState>('queued'),
  progress: json<JobProgress>(),
  message: field<string | null>({ column: 'text', nullable: true, fresh: null, schema: {} }),
  createdAt: field<number>({ column: 'integer', fresh: 0, schema: {} }),
  startedAt: moment,
  endedAt: moment,
  error: json<{ readonly code: string; readonly detail: string }>(),
  // In an object each: JSON of its own kind may be null or a bare text.
  result: json<{ readonly value: unknown }>(),
  input: json<{ readonly value: unknown }>(),
  checkpoint: json<{ readonly value: unknown }>(),
} as const;

export type JobRow = RecordOf<typeof FIELDS>;
export const JOBS = defineTable('job', ['id'], FIELDS);

export const migrations: readonly TableMigration[] = [
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

export function jobOf({ input: _, checkpoint: __, result, ...row }: JobRow): Job {
  return Object.freeze({ ...row, result: result?.value ?? null });
}
