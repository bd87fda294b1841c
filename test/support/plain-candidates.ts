/** Rows of the plain history for a second or a minute, source by source, and the chosen source. */
import { liesWithin } from '../../lib/history/check.ts';
import type { IntervalRow, Range, SecondRow, SeriesKey } from '../../lib/history/contract.ts';

export interface Series extends SeriesKey {
  readonly channel: string;
  readonly seconds: Map<number, SecondRow>;
  readonly intervals: IntervalRow[];
}

/** One source's word on a second or a minute. */
export interface Candidate {
  readonly series: Series;
  readonly seconds: readonly SecondRow[];
  readonly intervals: readonly IntervalRow[];
  readonly steps: number;
}

export const endOf = ({ at, duration }: IntervalRow) => at + duration;
export const overlaps = (row: IntervalRow, from: number, to: number) => row.at < to && endOf(row) > from;
export const overlap = (row: IntervalRow, { from, to }: Range) => Math.min(endOf(row), to) - Math.max(row.at, from);
export const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);

export function candidateOf(series: Series, cell: Range, kind: 'seconds' | 'intervals', within?: Range): Candidate {
  const seconds = kind === 'seconds' ? secondsIn(series, cell) : [];
  const intervals =
    kind === 'intervals'
      ? series.intervals.filter((row) => overlaps(row, cell.from, cell.to) && (!within || liesWithin(row, within)))
      : [];
  const steps = sum(seconds.map((row) => row.steps)) + sum(intervals.map((row) => overlap(row, cell) * 10));
  return { series, seconds, intervals, steps };
}

function secondsIn({ seconds }: Series, { from, to }: Range): SecondRow[] {
  const rows: SecondRow[] = [];
  for (let at = from; at < to && seconds.size > 0; at++) {
    const row = seconds.get(at);
    if (row) rows.push(row);
  }
  return rows;
}

export const liesIn = (row: IntervalRow, { from, to }: Range) => row.at >= from && endOf(row) <= to;

/** The one with the most measured time; before an interval that reaches out of the row one that has 75 % of its time in the row. */
export function bestOf(candidates: readonly Candidate[], range: Range): Candidate | undefined {
  const measured = candidates.filter(({ steps }) => steps > 0);
  if (measured.length === 0) return candidates.find(({ seconds }) => seconds.length > 0);
  const most = (some: readonly Candidate[]) =>
    some.find(({ steps }) => steps === Math.max(...some.map((one) => one.steps)));
  const inPlace = measured.filter(({ intervals }) => intervals.every((row) => liesIn(row, range)));
  const [best, other] = [most(measured), most(inPlace)];
  return best && other && other.steps * 4 >= best.steps * 3 && !inPlace.includes(best) ? other : best;
}

/** The candidate with the most samples; of equals the stream, then the candidate with the levels. */
export function countedOf(candidates: readonly Candidate[], best: Candidate): Candidate {
  if (best.steps === 0) return best;
  const samples = ({ steps, seconds }: Candidate) => (steps > 0 ? sum(seconds.map(({ lp = [] }) => lp.length)) : 0);
  const most = Math.max(...candidates.map(samples));
  const all = most > 0 ? candidates.filter((one) => samples(one) === most) : [best];
  return all.find(({ series }) => series.source === 'stream') ?? (all.includes(best) ? best : (all[0] ?? best));
}

/** Input of a digest of a span. */
export const hoursOfSeries = ({ source, seconds, intervals }: Series, { from, to }: Range) => [
  source,
  [...seconds.values()].filter(({ at }) => at >= from - 3_600 && at < to + 3_600).sort((a, b) => a.at - b.at),
  intervals.filter((row) => overlaps(row, from, to)).sort((a, b) => a.at - b.at),
];

/** The time of each row. */
export const piecesOf = ({ seconds, intervals }: Series): Range[] => [
  ...[...seconds.keys()].map((at) => ({ from: at, to: at + 1 })),
  ...intervals.map((row) => ({ from: row.at, to: endOf(row) })),
];

/** The hours of a span in which it has rows. */
export function hoursIn(series: Series, { from, to }: Range): Set<number> {
  const hours = piecesOf(series).filter((piece) => piece.from < to && piece.to > from);
  return new Set(hours.map((piece) => Math.floor(piece.from / 3_600)));
}

/** The largest or smallest of those that are there. */
export const edge = (pick: (...values: number[]) => number, values: readonly (number | null | undefined)[]) => {
  const levels = values.filter((level) => level !== null && level !== undefined);
  return levels.length > 0 ? pick(...levels) : null;
};
