/** Which time the exclusions of a unit leave out. Pure. */
import type { Range } from '../history/contract.ts';
import type { ExcludedTime, Note } from './contract.ts';

/** Levels are summed up over the main channel. */
const MAIN = 'main';

/** For figures of all time. */
export const NOTHING_EXCLUDED: ExcludedTime = Object.freeze({ ranges: [], notes: [] });

/** Where `Answer.cutMinutes` says so. */
export const CUT_MINUTES =
  'Single seconds at the edges of excluded time are no longer kept: minutes there are left out as a whole.';

/** `span`: ms since 1970 UTC. The result is in full seconds: a second that is partly excluded is excluded. */
export function excludedTime(notes: readonly Note[], span: Range): ExcludedTime {
  const [begin, end] = [Math.floor(span.from / 1_000), Math.ceil(span.to / 1_000)];
  const found = notes
    .filter(({ kind, channels }) => kind === 'exclusion' && (channels === null || channels.includes(MAIN)))
    .map(({ id, from, to }) => ({
      id,
      from: Math.max(begin, Math.floor(from / 1_000)),
      to: Math.min(end, to === null ? end : Math.ceil(to / 1_000)),
    }))
    .filter(({ from, to }) => from < to)
    .sort((one, other) => one.from - other.from);
  const ranges: { from: number; to: number }[] = [];
  for (const { from, to } of found) {
    const last = ranges.at(-1);
    if (last && from <= last.to) last.to = Math.max(last.to, to);
    else ranges.push({ from, to });
  }
  return { ranges, notes: found.map(({ id }) => id).sort((one, other) => one - other) };
}

/** Seconds of a range (full seconds since 1970) that are excluded. */
export const excludedSeconds = ({ ranges }: ExcludedTime, { from, to }: Range): number =>
  ranges.reduce((sum, range) => sum + Math.max(0, Math.min(to, range.to) - Math.max(from, range.from)), 0);
