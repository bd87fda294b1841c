/** Jobs as rows, and rows as jobs. */
import type { Clock } from '../clock.ts';
import { integer, integerOrNull, jsonOrNull, text, textOrNull } from '../domain/fields/columns.ts';
import { defineTable, freshRecord, type RecordOf } from '../domain/fields/field.ts';
import { isGatewayError } from '../errors.ts';
import type { TableMigration, Tables } from '../store/contract.ts';
import { SureChanges } from '../store/sure-changes.ts';
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

export type JobRow = RecordOf<typeof FIELDS>;
export const JOBS = defineTable('job', ['id'], FIELDS);

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

export function jobOf({ input: _, checkpoint: __, result, ...row }: JobRow, title: string): Job {
  return Object.freeze({ ...row, title, result: result?.value ?? null });
}

export const NEW_JOB: JobRow = { ...freshRecord(FIELDS), state: 'queued' };

/** `code`: of the error table. */
export const failure = (detail: string, code = 'INTERNAL'): Partial<JobRow> => ({
  state: 'failed',
  message: detail,
  error: { code, detail },
});

/** The text of a bug in the gateway is not shown. */
export const detailOf = (error: unknown): string =>
  isGatewayError(error) ? error.message : 'An error in the gateway ended the job; the log has the cause.';

const DETAIL = 'It was refused: when it was asked for, the database did not say that it was stored.';

/** A refused job may be stored all the same, by a database that answers late: then it ends as failed. */
export class RefusedJobs {
  /** By the id of the job: while the database does not answer, no job waits for other uncertain jobs. */
  readonly #changes: SureChanges;

  constructor({ tables, clock }: { readonly tables: Tables; readonly clock: Clock }) {
    this.#changes = new SureChanges(clock, async (of) => {
      const where = { id: Number(of) };
      const [stored] = await tables.read((rows) => rows.find(JOBS, { where }));
      if (!stored) return;
      const ended = { ...failure(DETAIL, 'STORAGE_FAILED'), endedAt: clock.now() };
      await tables.write((rows) => rows.change(JOBS, where, ended));
    });
  }

  keep(id: number, store: () => Promise<void>): Promise<void> {
    return this.#changes.inTurn(store, String(id));
  }

  close(): void {
    this.#changes.close();
  }
}

const iso = (at: number | null): string | null => (at === null ? null : new Date(at).toISOString());

/** As the API shows it, in answers and in messages of the WebSocket alike. */
export const shownJob = (job: Job) => ({
  id: String(job.id),
  kind: job.kind,
  title: job.title,
  unit_id: job.unitId,
  state: job.state,
  progress: job.progress,
  message: job.message,
  created_at: iso(job.createdAt),
  started_at: iso(job.startedAt),
  ended_at: iso(job.endedAt),
  error: job.error,
  result: job.result,
});
