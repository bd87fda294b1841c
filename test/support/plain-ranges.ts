/** Cuts spans of time into the rows and cells of the plain history. */
import type { Range, Steps } from '../../lib/history/contract.ts';

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
