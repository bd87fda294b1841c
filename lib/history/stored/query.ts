/**
 * A running query: a generator that stops often, so that recording and other queries go on. Between two steps it keeps
 * nothing open on the disk.
 */
import { MAIN_CHANNEL } from '../../domain/ids.ts';
import type { AnswerHead, AskedRange, Query, Range, Steps, Weighting } from '../contract.ts';
import { SECONDS_AN_HOUR } from '../rows/bytes.ts';
import { digestOf } from './digest.ts';
import { HourViews } from './hour-view.ts';
import { hourPiecesOf, RangeWork } from './range-work.ts';
import { widthOf, writeNone } from './row-numbers.ts';
import { RowSum } from './row-sum.ts';
import type { HourCount, LevelSource, SeriesRecord } from './source.ts';
import type { Work } from './work.ts';

/** The time between exclusions. An interval counts only if it lies within one stretch. */
class Stretches {
  readonly #all: readonly Range[];
  #first = 0;

  constructor(excluded: readonly Range[]) {
    const [never, ever] = [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY];
    this.#all = [{ from: never, to: never }, ...excluded].map(({ to }, index) => ({
      from: to,
      to: excluded[index]?.from ?? ever,
    }));
  }

  /** Whether a range has no excluded time. The ranges come in ascending order. */
  holds(range: Range): boolean {
    const stretch = this.#after(range.from);
    return !stretch || (stretch.from <= range.from && stretch.to >= range.to);
  }

  /** The rest of a range, in order. The ranges come in ascending order. */
  partsOf(range: AskedRange): Iterable<AskedRange> {
    return this.#all.length === 1 ? [range] : this.#cut(range);
  }

  *#cut(range: AskedRange): Generator<AskedRange> {
    this.#after(range.from);
    for (let index = this.#first; index < this.#all.length; index++) {
      const stretch = this.#all[index];
      if (!stretch || stretch.from >= range.to) return;
      const part = commonOf(range, stretch);
      // The same object for each range of a stretch, because it is the key of the view of an hour.
      if (part.to > part.from) yield { ...part, within: range.within ? commonOf(range.within, stretch) : stretch };
    }
  }

  /** The first stretch that ends after this time. Undefined for the infinite time of a span without levels. */
  #after(time: number): Range | undefined {
    for (let next = this.#all[this.#first]; next && next.to <= time; next = this.#all[this.#first]) this.#first += 1;
    return this.#all[this.#first];
  }
}

const commonOf = (one: Range, other: Range): Range => ({
  from: Math.max(one.from, other.from),
  to: Math.min(one.to, other.to),
});

function cutHours(excluded: readonly Range[], span: Range): number[] {
  const edges = excluded.flatMap(({ from, to }) => [from, to]);
  const cutting = edges.filter((at) => at % 60 !== 0 && at > span.from && at < span.to);
  return [...new Set(cutting.map((at) => Math.floor(at / SECONDS_AN_HOUR)))];
}

/** Rows in the format of `RowSum`, one after the other. */
export interface RowPage {
  readonly rows: number;
  /** Memory that both threads share: the next page overwrites it. */
  readonly numbers: Float64Array;
  /** Rows with their excluded time; `writeNone` for rows without such time. Undefined if not requested. */
  readonly whole: Float64Array | undefined;
  readonly counts: (readonly (readonly [number, number])[])[] | undefined;
}

const PAGE_ROWS = 200;
/** Level counts are hundreds of numbers per row: a reader must not block the process. */
const PAGE_ROWS_WITH_COUNTS = 25;

interface QueryPlan {
  readonly head: AnswerHead;
  readonly series: readonly SeriesRecord[];
  readonly steps: Steps | readonly AskedRange[];
  readonly bounds: Range;
}

interface Kind {
  readonly record: SeriesRecord;
  readonly hours: number;
  readonly last: number;
}

const kindOf = ({ channel, weighting }: SeriesRecord) => `${channel} ${weighting.frequency}${weighting.time}`;

const isWanted = (
  one: Weighting,
  { weighting: { frequency, time } = one, frequency: any = frequency }: Query,
): boolean => one.frequency === frequency && one.time === time && one.frequency === any;

/** The kind with the most hours, then the newest, then the first channel by name. Rows of two kinds are never mixed. */
function rankedKinds(series: readonly Kind[]): Kind[] {
  const kinds = new Map<string, Kind>();
  for (const { record, hours, last } of series) {
    const before = kinds.get(kindOf(record)) ?? { record, hours: 0, last: 0 };
    kinds.set(kindOf(record), { ...before, hours: before.hours + hours, last: Math.max(before.last, last) });
  }
  return [...kinds.values()].sort(
    (a, b) => b.hours - a.hours || b.last - a.last || (a.record.channel < b.record.channel ? -1 : 1),
  );
}

export function* plan(query: Query, source: LevelSource): Work<QueryPlan> {
  const { over } = query;
  const { from, to } = spanOf('step' in over ? over : over.ranges);
  const { channel = MAIN_CHANNEL } = query;
  const inSpan: (SpanHours & { readonly record: SeriesRecord })[] = [];
  for (const record of yield* source.seriesOf(query.unitId)) {
    if (channel !== null && record.channel !== channel) continue;
    if (query.source !== undefined && record.source !== query.source) continue;
    const found = yield* hoursIn(record, { from, to }, source);
    if (found.hours > 0) inSpan.push({ record, ...found });
  }
  const ranked = rankedKinds(inSpan);
  const chosen = ranked.find(({ record }) => isWanted(record.weighting, query));
  const isChosen = ({ record }: Kind) => chosen !== undefined && kindOf(record) === kindOf(chosen.record);
  const series = inSpan.filter(isChosen).map(({ record }) => record);
  const steps = 'step' in over ? yield* coarsened(over, series, source) : over.ranges;
  const head = {
    channel: chosen?.record.channel ?? channel,
    weighting: chosen?.record.weighting ?? null,
    otherWeightings: ranked.flatMap((kind) =>
      isChosen(kind) || kind.record.channel !== (chosen?.record.channel ?? channel) ? [] : kind.record.weighting,
    ),
    step: 'step' in steps ? steps.step : null,
    mayHaveBounds: yield* mayHaveBounds(
      series,
      'step' in steps && !query.excluded?.length ? steps : { from, to },
      source,
    ),
    digest: query.digest ? yield* digestOf(series, 'step' in steps ? steps : { from, to }, source) : null,
    cutMinutes: yield* cutsMinutes(query.excluded ?? [], { from, to }, series, source),
  };
  const firstHour = Math.min(...inSpan.map(({ first }) => first));
  const lastHour = Math.max(...inSpan.map(({ last }) => last));
  return { head, series, steps, bounds: { from: firstHour * SECONDS_AN_HOUR, to: (lastHour + 1) * SECONDS_AN_HOUR } };
}

interface SpanHours {
  readonly hours: number;
  readonly first: number;
  readonly last: number;
}

function* hoursIn(record: SeriesRecord, { from, to }: Range, source: LevelSource): Work<SpanHours> {
  const first = Math.floor(from / SECONDS_AN_HOUR);
  const end = Math.ceil(to / SECONDS_AN_HOUR);
  // Open hours first: an hour that is no longer open is stored.
  const open = source.openHours(record.id).filter((hour) => hour >= first && hour < end);
  const stored = yield* countBeside(open, record.id, { first, end }, source);
  const { intervalsFrom, intervalsTo } = record;
  const reaches = intervalsFrom !== null && intervalsTo !== null && intervalsFrom < to && intervalsTo > from;
  const intervals = reaches ? Math.ceil((Math.min(to, intervalsTo) - Math.max(from, intervalsFrom)) / 3_600) : 0;
  const never = Number.POSITIVE_INFINITY;
  return {
    hours: stored.hours + open.length + intervals,
    first: Math.min(stored.first ?? never, ...open, reaches ? Math.floor(intervalsFrom / SECONDS_AN_HOUR) : never),
    last: Math.max(stored.last ?? 0, ...open, reaches ? Math.floor(intervalsTo / SECONDS_AN_HOUR) : 0),
  };
}

/** Stored hours without the open ones: an hour in both places counts once, also during its move. */
function* countBeside(
  open: readonly number[],
  series: number,
  { first, end }: { readonly first: number; readonly end: number },
  source: LevelSource,
): Work<HourCount> {
  let all: HourCount = { hours: 0, first: null, last: null };
  let from = first;
  for (const to of [...open.toSorted((a, b) => a - b), end]) {
    if (from < to) {
      const some = yield* source.countHours(series, from, to);
      all = { hours: all.hours + some.hours, first: all.first ?? some.first, last: some.last ?? all.last };
    }
    from = to + 1;
  }
  return all;
}

/** For rows of one length, separates intervals inside a row from intervals that reach out of it. */
function* mayHaveBounds(series: readonly SeriesRecord[], span: Range | Steps, source: LevelSource): Work<boolean> {
  const step = 'step' in span && !span.restarts ? span.step : 1;
  for (const { id, intervalsFrom } of series) {
    if (intervalsFrom === null) continue;
    if (yield* source.hasReaching(id, { from: span.from, to: span.to, begin: span.from, step })) return true;
  }
  return false;
}

function* lacksSeconds(
  series: readonly SeriesRecord[],
  first: number,
  end: number,
  source: LevelSource,
): Work<boolean> {
  for (const { id } of series) if (yield* source.lacksSeconds(id, first, end)) return true;
  return false;
}

function* cutsMinutes(
  excluded: readonly Range[],
  span: Range,
  series: readonly SeriesRecord[],
  source: LevelSource,
): Work<boolean> {
  for (const hour of cutHours(excluded, span)) if (yield* lacksSeconds(series, hour, hour + 1, source)) return true;
  return false;
}

/** Seconds are kept for a shorter time than minutes: the whole answer is then in minutes, and says so. */
function* coarsened(over: Steps, series: readonly SeriesRecord[], source: LevelSource): Work<Steps> {
  if (over.step >= 60) return over;
  const [first, end] = [Math.floor(over.from / SECONDS_AN_HOUR), Math.ceil(over.to / SECONDS_AN_HOUR)];
  if (!(yield* lacksSeconds(series, first, end, source))) return over;
  return { from: Math.floor(over.from / 60) * 60, to: Math.ceil(over.to / 60) * 60, step: 60 };
}

const spanOf = (over: Steps | readonly AskedRange[]): Range =>
  'step' in over ? over : { from: over[0]?.from ?? 0, to: over.at(-1)?.to ?? 0 };

function* rangesOf(steps: Steps | readonly AskedRange[]): Generator<AskedRange> {
  if (!('step' in steps)) return yield* steps;
  let from = steps.from;
  for (const end of [...(steps.restarts ?? []), steps.to]) {
    for (; from < end; from += steps.step) yield { from, to: Math.min(end, from + steps.step) };
    from = end;
  }
}

/** Null and promises: no page yet, as in all work. */
export function* pages(
  query: Query,
  { series, steps, bounds }: QueryPlan,
  source: LevelSource,
): Generator<RowPage | null | Promise<unknown>> {
  const { percentiles = [], counts = false, excluded = [], withExcluded = false } = query;
  const stretches = new Stretches(excluded);
  const width = widthOf(percentiles.length);
  const sum = new RowSum({ percentiles, counts });
  const whole = new RowSum({ percentiles: [], counts: false });
  const inSeconds = 'step' in steps && steps.step < 60;
  const work = new RangeWork(new HourViews(series, source, spanOf(steps)), inSeconds);
  const room = counts ? PAGE_ROWS_WITH_COUNTS : PAGE_ROWS;
  let page = emptyPage(room, width, { counts, whole: withExcluded });
  let rows = 0;
  for (const range of rangesOf(steps)) {
    sum.begin(range.from, range.to);
    const asked = cut(range, bounds);
    if (page.whole && !stretches.holds(range)) {
      whole.begin(range.from, range.to);
      for (const piece of hourPiecesOf(asked)) {
        yield* work.add(piece, range, whole);
        for (const part of stretches.partsOf(piece)) yield* work.add(part, range, sum);
      }
      whole.write(page.whole, rows);
    } else {
      for (const part of stretches.partsOf(asked))
        if (!work.addIfHere(part, range, sum)) yield* work.add(part, range, sum);
      if (page.whole) writeNone(page.whole, rows);
    }
    const pairs = sum.write(page.numbers, rows);
    if (pairs) page.counts?.push(pairs);
    rows += 1;
    if (rows < room) continue;
    yield { ...page, rows };
    page = { ...page, counts: counts ? [] : undefined };
    rows = 0;
  }
  if (rows > 0) yield { ...page, rows };
}

const cut = (range: AskedRange, { from, to }: Range): AskedRange =>
  range.from >= from && range.to <= to
    ? range
    : { ...range, from: Math.max(range.from, from), to: Math.min(range.to, to) };

const numbersOf = (count: number) => new Float64Array(new SharedArrayBuffer(count * Float64Array.BYTES_PER_ELEMENT));

const emptyPage = (room: number, width: number, wanted: { readonly counts: boolean; readonly whole: boolean }) => ({
  numbers: numbersOf(room * width),
  whole: wanted.whole ? numbersOf(room * widthOf(0)) : undefined,
  counts: wanted.counts ? ([] as (readonly (readonly [number, number])[])[]) : undefined,
});
