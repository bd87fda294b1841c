/**
 * Hours and intervals as lists of numbers, for files that people and other programs read. Levels in hundredths of a dB,
 * or null. The head of a file names the columns of the lists; files of version 1 have no names, and have the columns of
 * `FIRST`.
 */
import { FLAGS } from '../../domain/flags.ts';
import { HIGHEST, LevelCounts, LOWEST } from '../../domain/indices/level-counts.ts';
import { KEPT } from '../../domain/quantities.ts';
import { MINUTES_AN_HOUR, NONE, SECONDS_AN_HOUR } from '../rows/bytes.ts';
import { type Levels, PLACES } from '../rows/columns.ts';
import { addCountBytes, countBytes } from '../rows/counts.ts';
import { MinuteTable } from '../rows/minutes.ts';
import { SecondTable } from '../rows/seconds.ts';
import type { IntervalRecord } from './columns.ts';

type Value = number | null;
export type TextRow = readonly unknown[];

/** `samples`: tenths of a dB; `lmax_at`: second of the minute; `counts`: class and count in turn. */
export interface TextColumns {
  readonly seconds: readonly string[];
  readonly minutes: readonly string[];
  readonly intervals: readonly string[];
}

const NOW: TextColumns = {
  seconds: ['offset', 'steps', 'flags', ...KEPT, 'lp', 'samples'],
  minutes: ['minute', 'steps', 'readings', ...KEPT, 'lmax_at', 'lp', ...FLAGS, 'counts'],
  intervals: ['at', 'duration', ...KEPT, 'ln', 'line'],
};

const FIRST: TextColumns = {
  seconds: ['offset', 'steps', 'flags', 'leq', 'lmax', 'lmin', 'lpeak', 'lp', 'samples'],
  minutes: [
    ...['minute', 'steps', 'readings', 'leq', 'lmax', 'lmax_at', 'lmin', 'lpeak', 'lp'],
    ...['over', 'under', 'frozen', 'implausible', 'counts'],
  ],
  intervals: ['at', 'duration', 'leq', 'lmax', 'lmin', 'lpeak', 'ln', 'line'],
};

export const TEXT_COLUMNS = NOW;

/** Columns that the head of a file names. Throws RangeError for an unknown column: its values would be lost. */
export function textColumnsOf(head: Partial<TextColumns>): TextColumns {
  const kinds = ['seconds', 'minutes', 'intervals'] as const;
  for (const kind of kinds) {
    const stranger = head[kind]?.find((name) => !NOW[kind].includes(name));
    if (stranger !== undefined) throw new RangeError(`the column ${stranger} of the file is not known`);
  }
  return { ...FIRST, ...head };
}

const out = (level: number | undefined): Value => (level === undefined || level === NONE ? null : level);
const back = (value: unknown): number => (value === null || value === undefined ? NONE : whole(value, -30_000, 30_000));

function whole(value: unknown, least: number, most: number): number {
  if (Number.isInteger(value) && Number(value) >= least && Number(value) <= most) return Number(value);
  throw new RangeError(`${JSON.stringify(value)} is no whole number from ${least} to ${most}`);
}

const cellsOf = (row: TextRow, columns: readonly string[]) => {
  return (name: string): unknown => {
    const index = columns.indexOf(name);
    return index < 0 ? undefined : row[index];
  };
};

/** Between two offsets, one after another: all at once need too much memory for a thread. */
export function* secondTexts(table: SecondTable, from = 0, to: number = SECONDS_AN_HOUR): Generator<TextRow> {
  const { offset, steps, flags, samples } = table;
  const levels = [...table.levels, table.lp];
  const end = table.indexOf(to);
  for (let row = table.indexOf(from); row < end; row++) {
    const text: unknown[] = [offset[row], steps[row], flags[row]];
    for (const column of levels) text.push(out(column[row]));
    const tenths: number[] = [];
    for (const index of samples.of(offset[row] ?? 0)) tenths.push(index + LOWEST);
    if (tenths.length > 0) text.push(tenths);
    yield text;
  }
}

/** Throws RangeError for impossible values. */
export function secondsFrom(texts: readonly TextRow[], columns: readonly string[]): SecondTable {
  const table = new SecondTable();
  for (const text of texts) {
    const cell = cellsOf(text, columns);
    const flags = whole(cell('flags'), 0, 2 ** FLAGS.length - 1);
    const row = { offset: whole(cell('offset'), 0, 3_599), steps: whole(cell('steps'), 0, 10), flags };
    const given = cell('samples');
    const samples = (Array.isArray(given) ? given : []).map((tenths) => whole(tenths, LOWEST, HIGHEST) * 10);
    if (samples.length > 10) throw new RangeError(`second ${row.offset} has more samples than steps`);
    const levels = KEPT.map((name) => back(cell(name)));
    if (!table.add({ ...row, levels, lp: back(cell('lp')) }, samples))
      throw new RangeError(`second ${row.offset} is there twice`);
  }
  return table;
}

export function minuteTexts(table: MinuteTable): TextRow[] {
  const texts: TextRow[] = [];
  const counts = new LevelCounts();
  for (let minute = 0; minute < MINUTES_AN_HOUR; minute++) {
    if (table.isEmpty(minute)) continue;
    counts.clear();
    addCountBytes(counts, table.counts[minute] ?? new Uint8Array(0));
    texts.push([
      minute,
      table.steps[minute] ?? 0,
      table.readings[minute] ?? 0,
      ...table.levels.map((column) => out(column[minute])),
      table.lmaxAt[minute] ?? 0,
      out(table.lp[minute]),
      ...table.flagged.map((column) => column[minute] ?? 0),
      pairsOf(counts),
    ]);
  }
  return texts;
}

function pairsOf(counts: LevelCounts): number[] {
  const pairs: number[] = [];
  for (const [tenths, count] of counts) pairs.push(tenths, count);
  return pairs;
}

/** Throws RangeError for impossible values. */
export function minutesFrom(texts: readonly TextRow[], columns: readonly string[]): MinuteTable {
  const table = new MinuteTable();
  for (const text of texts) {
    const cell = cellsOf(text, columns);
    const minute = whole(cell('minute'), 0, MINUTES_AN_HOUR - 1);
    table.steps[minute] = whole(cell('steps'), 0, 600);
    table.readings[minute] = whole(cell('readings'), 0, 60);
    table.lmaxAt[minute] = whole(cell('lmax_at'), 0, 59);
    for (const [place, column] of table.levels.entries()) column[minute] = back(cell(KEPT[place] ?? ''));
    table.lp[minute] = back(cell('lp'));
    for (const [bit, column] of table.flagged.entries()) column[minute] = whole(cell(FLAGS[bit] ?? '') ?? 0, 0, 60);
    const pairs = cell('counts');
    table.counts[minute] = bytesOf(Array.isArray(pairs) ? pairs : []);
  }
  return table;
}

function bytesOf(pairs: readonly unknown[]): Uint8Array {
  const counts = new LevelCounts();
  for (let place = 0; place + 1 < pairs.length; place += 2) {
    counts.addClass(whole(pairs[place], LOWEST, HIGHEST), whole(pairs[place + 1], 1, 660));
  }
  return countBytes(counts);
}

export const intervalText = ({ at, duration, levels, ln, line }: IntervalRecord): TextRow => [
  at,
  duration,
  ...PLACES.map((place) => out(levels[place])),
  ln === null ? null : JSON.parse(ln),
  line,
];

/** Throws RangeError for impossible values. */
export function intervalFrom(text: TextRow, columns: readonly string[]): IntervalRecord {
  const cell = cellsOf(text, columns);
  whole(cell('leq'), -30_000, 30_000);
  const levels: Levels = KEPT.map((name) => back(cell(name)));
  const [ln, line] = [cell('ln') ?? null, cell('line')];
  return {
    at: whole(cell('at'), 0, 2 ** 32),
    duration: whole(cell('duration'), 1, 86_400),
    levels,
    ln: ln === null ? null : JSON.stringify(ln),
    line: typeof line === 'number' ? line : null,
  };
}
