/**
 * The rows of an hour as they are stored, as lines of CSV: what is sealed and handed over as evidence. The same rows give the same lines,
 * whether they are still in memory or on the disk. No cell has a comma, a quote or a line feed.
 */
import { FLAGS } from '../../domain/flags.ts';
import { KEPT } from '../../domain/quantities.ts';
import type { StoredKind, StoredSpan } from '../contract.ts';
import { MINUTES_AN_HOUR, SECONDS_AN_HOUR } from '../rows/levels.ts';
import { MinuteTable } from '../rows/minutes.ts';
import { SecondTable } from '../rows/seconds.ts';
import type { QueryParts } from './query.ts';
import type { SeriesRecord } from './tables.ts';
import { intervalText, minuteTexts, secondTexts, TEXT_COLUMNS, type TextRow } from './text-rows.ts';

/** Those of each line; `time` is UTC. Levels are dB with two decimals, `samples` and the classes of `counts` with one. */
export const STORED_COLUMNS: Readonly<Record<StoredKind, readonly string[]>> = {
  seconds: columnsOf('seconds', 'offset'),
  minutes: columnsOf('minutes', 'minute'),
  intervals: columnsOf('intervals', 'at'),
};

/** The first cell of a stored row says where it is in its hour; a line begins with the time and the series. */
function columnsOf(kind: StoredKind, place: string): readonly string[] {
  return [
    'time',
    'source',
    'frequency_weighting',
    'time_weighting',
    ...TEXT_COLUMNS[kind].filter((name) => name !== place),
  ];
}

/** One hour since 1970, and the part of it that is asked for. */
export interface StoredHour extends StoredSpan {
  readonly hour: number;
}

/** Page by page. `page` asks the thread for the lines of an hour. */
export async function* hourPages(
  { unitId, kind, from, to }: StoredSpan,
  page: (hour: StoredHour) => Promise<readonly string[]>,
): AsyncGenerator<readonly string[]> {
  for (let hour = Math.floor(from / SECONDS_AN_HOUR); hour * SECONDS_AN_HOUR < to; hour++) {
    const lines = await page({ unitId, kind, from, to, hour });
    if (lines.length > 0) yield lines;
  }
}

/** The lines of an hour: the best source first, each in order of time. */
export function storedLines({ unitId, kind, from, to, hour }: StoredHour, parts: QueryParts): string[] {
  const begin = hour * SECONDS_AN_HOUR;
  const lines: string[] = [];
  for (const series of parts.catalogue.of(unitId)) {
    for (const [at, row] of rowsOf[kind](series, hour, parts)) {
      const time = begin + at;
      if (time >= from && time < to) lines.push(lineOf(kind, time, series, row));
    }
  }
  return lines;
}

type Rows = readonly (readonly [second: number, row: TextRow])[];

const rowsOf: Readonly<Record<StoredKind, (series: SeriesRecord, hour: number, parts: QueryParts) => Rows>> = {
  seconds({ id }, hour, { recorder, reading }) {
    const bytes = reading.seconds(id, hour);
    const table = recorder.hours.get(id, hour)?.seconds ?? (bytes ? SecondTable.from(bytes) : undefined);
    return table ? secondTexts(table).map((row) => [Number(row[0]), row] as const) : [];
  },
  minutes({ id }, hour, { recorder, reading }) {
    const bytes = reading.minutes(id, hour);
    const table = recorder.hours.get(id, hour)?.minutes ?? (bytes ? MinuteTable.from(bytes) : undefined);
    return table ? minuteTexts(table).map((row) => [Number(row[0]) * MINUTES_AN_HOUR, row] as const) : [];
  },
  intervals({ id, intervalsFrom }, hour, { reading }) {
    if (intervalsFrom === null) return [];
    const begin = hour * SECONDS_AN_HOUR;
    return reading
      .intervals(id, begin, begin + SECONDS_AN_HOUR)
      .filter(({ at }) => at >= begin)
      .map((row) => [row.at - begin, intervalText(row)] as const);
  },
};

function lineOf(kind: StoredKind, time: number, { source, weighting }: SeriesRecord, row: TextRow): string {
  const moment = new Date(time * 1_000).toISOString().replace('.000', '');
  const cells = TEXT_COLUMNS[kind].map((name, place) => cellOf(name, row[place]));
  return [moment, source, weighting.frequency, weighting.time, ...cells.slice(1)].join();
}

function cellOf(name: string, value: unknown): string {
  if (value === null || value === undefined) return '';
  if (name === 'flags') return FLAGS.filter((_, bit) => (Number(value) & (1 << bit)) !== 0).join(' ');
  if (name === 'samples' && Array.isArray(value)) return value.map((tenths) => (tenths / 10).toFixed(1)).join(' ');
  if (name === 'counts' && Array.isArray(value)) return countsOf(value);
  if (name === 'ln' && typeof value === 'object')
    return Object.entries(value)
      .map(([percent, level]) => `${percent}:${level}`)
      .join(' ');
  return isLevel(name) ? (Number(value) / 100).toFixed(2) : String(value);
}

/** Class and count in turn, as `54.3:12`. */
const countsOf = (pairs: readonly number[]): string =>
  Array.from(
    { length: pairs.length / 2 },
    (_, n) => `${((pairs[2 * n] ?? 0) / 10).toFixed(1)}:${pairs[2 * n + 1]}`,
  ).join(' ');

const isLevel = (name: string): boolean => name === 'lp' || KEPT.some((quantity) => quantity === name);
