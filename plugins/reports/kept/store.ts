/** Reports that are kept, their runs and mails: read from memory, on the disk before memory shows a change. An id is never given twice. */
import type { KeptReportDocument } from '../../../client/schemas.ts';
import { invalid, type MailReach, type Rows } from '../../../lib/built-in.ts';
import {
  type Clock,
  columns,
  defineTable,
  GatewayError,
  SureChanges,
  type Table,
  type TableMigration,
  type Tables,
} from '../../../lib/index.ts';
import { MOST_REPORTS, type ReportBody } from './schemas.ts';

const { boolean, integer, integerOrNull, json, jsonOrNull, text, textOrNull } = columns;

// Times are ms since 1970 UTC.

export const REPORTS = defineTable('reports_report', ['id'], {
  id: integer(),
  body: json<ReportBody>(),
  createdBy: text(),
  createdAt: integer(),
  changedAt: integer(),
  /** Reports that were due up to here are made, or are runs that wait. */
  handledUntil: integer(),
});
export type ReportRow = typeof REPORTS extends Table<infer Row> ? Row : never;

/** A printed form of a run; its id is `12-pdf`. */
export interface KeptDocument extends Pick<KeptReportDocument, 'id' | 'name' | 'bytes' | 'sha256' | 'query'> {
  readonly format: string;
  readonly contentType: string;
}

export const REPORT_RUNS = defineTable('reports_run', ['id'], {
  id: integer(),
  reportId: integer(),
  fromAt: integer(),
  toAt: integer(),
  /** Null: somebody asked for it. */
  dueAt: integerOrNull(),
  /** `waiting`: to be made, also while its job runs. `missed`: its time passed while the gateway was off, and it is not made late. */
  state: text<'waiting' | 'done' | 'failed' | 'missed'>(),
  /** It was due while the gateway was off. */
  late: boolean(),
  mailed: boolean(),
  startedBy: text(),
  job: textOrNull(),
  tries: integer(),
  /** Not tried before. */
  notBefore: integer(),
  createdAt: integer(),
  endedAt: integerOrNull(),
  /** Why it failed or was missed, one sentence. */
  detail: textOrNull(),
  documents: json<readonly KeptDocument[]>(),
});
export type ReportRun = typeof REPORT_RUNS extends Table<infer Row> ? Row : never;

export const REPORT_MAILS = defineTable('reports_mail', ['runId', 'targetId'], {
  runId: integer(),
  targetId: integer(),
  reportId: integer(),
  /** The Message-ID begins with it: the same for each try. */
  messageId: text(),
  /** `sending`: its bytes may be on their way. `skipped`: the target is switched off. */
  state: text<'waiting' | 'sending' | 'done' | 'failed' | 'skipped'>(),
  tries: integer(),
  /** Not tried before. */
  notBefore: integer(),
  createdAt: integer(),
  endedAt: integerOrNull(),
  outcome: text(),
  /** How far it has come; null: no address has it, or all have it. */
  reach: jsonOrNull<MailReach>(),
});
export type ReportMail = typeof REPORT_MAILS extends Table<infer Row> ? Row : never;

/** The last id that was given to a thing: none is given twice, also after the newest was removed. */
export const LAST_IDS = defineTable('reports_last_id', ['name'], { name: text<'report' | 'run'>(), id: integer() });

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

export class ReportStore {
  readonly #tables: Tables;
  readonly #clock: Pick<Clock, 'now' | 'after'>;
  readonly #reports = new Map<number, ReportRow>();
  readonly #changes: SureChanges;

  /** `found` is called after what the database had stored without an answer is here. */
  constructor(tables: Tables, clock: Pick<Clock, 'now' | 'after'>, found: () => void) {
    this.#tables = tables;
    this.#clock = clock;
    this.#changes = new SureChanges(clock, async () => {
      await this.load();
      found();
    });
  }

  async load(): Promise<void> {
    const found = await this.#tables.read((rows) => rows.find(REPORTS));
    this.#reports.clear();
    for (const row of found) this.#reports.set(row.id, row);
  }

  /** The oldest first. */
  list(): readonly ReportRow[] {
    return [...this.#reports.values()].toSorted((one, other) => one.id - other.id);
  }

  find(id: number): ReportRow | undefined {
    return this.#reports.get(id);
  }

  /** Errors: INVALID, STORAGE_FULL, STORAGE_FAILED. */
  add(body: ReportBody, createdBy: string): Promise<ReportRow> {
    return this.#changes.inTurn(async () => {
      if (this.#reports.size >= MOST_REPORTS)
        throw invalid([{ path: '', message: `there are ${MOST_REPORTS} reports, which is the limit: remove some` }]);
      const now = this.#clock.now();
      const about = { body, createdBy, createdAt: now, changedAt: now, handledUntil: now };
      const row = await this.#tables.write(async (rows) => {
        const made = { id: await nextId(rows, 'report'), ...about };
        await rows.put(REPORTS, [made]);
        return made;
      });
      this.#reports.set(row.id, row);
      return row;
    });
  }

  /** Errors: REPORT_NOT_FOUND, STORAGE_FULL, STORAGE_FAILED. */
  change(id: number, body: ReportBody): Promise<ReportRow> {
    return this.#changes.inTurn(async () => {
      const present = this.#needed(id);
      const now = this.#clock.now();
      // A time that passed before nobody asked for: only what comes is due.
      const isSameTime = timesOf(present.body) === timesOf(body);
      const row = { ...present, body, changedAt: now, handledUntil: isSameTime ? present.handledUntil : now };
      await this.#tables.write((rows) => rows.put(REPORTS, [row]));
      this.#reports.set(id, row);
      return row;
    });
  }

  /** With its runs. Errors: REPORT_NOT_FOUND, STORAGE_FULL, STORAGE_FAILED. */
  remove(id: number): Promise<void> {
    return this.#changes.inTurn(async () => {
      this.#needed(id);
      await this.#tables.write(async (rows) => {
        await rows.remove(REPORTS, { id });
        await rows.remove(REPORT_RUNS, { reportId: id });
        await rows.remove(REPORT_MAILS, { reportId: id });
      });
      this.#reports.delete(id);
    });
  }

  /**
   * What was due up to `until` is handled; `also` writes the runs that come of it, in the same transaction. Nothing where the report is
   * another one meanwhile, and then false: what is due must be worked out anew.
   */
  handled(report: ReportRow, until: number, also: (rows: Rows) => Promise<void>): Promise<boolean> {
    return this.#changes.inTurn(async () => {
      if (this.#reports.get(report.id) !== report) return false;
      const row = { ...report, handledUntil: until };
      await this.#tables.write(async (rows) => {
        await rows.put(REPORTS, [row]);
        await also(rows);
      });
      this.#reports.set(report.id, row);
      return true;
    });
  }

  #needed(id: number): ReportRow {
    const row = this.#reports.get(id);
    if (!row) throw noReport(id);
    return row;
  }

  close(): void {
    this.#changes.close();
  }
}

const timesOf = ({ period, at, zone }: ReportBody): string => `${period} ${at} ${zone}`;

/** The next id, noted as given. */
export async function nextId(rows: Rows, name: 'report' | 'run'): Promise<number> {
  const [last] = await rows.find(LAST_IDS, { where: { name } });
  const id = (last?.id ?? 0) + 1;
  await rows.put(LAST_IDS, [{ name, id }]);
  return id;
}

/** Also for one that the caller may not see. */
export const noReport = (id: number | string): GatewayError =>
  new GatewayError('REPORT_NOT_FOUND', `There is no report ${id}.`);
