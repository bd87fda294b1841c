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
  const date = new Date(begin * 1_000).toISOString().slice(0, 'YYYY-MM-DDTHH:'.length);
  const lines: string[] = [];
  for (const { source, weighting, ...series } of parts.catalogue.of(unitId)) {
    const name = `Z,${source},${weighting.frequency},${weighting.time}`;
    for (const [at, row] of rowsOf[kind](series, hour, parts)) {
      if (begin + at >= from && begin + at < to) lines.push(date + CLOCK_TEXTS[at] + name + cellsOf(kind, row));
    }
  }
  return lines;
}

type Rows = readonly (readonly [second: number, row: TextRow])[];

const rowsOf: Readonly<
  Record<StoredKind, (series: Pick<SeriesRecord, 'id' | 'intervalsFrom'>, hour: number, parts: QueryParts) => Rows>
> = {
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

/** `mm:ss` of each second of an hour. */
const CLOCK_TEXTS: readonly string[] = Array.from({ length: SECONDS_AN_HOUR }, (_, second) =>
  [Math.floor(second / MINUTES_AN_HOUR), second % MINUTES_AN_HOUR]
    .map((part) => String(part).padStart(2, '0'))
    .join(':'),
);

/** A comma before each cell but the first, which is the time. */
function cellsOf(kind: StoredKind, row: TextRow): string {
  let cells = '';
  const texts = TEXTS[kind];
  for (let place = 1; place < texts.length; place++) {
    const value = row[place];
    cells += value === null || value === undefined ? ',' : `,${texts[place]?.(value)}`;
  }
  return cells;
}

type TextOf = (value: unknown) => string;

/** A day of a unit has a million numbers and few different ones: each text is made once. */
function remembered(textOf: (value: number) => string): (value: unknown) => string {
  const texts = new Map<unknown, string>();
  return (value) => {
    const known = texts.get(value);
    if (known !== undefined) return known;
    const text = textOf(Number(value));
    texts.set(value, text);
    return text;
  };
}
const centiText = remembered((centi) => (centi / 100).toFixed(2));
const tenthsText = remembered((tenths) => (tenths / 10).toFixed(1));
const listed = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** Of columns that are neither a level nor a plain number or text. */
const OTHERS: Readonly<Record<string, TextOf>> = {
  flags: remembered((bits) => FLAGS.filter((_, bit) => (bits & (1 << bit)) !== 0).join(' ')),
  samples(value) {
    let text = '';
    for (const tenths of listed(value)) text += text === '' ? tenthsText(tenths) : ` ${tenthsText(tenths)}`;
    return text;
  },
  /** Class and count in turn. */
  counts(value) {
    const pairs = listed(value);
    let text = '';
    for (let n = 0; n < pairs.length; n += 2) text += `${n > 0 ? ' ' : ''}${tenthsText(pairs[n])}:${pairs[n + 1]}`;
    return text;
  },
  ln: (value) =>
    Object.entries(value ?? {})
      .map(([percent, level]) => `${percent}:${level}`)
      .join(' '),
};
const LEVELS: ReadonlySet<string> = new Set([...KEPT, 'lp']);
const textsOf = (kind: StoredKind): readonly TextOf[] =>
  TEXT_COLUMNS[kind].map((name) => OTHERS[name] ?? (LEVELS.has(name) ? centiText : String));
const TEXTS: Readonly<Record<StoredKind, readonly TextOf[]>> = {
  seconds: textsOf('seconds'),
  minutes: textsOf('minutes'),
  intervals: textsOf('intervals'),
};
