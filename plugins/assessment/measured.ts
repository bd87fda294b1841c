/** The levels in the planned times of each day, read from the history page by page. */
import { indices } from '../../lib/built-in.ts';
import type { HistoryQuery, Host } from '../../lib/index.ts';
import { type ExcludedTime, type ExcludingRow, queryExcluding, type WithNotes } from '../notes/index.ts';
import * as assessment from './model/index.ts';
import { type BesideName, type BesideRows, oneByOne, readBeside } from './other-channels.ts';

/** s. */
const TAKT_S = 5;

interface PlannedReading {
  readonly unitId: string;
  readonly plan: readonly assessment.PlannedDay[];
  readonly excluded: ExcludedTime;
  readonly channel?: HistoryQuery['channel'];
  readonly weighting?: HistoryQuery['weighting'];
  readonly beside: readonly BesideName[];
  /** Whether LN are needed, which cost time. */
  readonly counts: boolean;
  /** Share of the takts that a part needs for LAFTeq; null: LAFTeq is not needed. It costs much time. */
  readonly takts: number | null;
}

/** The levels of a period, and the levels that exclusions have left out. */
export interface MeasuredPeriod {
  readonly windows: readonly assessment.MeasuredWindow[];
  readonly excludedS: number;
  /** Its levels with the excluded time. */
  readonly all: readonly indices.KnownLevel[];
}

type Answer = Awaited<ReturnType<typeof queryExcluding>>;

interface Found {
  readonly answers: ReadonlyMap<string, Answer>;
  readonly beside: ReadonlyMap<string, readonly (readonly [BesideName, BesideRows])[]>;
}

/** The head of the answers, and the periods of one day after the other. The caller ends the work by leaving the loop. */
export async function readDays(host: Pick<Host, 'history'> & WithNotes, reading: PlannedReading, signal: AbortSignal) {
  const { unitId, channel, plan, excluded, counts } = reading;
  const of = { unitId, ...(channel && { channel }) };
  const keys = plan[0]?.periods.map(({ key }) => key) ?? [];
  const answers = new Map<string, Answer>();
  const beside = new Map<string, readonly (readonly [BesideName, BesideRows])[]>();
  let weighting = reading.weighting;
  for (const [at, key] of keys.entries()) {
    const ranges = plan.flatMap(({ periods }) => partsOf(periods[at]).map(rangeOf));
    if (ranges.length === 0) continue;
    const query = { ...of, over: { ranges }, counts, digest: true, ...(weighting && { weighting }) };
    const answer = await queryExcluding(host.history, query, excluded, signal);
    // All further figures have the weighting of the first.
    weighting ??= answer.weighting ?? undefined;
    answers.set(key, answer);
    const span = { from: (ranges[0]?.from ?? 0) * 1_000, to: (ranges.at(-1)?.to ?? 0) * 1_000 };
    const found: [BesideName, BesideRows][] = [];
    for (const name of reading.beside) {
      const levels = { ...of, ...(weighting && { weighting }) };
      const rows = await readBeside(host, name, { ...levels, span, excluded, ranges }, signal);
      if (rows) found.push([name, rows]);
    }
    beside.set(key, found);
  }
  return {
    answers: [...answers.values()],
    weighting,
    days: days(host, { ...reading, ...(weighting && { weighting }) }, { answers, beside }, signal),
  };
}

const partsOf = (period: assessment.PlannedDay['periods'][number] | undefined): readonly assessment.PlannedPart[] =>
  period?.windows.flatMap(({ parts }) => parts) ?? [];

/** A row that reaches beyond a part does not count: its mean would hide loud moments in the part. */
function rangeOf({ from, to }: assessment.PlannedPart) {
  const range = { from: from / 1_000, to: to / 1_000 };
  return { ...range, within: range };
}

async function* days(
  host: Pick<Host, 'history'>,
  reading: PlannedReading,
  { answers, beside }: Found,
  signal: AbortSignal,
): AsyncGenerator<ReadonlyMap<string, MeasuredPeriod>, undefined> {
  const rows = new Map([...answers].map(([key, answer]) => [key, oneByOne(answer.rows)]));
  try {
    for (const { periods } of reading.plan) {
      const found = new Map<string, MeasuredPeriod>();
      for (const period of periods) {
        const parts = partsOf(period);
        const own: ExcludingRow[] = [];
        const others: Partial<Record<BesideName, number | null>>[] = [];
        for (const _ of parts) {
          const row = (await rows.get(period.key)?.next())?.value;
          if (row) own.push(row);
          others.push(await besideOfPart(beside.get(period.key) ?? []));
        }
        const isMeasured = own.some(({ measured }) => measured > 0);
        const takts = reading.takts !== null && isMeasured ? await taktsOf(host, reading, parts, signal) : [];
        found.set(period.key, together(period.windows, own, takts, others));
      }
      yield found;
    }
  } finally {
    for (const each of rows.values()) await each.return(undefined);
    for (const [, each] of [...beside.values()].flat()) await each.return(undefined);
  }
}

async function besideOfPart(
  all: readonly (readonly [BesideName, BesideRows])[],
): Promise<Partial<Record<BesideName, number | null>>> {
  const found: Partial<Record<BesideName, number | null>> = {};
  for (const [name, rows] of all) found[name] = (await rows.next()).value ?? null;
  return found;
}

function together(
  windows: readonly assessment.PlannedWindow[],
  rows: readonly ExcludingRow[],
  takts: readonly (number | null)[],
  others: readonly Partial<Record<BesideName, number | null>>[],
): MeasuredPeriod {
  let at = 0;
  const measured = windows.map((window) => ({
    ...window,
    parts: window.parts.map((part) => {
      const [row, takt = null, other] = [rows[at], takts[at], others[at]];
      at += 1;
      if (!row) return { ...part, ...assessment.NO_LEVELS };
      const { excludedS } = row;
      return { ...part, levels: indices.spanLevelsOf(row), takt, ...(excludedS ? { excludedS } : {}), ...other };
    }),
  }));
  const excludedS = rows.reduce((sum, row) => sum + (row.excludedS ?? 0), 0);
  const all = rows.flatMap(({ leq, leqAll = leq, from, to, measured: seconds, excludedS: out = 0 }) =>
    leqAll === null ? [] : [{ level: leqAll, seconds: Math.min(to - from, seconds + out) }],
  );
  return { windows: measured, excludedS, all };
}

/** LAFTeq of each part; null where too few takts are known, or single seconds were removed. */
async function taktsOf(
  { history }: Pick<Host, 'history'>,
  { unitId, channel, excluded, weighting, takts: enough }: PlannedReading,
  parts: readonly assessment.PlannedPart[],
  signal: AbortSignal,
): Promise<readonly (number | null)[]> {
  const [first, last] = [parts[0], parts.at(-1)];
  if (!first || !last || weighting?.time !== 'F') return parts.map(() => null);
  const over = { from: first.from / 1_000, to: last.to / 1_000, step: TAKT_S };
  const of = { unitId, ...(channel && { channel }), weighting };
  const answer = await history.query({ ...of, over, excluded: excluded.ranges }, signal);
  if (answer.step !== TAKT_S) {
    await leave(answer.rows);
    return parts.map(() => null);
  }
  const highest = parts.map((): number[] => []);
  let at = 0;
  for await (const page of answer.rows)
    for (const { from, lmax, resolution } of page) {
      while (at < parts.length && from * 1_000 >= (parts[at]?.to ?? 0)) at += 1;
      // The maximum of a row of a minute cannot give twelve takts.
      if (lmax !== null && resolution <= TAKT_S && from * 1_000 >= (parts[at]?.from ?? Number.POSITIVE_INFINITY))
        highest[at]?.push(lmax);
    }
  return parts.map(({ from, to }, index) => {
    const own = highest[index] ?? [];
    return own.length * TAKT_S * 1_000 >= (to - from) * (enough ?? 1) ? assessment.taktLevel(own) : null;
  });
}

/** Ends a query whose rows are not needed: otherwise the history keeps them in memory. */
export async function leave(rows: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of rows) break;
}
