/** Excluded time of a unit, and rows of the history without it, each also with its values including that time. */
import { type HistoryAnswer, tables } from '../../lib/built-in.ts';
import type { History, HistoryQuery, HistoryRow, Range, Schema } from '../../lib/index.ts';
import type { Note } from './note.ts';

export interface ExcludedTime {
  /** Full seconds, ascending, without overlaps, within the span: for `History.query`. */
  readonly ranges: readonly Range[];
  /** Ids of the notes, ascending. */
  readonly notes: readonly number[];
}

/** Query parameter: whether excluded time counts. */
export interface AskedExclusions {
  readonly exclusions: 'apply' | 'ignore';
}

/** Its schema. `usual`: the default. */
export const exclusionsSchema = (usual: AskedExclusions['exclusions']): Schema => ({
  type: 'string',
  enum: ['apply', 'ignore'],
  default: usual,
  description: 'apply: excluded time (POST notes) counts as not measured; ignore: it counts like any other.',
});

export const NOTHING_EXCLUDED: ExcludedTime = Object.freeze({ ranges: [], notes: [] });

export const CUT_MINUTES =
  'Single seconds at the edges of excluded time are no longer kept: minutes there are left out as a whole.';

/** See `edgeOf`. */
export const EDGE: Schema = Object.freeze({
  type: ['string', 'null'],
  enum: ['second', 'minute', null],
  description:
    'How exactly excluded time is left out: to the second, or as whole minutes at edges without stored seconds; null: nothing is excluded.',
});

/** `Answer.cutMinutes` for programs: how exact the edges of excluded time are; null: no exclusion. */
export const edgeOf = ({ ranges }: ExcludedTime, ...answers: readonly { readonly cutMinutes: boolean }[]) =>
  ranges.length === 0 ? null : answers.some(({ cutMinutes }) => cutMinutes) ? 'minute' : 'second';

/** The exclusions of one channel of a unit, for queries of one span after the other. Times in full seconds since 1970. */
export class Exclusions {
  /** In the order of their beginning; `latest`: the latest end of this exclusion and all earlier ones. */
  readonly #spans: readonly (Range & { readonly id: number; readonly latest: number })[];
  readonly #joined: readonly Range[];

  constructor(notes: readonly Note[], channel: string) {
    const spans = notes
      .filter(({ kind, channels }) => kind === 'exclusion' && (channels === null || channels.includes(channel)))
      .map(({ id, from, to }) => ({
        id,
        from: Math.floor(from / 1_000),
        latest: 0,
        to: to === null ? Number.POSITIVE_INFINITY : Math.ceil(to / 1_000),
      }))
      .sort((one, other) => one.from - other.from);
    let latest = Number.NEGATIVE_INFINITY;
    for (const span of spans) {
      latest = Math.max(latest, span.to);
      span.latest = latest;
    }
    this.#spans = spans;
    this.#joined = joined(spans);
  }

  /** `span`: ms since 1970 UTC. A second that is partly excluded is excluded. */
  within(span: Range): ExcludedTime {
    const whole = { from: Math.floor(span.from / 1_000), to: Math.ceil(span.to / 1_000) };
    const ids = () => this.#idsWithin(whole);
    let notes: readonly number[] | undefined;
    return {
      ranges: this.#rangesWithin(whole),
      // A getter: most callers only need the time, for many spans.
      get notes() {
        notes ??= ids();
        return notes;
      },
    };
  }

  #rangesWithin({ from, to }: Range): readonly Range[] {
    const found: Range[] = [];
    for (let at = beginningBefore(this.#joined, to) - 1; at >= 0; at--) {
      const range = this.#joined[at];
      if (!range || range.to <= from) break;
      const part = { from: Math.max(from, range.from), to: Math.min(to, range.to) };
      if (part.from < part.to) found.push(part);
    }
    return found.reverse();
  }

  #idsWithin({ from, to }: Range): readonly number[] {
    const ids: number[] = [];
    for (let at = beginningBefore(this.#spans, to) - 1; at >= 0; at--) {
      const span = this.#spans[at];
      if (!span || span.latest <= from) break;
      if (Math.max(from, span.from) < Math.min(to, span.to)) ids.push(span.id);
    }
    return ids.sort((one, other) => one - other);
  }
}

/** Number of spans that begin before `to`; the spans are in the order of their beginnings. */
function beginningBefore(spans: readonly Range[], to: number): number {
  let [low, high] = [0, spans.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((spans[middle]?.from ?? to) < to) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Time in one of the two lists, or in both: ascending and without overlaps, like the lists themselves. */
export const unionOf = (some: readonly Range[], others: readonly Range[]): readonly Range[] =>
  others.length === 0 ? some : joined([...some, ...others].sort((one, other) => one.from - other.from));

/** `spans`: in the order of their beginning. */
function joined(spans: readonly Range[]): readonly Range[] {
  const ranges: { from: number; to: number }[] = [];
  for (const { from, to } of spans) {
    const last = ranges.at(-1);
    if (last && from <= last.to) last.to = Math.max(last.to, to);
    else ranges.push({ from, to });
  }
  return ranges;
}

/** Excluded seconds of a range (full seconds since 1970). */
export function excludedSeconds({ ranges }: ExcludedTime, { from, to }: Range): number {
  let sum = 0;
  for (let at = beginningBefore(ranges, to) - 1; at >= 0; at--) {
    const range = ranges[at];
    if (!range || range.to <= from) break;
    sum += Math.min(to, range.to) - Math.max(from, range.from);
  }
  return sum;
}

export interface ExcludingRow extends HistoryRow {
  /** Its excluded seconds; absent: none. */
  readonly excludedS?: number;
  /** The Leq including the excluded time, dB; absent: its own Leq. */
  readonly leqAll?: number | null;
}

export const excludedColumn = (excluded: ExcludedTime): tables.MoreColumns => ({
  header: ['excluded_s'],
  cellsOf: (row) => [excludedSeconds(excluded, row)],
});

export const excludingColumns = (excluded: ExcludedTime): tables.MoreColumns<ExcludingRow> => ({
  header: ['excluded_s', 'leq_all'],
  cellsOf: (row) => [excludedSeconds(excluded, row), tables.decibels(row.leqAll === undefined ? row.leq : row.leqAll)],
});

/** Errors: as `History.query`. */
export async function queryExcluding(
  history: Pick<History, 'query'>,
  query: HistoryQuery,
  excluded: ExcludedTime,
  signal?: AbortSignal,
): Promise<HistoryAnswer & { readonly rows: AsyncIterable<readonly ExcludingRow[]> }> {
  const { ranges } = excluded;
  const answer = await history.query({ ...query, excluded: ranges, withExcluded: ranges.length > 0 }, signal);
  return { ...answer, rows: pagesOf(answer, excluded) };
}

async function* pagesOf({ rows }: HistoryAnswer, excluded: ExcludedTime): AsyncGenerator<readonly ExcludingRow[]> {
  for await (const page of rows)
    yield page.map(({ withExcluded, ...row }) =>
      withExcluded ? { ...row, excludedS: excludedSeconds(excluded, row), leqAll: withExcluded.leq } : row,
    );
}
