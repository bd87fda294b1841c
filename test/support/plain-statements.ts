/** Rows that are removed, or get a flag or another weighting afterwards, as simply as it can be written. */
import type { Doubt, Range, Restated } from '../../lib/history/contract.ts';
import { endOf, overlaps, type Series } from './plain-candidates.ts';

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
