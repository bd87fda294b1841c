/**
 * A running query: a generator that stops often, so that recording and other queries go on meanwhile. Between two steps it keeps
 * nothing open on the disk.
 */

import { isExtreme } from '../../domain/quantities.ts';
import { LONGEST_S } from '../check.ts';
import type { AskedRange, Query, Range, Steps, Weighting } from '../contract.ts';
import { UNNAMED } from '../rows/columns.ts';
import { NONE, SECONDS_AN_HOUR } from '../rows/levels.ts';
import type { Catalogue } from '../sqlite/catalogue.ts';
import type { RowWriter } from '../sqlite/recorder.ts';
import type { DatabaseConnection, SeriesRecord, TableReader } from '../sqlite/tables.ts';
import { digestOf } from './digest.ts';
import { cutHours, Stretches } from './excluded.ts';
import { HourViews } from './hour-view.ts';
import { RangeWork } from './range-work.ts';
import { RowSum, widthOf } from './row-sum.ts';

/** What an answer says before its rows. */
export interface Head {
  readonly weighting: Weighting | null;
  readonly otherWeightings: readonly Weighting[];
  readonly step: number | null;
  readonly mayHaveBounds: boolean;
  readonly digest: string | null;
  readonly cutMinutes: boolean;
}

/** Rows as `RowSum` writes them, one after the other. */
export interface RowPage {
  readonly rows: number;
  /** Memory that both threads see: the next page overwrites it. */
  readonly numbers: Float64Array;
  readonly counts: (readonly (readonly [number, number])[])[] | undefined;
}

const PAGE_ROWS = 200;
/** Level counts are hundreds of numbers a row: such pages are shorter, so that a reader does not block the process. */
const PAGE_ROWS_WITH_COUNTS = 25;
/** Hours between two checks of the time. */
const HOURS_AT_ONCE = 16;

/** What a query reads from. */
export interface QueryParts {
  readonly reader: DatabaseConnection;
  readonly reading: TableReader;
  readonly catalogue: Catalogue;
  readonly recorder: RowWriter;
}

const UNNAMED_EXTREMES = UNNAMED.filter(isExtreme);

interface Plan {
  readonly head: Head;
  readonly series: readonly SeriesRecord[];
  readonly steps: Steps | readonly AskedRange[];
  /** There is nothing outside this span. */
  readonly bounds: Range;
}

const nameOf = ({ frequency, time }: Weighting) => `${frequency}${time}`;

/** The series that answer the query, and how. */
export function plan(query: Query, parts: QueryParts): Plan {
  const { over } = query;
  const from = 'step' in over ? over.from : (over.ranges[0]?.from ?? 0);
  const to = 'step' in over ? over.to : (over.ranges.at(-1)?.to ?? 0);
  const inSpan = parts.catalogue
    .of(query.unitId)
    .filter(({ source }) => query.source === undefined || source === query.source)
    .map((record) => ({ record, ...hoursIn(record, from, to, parts) }))
    .filter(({ hours }) => hours > 0);
  const weightings = new Map<string, { weighting: Weighting; hours: number; last: number }>();
  for (const { record, hours, last } of inSpan) {
    const name = nameOf(record.weighting);
    const before = weightings.get(name) ?? { weighting: record.weighting, hours: 0, last: 0 };
    weightings.set(name, { ...before, hours: before.hours + hours, last: Math.max(before.last, last) });
  }
  const ranked = [...weightings.values()].sort((a, b) => b.hours - a.hours || b.last - a.last);
  const wanted = query.weighting ? nameOf(query.weighting) : ranked[0] && nameOf(ranked[0].weighting);
  const chosen = ranked.find(({ weighting }) => nameOf(weighting) === wanted);
  const series = inSpan.flatMap(({ record }) => (nameOf(record.weighting) === wanted ? record : []));
  const steps = 'step' in over ? coarsened(over, series, parts) : over.ranges;
  const head = {
    weighting: chosen?.weighting ?? null,
    otherWeightings: ranked.flatMap(({ weighting }) => (nameOf(weighting) === wanted ? [] : weighting)),
    step: 'step' in steps ? steps.step : null,
    mayHaveBounds: series.some((record) =>
      mayHaveBounds(record, 'step' in steps && !query.excluded?.length ? steps : { from, to }, parts),
    ),
    digest: query.digest ? digestOf(series, 'step' in steps ? steps : { from, to }, parts) : null,
    cutMinutes: cutHours(query.excluded ?? [], { from, to }).some((hour) =>
      lacksSeconds(series, hour, hour + 1, parts),
    ),
  };
  const firstHour = Math.min(...inSpan.map(({ first }) => first));
  const lastHour = Math.max(...inSpan.map(({ last }) => last));
  return { head, series, steps, bounds: { from: firstHour * SECONDS_AN_HOUR, to: (lastHour + 1) * SECONDS_AN_HOUR } };
}

/** Hours with data of a series in a span: how many at the most, the first and the last. */
function hoursIn(record: SeriesRecord, from: number, to: number, { reader, recorder }: QueryParts) {
  const first = Math.floor(from / SECONDS_AN_HOUR);
  const end = Math.ceil(to / SECONDS_AN_HOUR);
  const stored = reader
    .prepare<[number, number, number], { hours: number; first: number | null; last: number | null }>(
      `select count(*) as hours, min(hour) as first, max(hour) as last from history_hour
       where series = ? and hour >= ? and hour < ?`,
    )
    .get(record.id, first, end);
  const open = recorder.hours.hoursOf(record.id).filter((hour) => hour >= first && hour < end);
  const { intervalsFrom, intervalsTo } = record;
  const reaches = intervalsFrom !== null && intervalsTo !== null && intervalsFrom < to && intervalsTo > from;
  const intervals = reaches ? Math.ceil((Math.min(to, intervalsTo) - Math.max(from, intervalsFrom)) / 3_600) : 0;
  const never = Number.POSITIVE_INFINITY;
  return {
    hours: (stored?.hours ?? 0) + open.length + intervals,
    first: Math.min(stored?.first ?? never, ...open, reaches ? Math.floor(intervalsFrom / SECONDS_AN_HOUR) : never),
    last: Math.max(stored?.last ?? 0, ...open, reaches ? Math.floor(intervalsTo / SECONDS_AN_HOUR) : 0),
  };
}

/** In rows of one length the intervals that lie in a row are told from those that do not. */
function mayHaveBounds({ id, intervalsFrom }: SeriesRecord, span: Range | Steps, { reader }: QueryParts): boolean {
  if (intervalsFrom === null) return false;
  const step = 'step' in span && !span.restarts ? span.step : 1;
  return (
    reader
      .prepare<Record<string, number>, number>(
        `select exists (select 1 from history_interval where series = @id and at > @from - ${LONGEST_S} and at < @to
         and at + duration > @from
         and (at + duration > @to or cast((at - @begin) / @step as integer) <> cast((at + duration - 1 - @begin) / @step as integer))
         and (${UNNAMED_EXTREMES.map((name) => `${name} <> ${NONE}`).join(' or ')}))`,
      )
      .pluck()
      // `cast` cuts off: steps are counted from one that is before all intervals.
      .get({ id, from: span.from, to: span.to, step, begin: span.from - step * Math.ceil(LONGEST_S / step) }) === 1
  );
}

/** Whether there is an hour of which only minutes are kept. */
function lacksSeconds(series: readonly SeriesRecord[], first: number, end: number, { reader }: QueryParts): boolean {
  const gone = reader.prepare<number[], number>(
    `select 1 from history_hour where series = ? and hour >= ? and hour < ? and second_bytes = 0 limit 1`,
  );
  return series.some(({ id }) => gone.get(id, first, end) !== undefined);
}

/** Seconds are not kept as long as minutes: then the whole answer is in minutes, and says so. */
function coarsened(over: Steps, series: readonly SeriesRecord[], parts: QueryParts): Steps {
  if (over.step >= 60) return over;
  const [first, end] = [Math.floor(over.from / SECONDS_AN_HOUR), Math.ceil(over.to / SECONDS_AN_HOUR)];
  if (!lacksSeconds(series, first, end, parts)) return over;
  return { from: Math.floor(over.from / 60) * 60, to: Math.ceil(over.to / 60) * 60, step: 60 };
}

function* rangesOf(steps: Steps | readonly AskedRange[]): Generator<AskedRange> {
  if (!('step' in steps)) return yield* steps;
  let from = steps.from;
  for (const end of [...(steps.restarts ?? []), steps.to]) {
    for (; from < end; from += steps.step) yield { from, to: Math.min(end, from + steps.step) };
    from = end;
  }
}

/** Null: no page yet, only a chance for other work. */
export function* pages(query: Query, { series, steps, bounds }: Plan, parts: QueryParts): Generator<RowPage | null> {
  const { percentiles = [], counts = false, excluded = [] } = query;
  const stretches = new Stretches(excluded);
  const width = widthOf(percentiles.length);
  const sum = new RowSum({ percentiles, counts });
  const inSeconds = 'step' in steps && steps.step < 60;
  const work = new RangeWork(new HourViews(series, { reading: parts.reading, open: parts.recorder.hours }), inSeconds);
  let version = parts.recorder.version;
  const room = counts ? PAGE_ROWS_WITH_COUNTS : PAGE_ROWS;
  let page = emptyPage(room, width, counts);
  let rows = 0;
  let hoursDone = 0;
  for (const range of rangesOf(steps)) {
    sum.begin(range.from, range.to);
    for (const part of stretches.partsOf(cut(range, bounds))) {
      if (work.isHere(part)) {
        work.addHere(part, range, sum);
        continue;
      }
      for (const _hour of work.add(part, range, sum)) {
        hoursDone += 1;
        if (hoursDone % HOURS_AT_ONCE > 0) continue;
        yield null;
        if (version !== parts.recorder.version) work.refresh();
        version = parts.recorder.version;
      }
    }
    const pairs = sum.write(page.numbers, rows);
    if (pairs) page.counts?.push(pairs);
    rows += 1;
    if (rows < room) continue;
    yield { ...page, rows };
    if (version !== parts.recorder.version) work.refresh();
    version = parts.recorder.version;
    page = { ...page, counts: counts ? [] : undefined };
    rows = 0;
  }
  if (rows > 0) yield { ...page, rows };
}

const cut = (range: AskedRange, { from, to }: Range): AskedRange =>
  range.from >= from && range.to <= to
    ? range
    : { ...range, from: Math.max(range.from, from), to: Math.min(range.to, to) };

const emptyPage = (room: number, width: number, counts: boolean) => ({
  numbers: new Float64Array(new SharedArrayBuffer(room * width * Float64Array.BYTES_PER_ELEMENT)),
  counts: counts ? ([] as (readonly (readonly [number, number])[])[]) : undefined,
});
