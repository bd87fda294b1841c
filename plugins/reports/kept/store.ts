/** The kept reports: read from memory, on the disk before memory shows a change. Ids are never given twice. */
import { type Clock, GatewayError, invalid, type Rows, SureChanges, type Tables } from '../../../lib/index.ts';
import { MOST_REPORTS, type ReportBody } from './schemas.ts';
import { LAST_IDS, REPORT_MAILS, REPORT_RUNS, REPORTS, type ReportRow } from './tables.ts';

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
