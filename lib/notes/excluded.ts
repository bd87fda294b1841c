/** Which time the exclusions of a unit leave out. Pure. */
import { MAIN_CHANNEL } from '../domain/channels.ts';
import type { Range } from '../history/contract.ts';
import type { ExcludedTime, Note } from './contract.ts';

/** For figures of all time. */
export const NOTHING_EXCLUDED: ExcludedTime = Object.freeze({ ranges: [], notes: [] });

/** Where `Answer.cutMinutes` says so. */
export const CUT_MINUTES =
  'Single seconds at the edges of excluded time are no longer kept: minutes there are left out as a whole.';

/** `Answer.cutMinutes` for programs: how exactly the edges of excluded time are kept; null: nothing is excluded. */
export const edgeOf = ({ ranges }: ExcludedTime, ...answers: readonly { readonly cutMinutes: boolean }[]) =>
  ranges.length === 0 ? null : answers.some(({ cutMinutes }) => cutMinutes) ? 'minute' : 'second';

/** `span`: ms since 1970 UTC. The result is in full seconds: a second that is partly excluded is excluded. */
export function excludedTime(notes: readonly Note[], span: Range, channel: string | null = MAIN_CHANNEL): ExcludedTime {
  const [begin, end] = [Math.floor(span.from / 1_000), Math.ceil(span.to / 1_000)];
  const found = notes
    .filter(
      ({ kind, channels }) => kind === 'exclusion' && (channels === null || channels.includes(channel ?? MAIN_CHANNEL)),
    )
    .map(({ id, from, to }) => ({
      id,
      from: Math.max(begin, Math.floor(from / 1_000)),
      to: Math.min(end, to === null ? end : Math.ceil(to / 1_000)),
    }))
    .filter(({ from, to }) => from < to)
    .sort((one, other) => one.from - other.from);
  return { ranges: joined(found), notes: found.map(({ id }) => id).sort((one, other) => one - other) };
}

/** What is in one of the two, or in both: ascending and not overlapping, as each of them is. */
export const unionOf = (some: readonly Range[], others: readonly Range[]): readonly Range[] =>
  others.length === 0 ? some : joined([...some, ...others].sort((one, other) => one.from - other.from));

/** `spans`: by their beginning. */
function joined(spans: readonly Range[]): readonly Range[] {
  const ranges: { from: number; to: number }[] = [];
  for (const { from, to } of spans) {
    const last = ranges.at(-1);
    if (last && from <= last.to) last.to = Math.max(last.to, to);
    else ranges.push({ from, to });
  }
  return ranges;
}

/** Seconds of a range (full seconds since 1970) that are excluded. */
export const excludedSeconds = ({ ranges }: ExcludedTime, { from, to }: Range): number =>
  ranges.reduce((sum, range) => sum + Math.max(0, Math.min(to, range.to) - Math.max(from, range.from)), 0);
