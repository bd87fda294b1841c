/** Reports that are kept, and what was made of them. */
import { columns, defineTable, type MailReach, type Table, type TableMigration } from '../../../lib/index.ts';
import type { ReportBody } from './schemas.ts';

const { boolean, integer, integerOrNull, json, jsonOrNull, text, textOrNull } = columns;

/** A report that is kept; times in ms since 1970 UTC. */
export interface ReportRow {
  readonly id: number;
  readonly body: ReportBody;
  readonly createdBy: string;
  readonly createdAt: number;
  readonly changedAt: number;
  /** What was due up to here is made, or is a run that waits. */
  readonly handledUntil: number;
}

/** All of them. */
export const REPORTS: Table<ReportRow> = defineTable('reports_report', ['id'], {
  ...{ id: integer(), body: json<ReportBody>(), createdBy: text() },
  ...{ createdAt: integer(), changedAt: integer(), handledUntil: integer() },
});

/** A printed form of a run. */
export interface KeptDocument {
  /** `12-pdf`: of the run and the format. */
  readonly id: string;
  readonly format: string;
  /** Of the file. */
  readonly name: string;
  readonly contentType: string;
  readonly bytes: number;
  /** Hex. */
  readonly sha256: string;
  /** `GET /_reports/preview?...` that made it. */
  readonly query: string;
}

/** `waiting`: to be made, also while its job runs. `missed`: its time passed while the gateway was off, and it is not made late. */
export type ReportRunState = 'waiting' | 'done' | 'failed' | 'missed';

/** One making of a report; times in ms since 1970 UTC. */
export interface ReportRun {
  readonly id: number;
  readonly reportId: number;
  /** The span of the report. */
  readonly fromAt: number;
  readonly toAt: number;
  /** Null: somebody asked for it. */
  readonly dueAt: number | null;
  readonly state: ReportRunState;
  /** It was due while the gateway was off. */
  readonly late: boolean;
  /** Whether the targets of the report get it. */
  readonly mailed: boolean;
  readonly startedBy: string;
  readonly job: string | null;
  readonly tries: number;
  /** Not tried before. */
  readonly notBefore: number;
  readonly createdAt: number;
  readonly endedAt: number | null;
  /** Why it failed or was missed, one sentence. */
  readonly detail: string | null;
  readonly documents: readonly KeptDocument[];
}

/** All of them. */
export const REPORT_RUNS: Table<ReportRun> = defineTable('reports_run', ['id'], {
  ...{ id: integer(), reportId: integer(), fromAt: integer(), toAt: integer(), dueAt: integerOrNull() },
  ...{ state: text<ReportRunState>(), late: boolean(), mailed: boolean(), startedBy: text(), job: textOrNull() },
  ...{ tries: integer(), notBefore: integer(), createdAt: integer(), endedAt: integerOrNull() },
  ...{ detail: textOrNull(), documents: json<readonly KeptDocument[]>() },
});

/** A mail with the documents of a run to one target; times in ms since 1970 UTC. */
export interface ReportMail {
  readonly runId: number;
  readonly targetId: number;
  readonly reportId: number;
  /** The Message-ID begins with it: the same for each try. */
  readonly messageId: string;
  /** `sending`: its bytes may be on their way. `skipped`: the target is switched off. */
  readonly state: 'waiting' | 'sending' | 'done' | 'failed' | 'skipped';
  readonly tries: number;
  /** Not tried before. */
  readonly notBefore: number;
  readonly createdAt: number;
  readonly endedAt: number | null;
  /** What came of the last try, for people. */
  readonly outcome: string;
  /** How far it has come; null: no address has it, or all have it. */
  readonly reach: MailReach | null;
}

/** All of them. */
export const REPORT_MAILS: Table<ReportMail> = defineTable('reports_mail', ['runId', 'targetId'], {
  ...{ runId: integer(), targetId: integer(), reportId: integer(), messageId: text() },
  ...{ state: text<ReportMail['state']>(), tries: integer(), notBefore: integer(), createdAt: integer() },
  endedAt: integerOrNull(),
  outcome: text(),
  reach: jsonOrNull<MailReach>(),
});

/** The last id that was given to a thing: none is given twice, also after the newest was removed. */
export const LAST_IDS: Table<{ readonly name: 'report' | 'run'; readonly id: number }> = defineTable(
  'reports_last_id',
  ['name'],
  { name: text<'report' | 'run'>(), id: integer() },
);

/** The steps in the life of these tables. */
export const REPORT_MIGRATIONS: readonly TableMigration[] = [
  {
    name: '0001-kept-reports',
    statements: [
      `create table reports_report (
        id integer not null primary key, body json not null, created_by text not null, created_at integer not null,
        changed_at integer not null, handled_until integer not null
      )`,
      `create table reports_run (
        id integer not null primary key, report_id integer not null, from_at integer not null, to_at integer not null,
        due_at integer null, state text not null, late integer not null, started_by text not null, job text null,
        tries integer not null, not_before integer not null, created_at integer not null, ended_at integer null,
        detail text null, documents json not null
      )`,
      'create index reports_run_report on reports_run (report_id, id)',
      'create index reports_run_state on reports_run (state, not_before)',
      'create table reports_last_id (name text not null primary key, id integer not null)',
    ],
  },
  {
    name: '0002-mails',
    statements: [
      `create table reports_mail (
        run_id integer not null, target_id integer not null, report_id integer not null, message_id text not null, state text not null,
        tries integer not null, not_before integer not null, created_at integer not null, ended_at integer null,
        outcome text not null, primary key (run_id, target_id)
      )`,
      'create index reports_mail_state on reports_mail (state, not_before)',
      'create index reports_mail_report on reports_mail (report_id)',
      'alter table reports_run add column mailed integer not null default 0',
    ],
  },
  { name: '0003-reach-of-a-mail', statements: ['alter table reports_mail add column reach json null'] },
];
