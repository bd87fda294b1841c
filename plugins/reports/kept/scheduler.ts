/**
 * When a report is due, and about what: the day, week or month before, at a time of the local clock. Pure. A time that the clocks skip is
 * due as soon as they have jumped; of a time that comes twice, the first counts.
 */
import { countOf, zones } from '../../../lib/built-in.ts';
import { iso, sleep } from '../../../lib/index.ts';
import type { KeptParts } from './documents.ts';
import { type NewRun, type Runs, waitingRun } from './runs.ts';
import type { ReportBody } from './schemas.ts';
import { nextId, REPORT_RUNS, type ReportRow, type ReportRun } from './store.ts';

/** One time at which a report is due, and the span it is about; ms since 1970 UTC. */
export interface Due extends zones.Span {
  readonly at: number;
}

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
/** The last rows of a period are kept by then. */
const SETTLE_MS = 5 * MINUTE_MS;
/** The longest period, and a day for the clock. */
const LONGEST_MS = 33 * DAY_MS;

/** Every time in (after, until], in order. Times more than 400 days before `until` are left out. */
export function duesIn(body: ReportBody, after: number, until: number): readonly Due[] {
  const { period, at, zone } = body;
  if (period === 'none' || until <= after) return [];
  const since = Math.max(after, until - 400 * DAY_MS);
  const spans = zones.calendarSpans(zone, { from: since - LONGEST_MS, to: until + DAY_MS }, period);
  const [hours = 0, minutes = 0] = at.split(':').map(Number);
  const time = (hours * 60 + minutes) * MINUTE_MS;
  const moment = zones.momentsAround(zone, { from: since - LONGEST_MS, to: until + LONGEST_MS });
  return spans
    .flatMap(({ local, from }, index): Due[] => {
      const before = spans[index - 1];
      const due = Math.max(moment(local + time), from + SETTLE_MS);
      return before ? [{ from: before.from, to: before.to, at: due }] : [];
    })
    .filter((due) => due.at > since && due.at <= until);
}

/** The first time after this one; null: never. */
export const nextDue = (body: ReportBody, after: number): number | null =>
  body.period === 'none' ? null : (duesIn(body, after, after + LONGEST_MS)[0]?.at ?? null);

/** The last whole period before now; undefined for a report without one. */
export function lastPeriod({ period, zone }: ReportBody, now: number): zones.Span | undefined {
  if (period === 'none') return undefined;
  const spans = zones.calendarSpans(zone, { from: now - LONGEST_MS - LONGEST_MS, to: now }, period);
  return spans.findLast(({ to }) => to <= now);
}

const LOOK_MS = 30_000;
/** A run that is not later than this is in time. */
const IN_TIME_MS = 120_000;
/** Runs of a report that are made late; older ones are missed. */
const MOST_MADE_LATE = 7;
/** A wall clock that was set back by more than this: what was handled "in the future" is forgotten. */
const FUTURE_MS = 90_000_000;

interface SchedulerParts extends Pick<KeptParts, 'host' | 'store'> {
  readonly runs: Runs;
}

export class ReportScheduler {
  readonly #parts: SchedulerParts;
  /** When each is due next: rows are replaced when they change. */
  readonly #next = new WeakMap<ReportRow, number>();
  #wake = new AbortController();

  constructor(parts: SchedulerParts) {
    this.#parts = parts;
  }

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
  reportId,
  fromAt: from,
  toAt: to,
  dueAt: at,
  late: now - at > IN_TIME_MS,
  mailed: true,
  startedBy: 'schedule',
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
