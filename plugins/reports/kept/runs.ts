/** The runs of kept reports: each is a row first, then a job that makes its documents, and done or failed in the end. Nothing half is kept. */
import { createHash } from 'node:crypto';
import { isDiskFull, type Job, type JobRun, viewerRequest, zones } from '../../../lib/built-in.ts';
import { GatewayError, type Host, isGatewayError, messageOf } from '../../../lib/index.ts';
import type { KeptParts } from './documents.ts';
import type { ReportMails } from './mails.ts';
import { queryOf, type ReportBody, reportedUnits } from './schemas.ts';
import {
  type KeptDocument,
  nextId,
  noReport,
  REPORT_MAILS,
  REPORT_RUNS,
  type ReportRow,
  type ReportRun,
} from './store.ts';

const JOB = 'report';
/** Runs of one report; of more the oldest go, with their documents. A year of days, and more. */
export const MOST_RUNS = 400;
/** Bytes of all documents; beyond this nothing more is made. */
export const MOST_REPORT_BYTES = 10_000_000_000;
/** After the first, second ... failure of a run that was due. */
const PAUSES_MS = [300_000, 1_800_000, 7_200_000, 21_600_000];

interface Wanted {
  readonly run: number;
}

interface MadeReport {
  readonly report: string;
  readonly run: string;
  readonly documents: readonly object[];
}

/** A run before it is stored. */
export type NewRun = Pick<ReportRun, 'reportId' | 'fromAt' | 'toAt' | 'dueAt' | 'late' | 'mailed' | 'startedBy'>;

export const waitingRun = (id: number, wanted: NewRun, now: number): ReportRun => ({
  id,
  ...wanted,
  state: 'waiting',
  job: null,
  tries: 0,
  notBefore: now,
  createdAt: now,
  endedAt: null,
  detail: null,
  documents: [],
});

export const shownDocument = (run: ReportRun, { contentType: _, ...document }: KeptDocument) => ({
  ...document,
  run: String(run.id),
  late: run.late,
  made_at: new Date(run.endedAt ?? 0).toISOString(),
  from: new Date(run.fromAt).toISOString(),
  to: new Date(run.toAt).toISOString(),
  href: `/_reports/${run.reportId}/documents/${document.id}`,
});

interface RunsParts extends KeptParts {
  readonly mails: ReportMails;
  /** A run has ended. */
  readonly ended: () => void;
}

/** Begins runs, and makes them one after the other. */
export class Runs {
  readonly #parts: RunsParts;
  /** Rows whose job is not noted yet. */
  readonly #starting = new Set<number>();
  /** By report: the run that was due and could not be made, until one is made. */
  readonly #failing = new Map<number, number>();
  /** Tries at a report that was due, since the process began. */
  #failures = 0;
  #last: Promise<unknown> = Promise.resolve();
  #bytes = 0;
  /** When the documents with this SHA-256 were made, ms since 1970 UTC: the same levels give the same file again. */
  readonly #madeAt = new Map<string, readonly number[]>();

  constructor(parts: RunsParts) {
    this.#parts = parts;
    const run = (job: JobRun<Wanted>) => this.#inTurn(job);
    parts.host.jobs.kind<Wanted, MadeReport, unknown>({ name: JOB, title: 'Report', run, resume: run });
    parts.host.part(
      'reports',
      () => this.#trouble(),
      () => this.#failures,
    );
  }

  /** After the store. Removes what a process that was killed left behind. */
  async load(): Promise<void> {
    const { tables, folders, store } = this.#parts;
    for (const { id: reportId } of store.list()) {
      const newest = { where: { reportId, state: ['done', 'failed', 'waiting'] }, order: { id: 'desc' } } as const;
      const own = await tables.read((rows) => rows.find(REPORT_RUNS, newest));
      const madeAt = own.findIndex(({ state }) => state === 'done');
      const sinceDone = own.slice(0, madeAt < 0 ? own.length : madeAt);
      const failed = sinceDone.find(({ dueAt, tries }) => dueAt !== null && tries > 0);
      if (failed) this.#failing.set(reportId, failed.id);
    }
    const done = await tables.read((rows) => rows.find(REPORT_RUNS, { where: { state: 'done' } }));
    for (const run of done) this.#remember(run);
    await folders.tidy(new Set(done.map(({ id }) => String(id))));
  }

  /** Somebody asks for one. Errors: DEVICE_BUSY, STOPPING, STORAGE_FULL, STORAGE_FAILED. */
  async order(wanted: NewRun): Promise<Job> {
    const { host, tables } = this.#parts;
    const now = host.clock.now();
    const run = await tables.write(async (rows) => {
      const row = waitingRun(await nextId(rows, 'run'), wanted, now);
      this.#starting.add(row.id);
      await rows.put(REPORT_RUNS, [row]);
      return row;
    });
    try {
      return await this.#begin(run);
    } catch (error) {
      await tables.write((rows) => rows.remove(REPORT_RUNS, { id: run.id }));
      throw error;
    } finally {
      this.#starting.delete(run.id);
    }
  }

  /** Begins those that wait and have no job: they were due, failed and are tried again, or lost their job when the process was killed. */
  async beginWaiting(): Promise<void> {
    const { host, tables } = this.#parts;
    const where = { state: 'waiting', notBefore: { atMost: host.clock.now() } } as const;
    const waiting = await tables.read((rows) => rows.find(REPORT_RUNS, { where, order: { id: 'asc' }, limit: 20 }));
    for (const run of waiting.filter(({ id }) => !this.#starting.has(id))) {
      const job = run.job === null ? undefined : await host.jobs.get(Number(run.job));
      if (job?.state === 'queued' || job?.state === 'running') return;
      if (job?.state === 'cancelled') await this.#note(run.id, { state: 'failed', detail: 'The job was cancelled.' });
      // One after the other: so many at once would be refused.
      else return void (await this.#begin(run));
    }
  }

  /** Files of runs whose rows are gone. */
  async forget(runs: readonly ReportRun[]): Promise<void> {
    for (const run of runs) {
      this.#bytes -= bytesOf(run);
      for (const { sha256 } of run.documents) {
        const times = this.madeAt(sha256);
        const own = times.indexOf(run.endedAt ?? 0);
        const left = times.filter((_, index) => index !== own);
        if (left.length > 0) this.#madeAt.set(sha256, left);
        else this.#madeAt.delete(sha256);
      }
      await this.#parts.folders.remove(run.id);
    }
  }

  /** When the kept documents with this SHA-256 were made, ms since 1970 UTC; empty: no document has it. */
  madeAt(sha256: string): readonly number[] {
    return this.#madeAt.get(sha256) ?? [];
  }

  #remember(done: ReportRun): void {
    this.#bytes += bytesOf(done);
    for (const { sha256 } of done.documents) this.#madeAt.set(sha256, [...this.madeAt(sha256), done.endedAt ?? 0]);
  }

  async #begin(run: ReportRun): Promise<Job> {
    const { host, store, tables } = this.#parts;
    const report = store.find(run.reportId);
    const [unitId = ''] = report ? reportedUnits(report.body, host.configs) : [];
    const job = await host.jobs.start(JOB, host.configs.get(unitId) ? unitId : null, { run: run.id });
    await tables.write((rows) => rows.change(REPORT_RUNS, { id: run.id }, { job: String(job.id) }));
    return job;
  }

  #inTurn(job: JobRun<Wanted>): Promise<MadeReport> {
    const made = this.#last.then(() => this.#run(job));
    this.#last = made.catch(() => {});
    return made;
  }

  async #run(job: JobRun<Wanted>): Promise<MadeReport> {
    const { tables, store, mails, ended } = this.#parts;
    const [run] = await tables.read((rows) => rows.find(REPORT_RUNS, { where: { id: job.input.run } }));
    const report = run && store.find(run.reportId);
    if (!run || !report) throw new GatewayError('REPORT_NOT_FOUND', 'The report was removed.');
    // The process was killed between the end of the run and the end of its job.
    if (run.state === 'done') return madeOf(run);
    try {
      job.signal.throwIfAborted();
      return madeOf(await this.#make(job, run, report));
    } catch (error) {
      // After the next start it goes on.
      if (!job.signal.aborted || job.isCancelled) await this.#failed(job, run, error);
      throw isDiskFull(error) ? diskFull(error) : error;
    } finally {
      mails.wake();
      ended();
    }
  }

  async #make(job: JobRun<Wanted>, run: ReportRun, report: ReportRow): Promise<ReportRun> {
    const { host, folders } = this.#parts;
    const { body } = report;
    if (this.#bytes > MOST_REPORT_BYTES)
      throw new GatewayError('STORAGE_FULL', 'The documents of reports take more than 10 GB: remove some reports.');
    const draft = await folders.draft(run.id);
    try {
      const documents: KeptDocument[] = [];
      for (const format of body.formats) {
        job.progress(documents.length, body.formats.length, 'documents');
        const order = { runId: run.id, body, span: { from: run.fromAt, to: run.toAt }, format };
        const { document, bytes } = await printed(host, order, job.signal);
        await folders.write(draft, format, bytes);
        documents.push(document);
      }
      job.progress(documents.length, documents.length, 'documents');
      await folders.keep(draft, run.id);
      return await this.#keep({ ...run, state: 'done', endedAt: host.clock.now(), detail: null, documents });
    } catch (error) {
      await folders.remove(run.id);
      throw error;
    }
  }

  /** The row says that it is done: from here on it is. */
  async #keep(done: ReportRun): Promise<ReportRun> {
    const { tables, store, mails, host } = this.#parts;
    const old = await tables.write(async (rows) => {
      const report = store.find(done.reportId);
      const [present] = await rows.find(REPORT_RUNS, { where: { id: done.id } });
      if (!report || !present) throw noReport(done.reportId);
      const row = { ...done, job: present.job };
      await rows.put(REPORT_RUNS, [row]);
      await mails.add(rows, row, report);
      const own = { where: { reportId: done.reportId }, order: { id: 'desc' }, offset: MOST_RUNS } as const;
      const surplus = await rows.find(REPORT_RUNS, own);
      for (const { id } of surplus) {
        await rows.remove(REPORT_RUNS, { id });
        await rows.remove(REPORT_MAILS, { runId: id });
      }
      return surplus;
    });
    this.#remember(done);
    this.#failing.delete(done.reportId);
    await this.forget(old).catch((error: unknown) =>
      host.log.warn({ reason: messageOf(error) }, 'documents of old reports could not be removed; the next start does'),
    );
    return done;
  }

  async #failed(job: JobRun<Wanted>, run: ReportRun, error: unknown): Promise<void> {
    const { clock } = this.#parts.host;
    const said = isDiskFull(error) ? diskFull(error) : error;
    const words = isGatewayError(said) ? said.message : 'An error in the gateway; its log has the cause.';
    const detail = job.isCancelled ? 'The job was cancelled.' : words;
    const tries = run.tries + 1;
    if (run.dueAt !== null && !job.isCancelled) {
      this.#failing.set(run.reportId, run.id);
      this.#failures += 1;
    }
    const pause = run.dueAt === null || job.isCancelled ? undefined : PAUSES_MS[run.tries];
    const again = { state: 'waiting', notBefore: clock.now() + (pause ?? 0) } as const;
    const change = pause === undefined ? ({ state: 'failed' } as const) : again;
    // Where this cannot be written either, the run waits, and is tried again.
    await this.#note(run.id, { ...change, tries, detail }).catch((reason: unknown) =>
      job.log.error({ reason: messageOf(reason) }, 'the failure of a report could not be noted'),
    );
  }

  /** A report that does not arrive must not read as one that says nothing. Names and reasons are not for everybody: only the ids are said. */
  #trouble() {
    const { store } = this.#parts;
    const failing = [...this.#failing].filter(([reportId]) => store.find(reportId));
    if (failing.length === 0) return undefined;
    const names = failing.slice(0, 5).map(([reportId, run]) => `report ${reportId} (run ${run})`);
    return { detail: `Reports that were due could not be made: ${names.join(', ')}.` };
  }

  async #note(id: number, values: Partial<ReportRun>): Promise<void> {
    const { host, tables } = this.#parts;
    const endedAt = values.state === 'waiting' ? null : host.clock.now();
    await tables.write((rows) => rows.change(REPORT_RUNS, { id }, { ...values, endedAt }));
  }
}

const diskFull = (cause: unknown): GatewayError =>
  new GatewayError('STORAGE_FULL', 'The disk of the gateway is full: no report was made.', { cause });

const bytesOf = ({ documents }: ReportRun): number => documents.reduce((sum, { bytes }) => sum + bytes, 0);

const madeOf = (run: ReportRun): MadeReport => ({
  report: String(run.reportId),
  run: String(run.id),
  documents: run.documents.map((document) => shownDocument(run, document)),
});

const utc = (ms: number): string => new Date(ms).toISOString();

interface DocumentOrder {
  readonly runId: number;
  readonly body: ReportBody;
  readonly span: zones.Span;
  readonly format: string;
}

/** Errors: those of GET `/_reports/preview`. */
export async function printed(
  host: Host,
  { runId, body, span, format }: DocumentOrder,
  signal: AbortSignal,
): Promise<{ readonly document: KeptDocument; readonly bytes: Uint8Array }> {
  const units = reportedUnits(body, host.configs);
  const query = { ...queryOf(body, units), from: utc(span.from), to: utc(span.to), format };
  // Whoever made the report could see all its units.
  const viewer = viewerRequest('report', units, host.log, { signal });
  const { content } = await host.ask(viewer, { method: 'GET', path: '/_reports/preview', query });
  const bytes = await contentBytes(content);
  const { contentType = 'application/octet-stream' } = content.kind === 'json' ? {} : content;
  const document: KeptDocument = {
    id: `${runId}-${format}`,
    format,
    name: documentName(body, span, format),
    contentType,
    bytes: bytes.length,
    sha256: createHash('sha256').update(bytes).digest('hex'),
    query: `GET /_reports/preview?${new URLSearchParams(query)}`,
  };
  return { document, bytes };
}

/** First and last local day of the span. */
export function documentName({ zone }: Pick<ReportBody, 'zone'>, { from, to }: zones.Span, format: string): string {
  const day = (at: number) => zones.localIso(zone, at).slice(0, 10);
  return `report_${day(from)}_${day(to - 1)}.${format}`;
}

async function contentBytes(content: Awaited<ReturnType<Host['ask']>>['content']): Promise<Uint8Array> {
  if (content.kind === 'text') return Buffer.from(content.text);
  if (content.kind === 'json') throw new Error('a printed report is not JSON');
  const bytes = content.kind === 'stream' ? content.stream : content.bytes;
  const pieces: Uint8Array[] = [];
  for await (const piece of typeof bytes === 'function' ? await bytes() : bytes) pieces.push(Buffer.from(piece));
  return Buffer.concat(pieces);
}
