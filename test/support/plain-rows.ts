/** Rows of the plain history: spans cut into cells, source by source and the chosen one, series of a channel, and what is stated afterwards. */
import { MAIN_CHANNEL } from '../../lib/domain/ids.ts';
import { liesWithin } from '../../lib/history/check.ts';
import type {
  Doubt,
  IntervalRow,
  Query,
  Range,
  Restated,
  SecondRow,
  SeriesKey,
  Steps,
  Weighting,
} from '../../lib/history/contract.ts';

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

export function cutAll({ from, to, restarts = [] }: Steps, step: number): Range[] {
  const begins = [from, ...restarts];
  return begins.flatMap((begin, index) => cut({ from: begin, to: begins[index + 1] ?? to }, step));
}

function cut({ from, to }: Range, step: number): Range[] {
  const ranges: Range[] = [];
  const first = step === 60 ? Math.floor(from / 60) * 60 : from;
  const end = step === 60 ? Math.ceil(to / 60) * 60 : to;
  for (let at = first; at < end; at += step) ranges.push({ from: at, to: Math.min(end, at + step) });
  return ranges;
}

/** Full minutes, and seconds at the edges; only seconds if they are wanted or if there is no full minute. */
export function cellsOf(range: Range, inSeconds: boolean): Range[] {
  const first = Math.ceil(range.from / 60) * 60;
  const end = Math.floor(range.to / 60) * 60;
  if (inSeconds || first >= end) return cut(range, 1);
  return [
    ...cut({ from: range.from, to: first }, 1),
    ...cut({ from: first, to: end }, 60),
    ...cut({ from: end, to: range.to }, 1),
  ];
}

/** The rest of a range. */
export function partsOf(range: Range, excluded: readonly Range[]): Range[] {
  return excluded.reduce<Range[]>(
    (parts, gap) =>
      parts
        .flatMap(({ from, to }) => [
          { from, to: Math.min(to, gap.from) },
          { from: Math.max(from, gap.to), to },
        ])
        .filter(({ from, to }) => from < to),
    [range],
  );
}

export const losesTime = (range: Range, excluded: readonly Range[]): boolean =>
  excluded.some(({ from, to }) => from < range.to && to > range.from);

/** The minutes in which an edge lies are excluded as a whole. */
export const toMinutes = (excluded: readonly Range[], isCut: (edge: number) => boolean): Range[] =>
  excluded.map(({ from, to }) => ({
    from: isCut(from) ? Math.floor(from / 60) * 60 : from,
    to: isCut(to) ? Math.ceil(to / 60) * 60 : to,
  }));

export const nameOf = ({ frequency, time }: Weighting) => `${frequency}${time}`;

const nameOfKind = ({ channel = MAIN_CHANNEL, weighting }: Pick<SeriesKey, 'channel' | 'weighting'>) =>
  `${channel} ${nameOf(weighting)}`;

export const nameOfSeries = (key: Omit<SeriesKey, 'unitId'>) => `${key.source} ${nameOfKind(key)}`;

/** For any channel: the channel with the most hours of the requested weighting. */
export function ofChannel(
  all: readonly Series[],
  { channel = MAIN_CHANNEL, frequency, weighting }: Query,
  hours: (series: Series) => number,
): Series[] {
  if (channel !== null) return all.filter((series) => series.channel === channel);
  const fits = (one: Weighting) =>
    (frequency === undefined || one.frequency === frequency) &&
    (weighting === undefined || nameOf(one) === nameOf(weighting));
  const hoursOfKind = (kind: Series) => sum(all.filter((one) => nameOfKind(one) === nameOfKind(kind)).map(hours));
  const own = (name: string) => all.filter((one) => one.channel === name && fits(one.weighting));
  const most = (name: string) => Math.max(0, ...own(name).map(hoursOfKind));
  const [best] = [...new Set(all.map((one) => one.channel))].sort((a, b) => most(b) - most(a) || (a < b ? -1 : 1));
  return best !== undefined && most(best) > 0 ? all.filter((series) => series.channel === best) : [];
}

/** Returns the seconds of measured time that are gone. */
export function removeRows(series: Series, { from, to }: Range): number {
  let gone = 0;
  for (const row of [...series.seconds.values()]) {
    if (row.at < from || row.at >= to) continue;
    series.seconds.delete(row.at);
    gone += row.steps / 10;
  }
  for (const row of series.intervals.filter((row) => overlaps(row, from, to))) {
    series.intervals.splice(series.intervals.indexOf(row), 1);
    gone += row.duration;
  }
  return gone;
}

/** Returns how many rows have the flag now. */
export function flagRows(series: Series | undefined, { from, to, flag }: Doubt): number {
  const rows = [...(series?.seconds.values() ?? [])].filter(({ at }) => at >= from && at < to);
  for (const row of rows) series?.seconds.set(row.at, { ...row, flags: { ...row.flags, [flag]: true } });
  return rows.length;
}

/** `all`: the series of this source. */
export function restateRows(target: Series, all: readonly Series[], span: Range): Omit<Restated, 'left'> {
  const confirmed = trust(target, span);
  const others = all.filter((one) => one !== target);
  const moved = takeRows(target, others, span);
  trust(target, span);
  return { moved, confirmed };
}

/** Rows of the others in the span belong to the target. Returns how many came. */
function takeRows(target: Series, others: readonly Series[], { from, to }: Range): number {
  let moved = 0;
  for (const series of others) {
    for (const row of [...series.seconds.values()]) {
      if (row.at < from || row.at >= to) continue;
      series.seconds.delete(row.at);
      if (target.seconds.has(row.at)) continue;
      target.seconds.set(row.at, row);
      moved += 1;
    }
    for (const row of series.intervals.filter((each) => each.at >= from && endOf(each) <= to)) {
      series.intervals.splice(series.intervals.indexOf(row), 1);
      target.intervals.push(row);
      moved += 1;
    }
  }
  return moved;
}

/** Nothing of the span is doubtful any more. Returns how many rows were. */
function trust({ seconds }: Series, { from, to }: Range): number {
  const doubtful = [...seconds.values()].filter(({ at, flags }) => at >= from && at < to && flags?.weighting);
  for (const row of doubtful) seconds.set(row.at, { ...row, flags: { ...row.flags, weighting: false } });
  return doubtful.length;
}
