/** Makes runs of reports that are due, each once. It looks at least twice a minute, so it notices when the clock is set. */
import { countOf, type Host, iso, sleep } from '../../../lib/index.ts';
import { type Due, duesIn, nextDue } from './due.ts';
import { type NewRun, type Runs, waitingRun } from './runs.ts';
import { nextId, type ReportStore } from './store.ts';
import { REPORT_RUNS, type ReportRow, type ReportRun } from './tables.ts';

const LOOK_MS = 30_000;
/** A run that is not later than this is in time. */
const IN_TIME_MS = 120_000;
/** Runs of a report that are made late; older ones are missed. */
export const MOST_MADE_LATE = 7;
/** A wall clock that was set back by more than this: what was handled "in the future" is forgotten. */
const FUTURE_MS = 90_000_000;

/** What the scheduler needs. */
export interface ReportSchedulerParts {
  readonly host: Host;
  readonly store: ReportStore;
  readonly runs: Runs;
}

/** Runs until the plugin ends. */
export class ReportScheduler {
  readonly #parts: ReportSchedulerParts;
  /** When each is due next: rows are replaced when they change. */
  readonly #next = new WeakMap<ReportRow, number>();
  #wake = new AbortController();

  constructor(parts: ReportSchedulerParts) {
    this.#parts = parts;
  }

  /** Something has changed. */
  wake(): void {
    this.#wake.abort();
  }

  async run(): Promise<void> {
    const { host, store, runs } = this.#parts;
    const { clock, signal, log } = host;
    while (!signal.aborted) {
      this.#wake = new AbortController();
      for (const report of store.list())
        await this.#look(report).catch((error: unknown) =>
          log.error({ report: report.id, err: error }, 'a report that is due could not be noted; it is tried again'),
        );
      await runs
        .beginWaiting()
        .catch((error: unknown) => log.error({ err: error }, 'a report that is due could not be begun'));
      const next = Math.min(...store.list().map((report) => this.#nextOf(report)), Number.POSITIVE_INFINITY);
      // Without a report there is nothing to do until it is woken.
      const longest = store.list().length === 0 ? FUTURE_MS : LOOK_MS;
      const wait = Math.min(longest, Math.max(1_000, next - clock.now()));
      await sleep(clock, wait, AbortSignal.any([signal, this.#wake.signal])).catch(() => {});
    }
  }

  #nextOf(report: ReportRow): number {
    const known = this.#next.get(report);
    const next = known ?? nextDue(report.body, report.handledUntil) ?? Number.POSITIVE_INFINITY;
    this.#next.set(report, next);
    return next;
  }

  async #look(report: ReportRow): Promise<void> {
    const { host, store } = this.#parts;
    const now = host.clock.now();
    if (report.handledUntil > now + FUTURE_MS) await store.handled(report, now, async () => {});
    else if (this.#nextOf(report) <= now) await this.#due(report, now);
  }

  async #due(report: ReportRow, now: number): Promise<void> {
    const { host, store } = this.#parts;
    const dues = duesIn(report.body, report.handledUntil, now);
    const missed = dues.slice(0, -MOST_MADE_LATE);
    const made = dues.slice(-MOST_MADE_LATE);
    // In one transaction: what is due is a run, once, or it is still due.
    const isNoted = await store.handled(report, now, async (rows) => {
      const put = async (row: (id: number) => ReportRun) => rows.put(REPORT_RUNS, [row(await nextId(rows, 'run'))]);
      if (missed.length > 0) await put((id) => missedRun(id, report, missed, now));
      for (const due of made) await put((id) => waitingRun(id, newRun(report, due, now), now));
    });
    if (!isNoted) return;
    if (missed.length > 0) host.log.warn({ report: report.id, missed: missed.length }, 'runs of a report were missed');
    for (const { at } of made) host.log.info({ report: report.id, due: iso(at) }, 'a report is due');
  }
}

const newRun = ({ id: reportId }: ReportRow, { from, to, at }: Due, now: number): NewRun => ({
  ...{ reportId, fromAt: from, toAt: to, dueAt: at, late: now - at > IN_TIME_MS, mailed: true, startedBy: 'schedule' },
});

/** One row for all of them. */
function missedRun(id: number, report: ReportRow, missed: readonly Due[], now: number): ReportRun {
  const [first, last] = [missed[0], missed.at(-1)];
  if (!first || !last) throw new Error('no run was missed');
  const count = countOf(missed.length, 'run was', 'runs were');
  const detail = `${count} missed while the gateway was off, and only the last ${MOST_MADE_LATE} are made late. POST run with from and to makes others.`;
  const row = waitingRun(id, newRun(report, { ...last, from: first.from }, now), now);
  return { ...row, state: 'missed', endedAt: now, detail };
}
