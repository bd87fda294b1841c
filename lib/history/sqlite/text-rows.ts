/** Hours and intervals as lists of numbers, for files that people and other programs read. Levels in hundredths of a dB, or null. */
import { HIGHEST, LOWEST } from '../../domain/indices/level-counts.ts';
import { CountTable } from '../rows/counts.ts';
import { MINUTES_AN_HOUR, NONE } from '../rows/levels.ts';
import { MinuteTable } from '../rows/minutes.ts';
import { SecondTable } from '../rows/seconds.ts';
import type { IntervalRecord } from './tables.ts';

type Value = number | null;
/** offset, steps, flags, leq, lmax, lmin, lpeak, lp, and the samples in tenths of a dB where there are some */
export type SecondText = readonly (Value | readonly number[])[];
/** minute, steps, readings, leq, lmax, lmaxAt, lmin, lpeak, lp, over, under, frozen, implausible, counts */
export type MinuteText = readonly (Value | readonly number[])[];
/** at, duration, leq, lmax, lmin, lpeak, percentiles, line */
export type IntervalText = readonly (Value | Readonly<Record<string, number>>)[];

const out = (level: number | undefined): Value => (level === undefined || level === NONE ? null : level);
const back = (value: unknown): number => {
  if (value === null) return NONE;
  return whole(value, -30_000, 30_000);
};

function whole(value: unknown, least: number, most: number): number {
  if (Number.isInteger(value) && Number(value) >= least && Number(value) <= most) return Number(value);
  throw new RangeError(`${JSON.stringify(value)} is no whole number from ${least} to ${most}`);
}

function samplesOf(table: SecondTable, row: number): number[][] {
  const classes = table.samples.of(table.offset[row] ?? 0);
  return classes.length > 0 ? [Array.from(classes, (index) => index + LOWEST)] : [];
}

export const secondTexts = (table: SecondTable): SecondText[] =>
  Array.from({ length: table.count }, (_, row) => [
    table.offset[row] ?? 0,
    table.steps[row] ?? 0,
    table.flags[row] ?? 0,
    ...[table.leq, table.lmax, table.lmin, table.lpeak, table.lp].map((column) => out(column[row])),
    ...samplesOf(table, row),
  ]);

/** Throws RangeError for what cannot be. */
export function secondsFrom(texts: readonly SecondText[]): SecondTable {
  const table = new SecondTable();
  for (const [offset, steps, flags, leq, lmax, lmin, lpeak, lp, given] of texts) {
    const levels = { leq: back(leq), lmax: back(lmax), lmin: back(lmin), lpeak: back(lpeak), lp: back(lp) };
    const row = { offset: whole(offset, 0, 3_599), steps: whole(steps, 0, 10), flags: whole(flags, 0, 15), ...levels };
    const samples = (Array.isArray(given) ? given : []).map((tenths) => whole(tenths, LOWEST, HIGHEST) * 10);
    if (samples.length > 10) throw new RangeError(`second ${row.offset} has more samples than steps`);
    if (!table.add(row, samples)) throw new RangeError(`second ${row.offset} is there twice`);
  }
  return table;
}

export function minuteTexts(table: MinuteTable): MinuteText[] {
  const texts: MinuteText[] = [];
  for (let minute = 0; minute < MINUTES_AN_HOUR; minute++) {
    if (table.isEmpty(minute)) continue;
    const counts = new CountTable();
    counts.addBytes(table.counts[minute] ?? new Uint8Array(0));
    texts.push([
      minute,
      table.steps[minute] ?? 0,
      table.readings[minute] ?? 0,
      out(table.leq[minute]),
      out(table.lmax[minute]),
      table.lmaxAt[minute] ?? 0,
      ...[table.lmin, table.lpeak, table.lp].map((column) => out(column[minute])),
      ...table.flagged.map((column) => column[minute] ?? 0),
      counts.pairs().flat(),
    ]);
  }
  return texts;
}

/** Throws RangeError for what cannot be. */
export function minutesFrom(texts: readonly MinuteText[]): MinuteTable {
  const table = new MinuteTable();
  for (const [place, steps, readings, leq, lmax, lmaxAt, lmin, lpeak, lp, ...rest] of texts) {
    const minute = whole(place, 0, MINUTES_AN_HOUR - 1);
    table.steps[minute] = whole(steps, 0, 600);
    table.readings[minute] = whole(readings, 0, 60);
    table.lmaxAt[minute] = whole(lmaxAt, 0, 59);
    for (const [column, level] of [
      [table.leq, leq],
      [table.lmax, lmax],
      [table.lmin, lmin],
      [table.lpeak, lpeak],
      [table.lp, lp],
    ] as const) {
      column[minute] = back(level);
    }
    for (const [bit, column] of table.flagged.entries()) column[minute] = whole(rest[bit], 0, 60);
    const pairs = rest[table.flagged.length];
    table.counts[minute] = countBytes(Array.isArray(pairs) ? pairs : []);
  }
  return table;
}

function countBytes(pairs: readonly unknown[]): Uint8Array {
  const counts = new CountTable();
  for (let place = 0; place + 1 < pairs.length; place += 2) {
    counts.add(whole(pairs[place], LOWEST, HIGHEST) - LOWEST, whole(pairs[place + 1], 1, 660));
  }
  return counts.bytes();
}

export const intervalText = ({ at, duration, leq, lmax, lmin, lpeak, ln, line }: IntervalRecord): IntervalText => [
  at,
  duration,
  leq,
  ...[lmax, lmin, lpeak].map(out),
  ln === null ? null : JSON.parse(ln),
  line,
];

/** Throws RangeError for what cannot be. */
export function intervalFrom([at, duration, leq, lmax, lmin, lpeak, ln = null, line]: IntervalText): IntervalRecord {
  const levels = { leq: whole(leq, -30_000, 30_000), lmax: back(lmax), lmin: back(lmin), lpeak: back(lpeak) };
  const own = { ln: ln === null ? null : JSON.stringify(ln), line: typeof line === 'number' ? line : null };
  return { at: whole(at, 0, 2 ** 32), duration: whole(duration, 1, 86_400), ...levels, ...own };
}
