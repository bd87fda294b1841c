/**
 * The stored rows of an hour as lines of CSV, for seals and signatures. The same rows give the same lines, whether they
 * are still in memory or on the disk. No cell has a comma, a quote or a line feed.
 */
import { FLAGS } from '../../domain/flags.ts';
import { MAIN_CHANNEL } from '../../domain/ids.ts';
import { KEPT } from '../../domain/quantities.ts';
import type { StoredKind, StoredSpan } from '../contract.ts';
import { MINUTES_AN_HOUR, SECONDS_AN_HOUR } from '../rows/bytes.ts';
import { MinuteTable } from '../rows/minutes.ts';
import { SecondTable } from '../rows/seconds.ts';
import type { LevelSource, SeriesRecord } from './source.ts';
import { intervalText, minuteTexts, secondTexts, TEXT_COLUMNS, type TextRow } from './text-rows.ts';
import type { Work } from './work.ts';

/** One hour since 1970, and the part of it that is asked for, s since 1970. */
export interface StoredHour extends StoredSpan {
  readonly hour: number;
}

/** Lines of so many seconds at once: the seconds of an hour would outlive the small collections of garbage in the thread, and fill its memory. */
const PART_S: Readonly<Record<StoredKind, number>> = { seconds: 300, minutes: 3_600, intervals: 3_600 };

export async function* hourPages(
  { unitId, kind, from, to }: StoredSpan,
  page: (hour: StoredHour) => Promise<readonly string[]>,
): AsyncGenerator<readonly string[]> {
  for (let hour = Math.floor(from / SECONDS_AN_HOUR); hour * SECONDS_AN_HOUR < to; hour++) {
    for (let part = hour * SECONDS_AN_HOUR; part < (hour + 1) * SECONDS_AN_HOUR; part += PART_S[kind]) {
      const lines = await page({
        unitId,
        kind,
        from: Math.max(from, part),
        to: Math.min(to, part + PART_S[kind]),
        hour,
      });
      if (lines.length > 0) yield lines;
    }
  }
}

/** The lines of a part of an hour: the best source first, each in order of time. */
export function* storedLines(asked: StoredHour, levels: LevelSource): Work<string[]> {
  const { unitId, kind, from, to, hour } = asked;
  const begin = hour * SECONDS_AN_HOUR;
  const date = new Date(begin * 1_000).toISOString().slice(0, 'YYYY-MM-DDTHH:'.length);
  const lines: string[] = [];
  for (const { source, channel, weighting, ...series } of yield* levels.seriesOf(unitId)) {
    // The lines of the main channel are those of earlier releases, which are sealed.
    const origin = channel === MAIN_CHANNEL ? source : `${source}/${channel}`;
    const name = `Z,${origin},${weighting.frequency},${weighting.time}`;
    for (const [at, row] of yield* rowsOf[kind](series, asked, levels)) {
      if (begin + at >= from && begin + at < to) lines.push(date + CLOCK_TEXTS[at] + name + cellsOf(kind, row));
    }
  }
  return lines;
}

type Rows = Iterable<readonly [second: number, row: TextRow]>;
type AskedSeries = Pick<SeriesRecord, 'id' | 'intervalsFrom'>;

const rowsOf: Readonly<
  Record<StoredKind, (series: AskedSeries, asked: StoredHour, levels: LevelSource) => Work<Rows>>
> = {
  *seconds({ id }, { hour, from, to }, levels) {
    const open = yield* levels.openHour(id, hour);
    const bytes = open ? undefined : yield* levels.seconds(id, hour);
    const table = open?.seconds ?? (bytes ? secondTable(bytes) : undefined);
    const begin = hour * SECONDS_AN_HOUR;
    return table ? placed(secondTexts(table, from - begin, to - begin), 1) : [];
  },
  *minutes({ id }, { hour }, levels) {
    const open = yield* levels.openHour(id, hour);
    const bytes = open ? undefined : yield* levels.minutes(id, hour);
    const table = open?.minutes ?? (bytes ? MinuteTable.from(bytes) : undefined);
    return table ? placed(minuteTexts(table), MINUTES_AN_HOUR) : [];
  },
  *intervals({ id, intervalsFrom }, { hour }, levels) {
    if (intervalsFrom === null) return [];
    const begin = hour * SECONDS_AN_HOUR;
    const all = yield* levels.intervals(id, begin, begin + SECONDS_AN_HOUR);
    return all.flatMap((row) => (row.at < begin ? [] : [[row.at - begin, intervalText(row)] as const]));
  },
};

/** The first cell is the place in the hour, each so many seconds long. */
function* placed(rows: Iterable<TextRow>, seconds: number): Generator<readonly [number, TextRow]> {
  for (const row of rows) yield [Number(row[0]) * seconds, row];
}

let last: { readonly bytes: Uint8Array; readonly table: SecondTable } | undefined;

/** The parts of an hour are asked for one after another: it is unpacked once. */
function secondTable(bytes: Uint8Array): SecondTable {
  if (!last || Buffer.compare(last.bytes, bytes) !== 0) last = { bytes, table: SecondTable.from(bytes) };
  return last.table;
}

const CLOCK_TEXTS: readonly string[] = Array.from({ length: SECONDS_AN_HOUR }, (_, second) =>
  [Math.floor(second / MINUTES_AN_HOUR), second % MINUTES_AN_HOUR]
    .map((part) => String(part).padStart(2, '0'))
    .join(':'),
);

/** A comma before each cell but the first, which is the time. */
function cellsOf(kind: StoredKind, row: TextRow): string {
  const texts = TEXTS[kind];
  const cells: (string | undefined)[] = [''];
  for (let place = 1; place < texts.length; place++) {
    const value = row[place];
    cells.push(value === null || value === undefined ? '' : texts[place]?.(value));
  }
  // One flat string: a sum of many is kept as a tree of them.
  return cells.join();
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

/** Columns that are neither a level nor a plain number or text. */
const OTHERS: Readonly<Record<string, TextOf>> = {
  flags: remembered((bits) => FLAGS.filter((_, bit) => (bits & (1 << bit)) !== 0).join(' ')),
  samples(value) {
    let text = '';
    for (const tenths of listed(value)) text += text === '' ? tenthsText(tenths) : ` ${tenthsText(tenths)}`;
    return text;
  },
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

/** `time` is UTC. Levels are dB with two decimals, `samples` and the classes of `counts` with one. */
export const STORED_COLUMNS: Readonly<Record<StoredKind, readonly string[]>> = {
  seconds: columnsOf('seconds', 'offset'),
  minutes: columnsOf('minutes', 'minute'),
  intervals: columnsOf('intervals', 'at'),
};

/** The first cell of a stored row is its position in the hour; a line begins with the time and the series. */
function columnsOf(kind: StoredKind, place: string): readonly string[] {
  return [
    'time',
    'source',
    'frequency_weighting',
    'time_weighting',
    ...TEXT_COLUMNS[kind].filter((name) => name !== place),
  ];
}
