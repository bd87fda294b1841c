/** Reports that are kept, their runs and mails: read from memory, on the disk before memory shows a change. An id is never given twice. */
import {
  type Clock,
  columns,
  defineTable,
  GatewayError,
  invalid,
  type MailReach,
  type Rows,
  SureChanges,
  type Table,
  type TableMigration,
  type Tables,
} from '../../../lib/index.ts';
import { MOST_REPORTS, type ReportBody } from './schemas.ts';

const { boolean, integer, integerOrNull, json, jsonOrNull, text, textOrNull } = columns;

/** A report that is kept; times in ms since 1970 UTC. */
export interface ReportRow {
  readonly id: number;
  readonly body: ReportBody;
  readonly createdBy: string;
  readonly createdAt: number;
  readonly changedAt: number;
  /** Reports that were due up to here are made, or are runs that wait. */
  readonly handledUntil: number;
}

/** All of them. */
export const REPORTS: Table<ReportRow> = defineTable('reports_report', ['id'], {
  id: integer(),
  body: json<ReportBody>(),
  createdBy: text(),
  createdAt: integer(),
  changedAt: integer(),
  handledUntil: integer(),
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
type ReportRunState = 'waiting' | 'done' | 'failed' | 'missed';

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
  id: integer(),
  reportId: integer(),
  fromAt: integer(),
  toAt: integer(),
  dueAt: integerOrNull(),
  state: text<ReportRunState>(),
  late: boolean(),
  mailed: boolean(),
  startedBy: text(),
  job: textOrNull(),
  tries: integer(),
  notBefore: integer(),
  createdAt: integer(),
  endedAt: integerOrNull(),
  detail: textOrNull(),
  documents: json<readonly KeptDocument[]>(),
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
  /** The outcome of the last try, for people. */
  readonly outcome: string;
  /** How far it has come; null: no address has it, or all have it. */
  readonly reach: MailReach | null;
}

/** All of them. */
export const REPORT_MAILS: Table<ReportMail> = defineTable('reports_mail', ['runId', 'targetId'], {
  runId: integer(),
  targetId: integer(),
  reportId: integer(),
  messageId: text(),
  state: text<ReportMail['state']>(),
  tries: integer(),
  notBefore: integer(),
  createdAt: integer(),
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

/** All reports, by id. */
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

  /** Nothing is looked up by itself any more. */
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
