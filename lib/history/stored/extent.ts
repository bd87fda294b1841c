/** Extent of the records of a unit: first and last time, sources, gaps, bytes. */
import type { Extent, ExtentOptions, Range, SeriesExtent } from '../contract.ts';
import { SECONDS_AN_HOUR, STEPS_A_SECOND } from '../rows/bytes.ts';
import { spansOf, unpackSpans } from '../rows/hour.ts';
import type { HourRecord } from './columns.ts';
import type { LevelSource, SeriesRecord } from './source.ts';
import type { Work } from './work.ts';

const MOST_GAPS = 1_000;
const BLOCK_HOURS = 720;
/** Approximate bytes of an hour or an interval without its blobs. */
const ROW_BYTES = 60;
const INTERVAL_BYTES = 40;
/** After all times that can be stored. */
const LAST_HOUR = 2 ** 31 - 1;

interface Total {
  readonly channel: string;
  readonly source: SeriesExtent['source'];
  readonly weighting: SeriesExtent['weighting'];
  first: number;
  last: number;
  measured: number;
  readings: number;
  bytes: number;
}

export function* extentOf(
  unitId: string,
  { gapSeconds, channel }: ExtentOptions & { readonly gapSeconds: number },
  source: LevelSource,
): Work<Extent> {
  const all = yield* source.seriesOf(unitId);
  const series = all.filter((one) => channel === undefined || one.channel === channel);
  const totals = new Map<string, Total>();
  const gaps: Range[] = [];
  let until: number | null = null;
  let secondsFrom: number | null = null;
  const { first, end } = yield* boundsOf(series, source);
  for (let block = first; block < end; block += BLOCK_HOURS) {
    const hours = new Map<number, [number, number][]>();
    for (const record of series) {
      const total = totalOf(totals, record);
      for (const one of yield* hoursOf(record, block, Math.min(end, block + BLOCK_HOURS), source)) {
        const start = one.hour * SECONDS_AN_HOUR;
        const spans = unpackSpans(one.spans).map(([from, to]): [number, number] => [start + from, start + to]);
        hours.set(one.hour, [...(hours.get(one.hour) ?? []), ...spans]);
        addHour(total, one, spans);
        if (one.secondBytes > 0) secondsFrom = Math.min(secondsFrom ?? start, start);
      }
      yield* addIntervals(record, total, hours, block, source);
    }
    for (const hour of [...hours.keys()].sort((a, b) => a - b)) {
      const spans = (hours.get(hour) ?? []).sort((a, b) => a[0] - b[0]);
      for (const [from, to] of spansOf(spans, gapSeconds)) {
        if (until !== null && from - until > gapSeconds) gaps.push({ from: until, to: from });
        until = Math.max(until ?? 0, to);
      }
    }
    yield null;
  }
  const found = [...totals.values()].filter(({ last }) => last > 0);
  return {
    first: found.length > 0 ? Math.min(...found.map((one) => one.first)) : null,
    last: found.length > 0 ? Math.max(...found.map((one) => one.last)) : null,
    series: found,
    gaps: gaps.toReversed().slice(0, MOST_GAPS),
    gapCount: gaps.length,
    bytes: found.reduce((sum, { bytes }) => sum + bytes, 0),
    secondsFrom,
  };
}

export function* boundsOf(
  series: readonly SeriesRecord[],
  source: Pick<LevelSource, 'countHours' | 'openHours'>,
): Work<{ first: number; end: number }> {
  let [first, end] = [Number.POSITIVE_INFINITY, 0];
  const have = (from: number, to: number) => {
    first = Math.min(first, from);
    end = Math.max(end, to);
  };
  for (const { id, intervalsFrom, intervalsTo } of series) {
    // Open hours first: an hour that is no longer open is stored.
    for (const hour of source.openHours(id)) have(hour, hour + 1);
    const stored = yield* source.countHours(id, 0, LAST_HOUR);
    if (stored.first !== null && stored.last !== null) have(stored.first, stored.last + 1);
    if (intervalsFrom === null || intervalsTo === null) continue;
    have(Math.floor(intervalsFrom / SECONDS_AN_HOUR), Math.ceil(intervalsTo / SECONDS_AN_HOUR));
  }
  return { first: end > 0 ? first : 0, end };
}

function totalOf(totals: Map<string, Total>, { channel, source, weighting }: SeriesRecord): Total {
  const key = `${channel} ${source} ${weighting.frequency}${weighting.time}`;
  const empty = { first: Number.POSITIVE_INFINITY, last: 0, measured: 0, readings: 0, bytes: 0 };
  const total = totals.get(key) ?? { channel, source, weighting, ...empty };
  totals.set(key, total);
  return total;
}

function* hoursOf({ id }: SeriesRecord, from: number, to: number, source: LevelSource): Work<HourRecord[]> {
  const open = source.openHours(id).filter((hour) => hour >= from && hour < to);
  const opened = new Map<number, HourRecord | undefined>();
  for (const hour of open) {
    const rows = yield* source.openHour(id, hour);
    if (!rows) continue;
    // About the bytes of a usual second on the disk.
    const secondBytes = rows.seconds.count * 5;
    opened.set(hour, rows.isEmpty() ? undefined : { hour, secondBytes, minuteBytes: 0, ...rows.sum() });
  }
  const stored = yield* source.hours(id, from, to);
  return [
    ...stored.filter(({ hour }) => !opened.has(hour)),
    ...[...opened.values()].filter((one) => one !== undefined),
  ];
}

function addHour(total: Total, hour: HourRecord, spans: readonly (readonly [number, number])[]): void {
  total.first = Math.min(total.first, spans[0]?.[0] ?? total.first);
  total.last = Math.max(total.last, spans.at(-1)?.[1] ?? 0);
  total.measured += hour.steps / STEPS_A_SECOND;
  total.readings += hour.readings;
  total.bytes += hour.secondBytes + hour.minuteBytes + hour.counts.length + hour.spans.length + ROW_BYTES;
}

/** Intervals that begin in the block, each in the hour of its beginning. */
function* addIntervals(
  record: SeriesRecord,
  total: Total,
  hours: Map<number, [number, number][]>,
  block: number,
  source: LevelSource,
): Work<void> {
  if (record.intervalsFrom === null || record.intervalsTo === null) return;
  const end = Math.min(block + BLOCK_HOURS, Math.ceil(record.intervalsTo / SECONDS_AN_HOUR));
  for (let hour = Math.max(block, Math.floor(record.intervalsFrom / SECONDS_AN_HOUR)); hour < end; hour++) {
    const start = hour * SECONDS_AN_HOUR;
    for (const { at, duration } of yield* source.intervals(record.id, start, start + SECONDS_AN_HOUR)) {
      if (at < start) continue;
      const spans = hours.get(hour) ?? [];
      const last = spans.at(-1);
      if (last?.[1] === at) last[1] = at + duration;
      else spans.push([at, at + duration]);
      hours.set(hour, spans);
      total.first = Math.min(total.first, at);
      total.last = Math.max(total.last, at + duration);
      total.measured += duration;
      total.bytes += INTERVAL_BYTES;
    }
    if (hour % 24 === 0) yield null;
  }
}
