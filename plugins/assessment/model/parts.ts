/** Times of a figure: windows of the local clock, and in them the parts in which people rest. */
import { zones } from '../../../lib/built-in.ts';
import { type AssessedDate, partsWithin } from './calendar.ts';

/** A time with one addition. ms since 1970 UTC. */
export interface PlannedPart extends zones.Span {
  /** Addition for rest, dB. */
  readonly rest: number;
}

export interface PlannedWindow extends zones.Span {
  readonly parts: readonly PlannedPart[];
}

interface Division {
  readonly zone: string;
  /** Seconds; null: the period is one window. */
  readonly window_s: number | null;
  readonly rest: { readonly db: number; readonly spans: readonly zones.Span[] } | null;
}

/** Only full windows: at a clock change by a part of a window, the shorter window is left out. */
export function windowsOf(spans: readonly zones.Span[], { zone, window_s, rest }: Division): PlannedWindow[] {
  const [first, last] = [spans[0], spans.at(-1)];
  if (!first || !last) return [];
  const parted = (span: zones.Span) => splitByRest(span, rest);
  if (window_s === null) return [{ from: first.from, to: last.to, parts: spans.flatMap(parted) }];
  return spans.flatMap((span) =>
    stepsIn(zone, span, window_s * 1_000)
      .filter(({ from, to }) => to - from === window_s * 1_000)
      .map((window) => ({ ...window, parts: parted(window) })),
  );
}

function stepsIn(zone: string, span: zones.Span, step: number): zones.Span[] {
  const { from, restarts } = zones.stepsOver(zone, span, step);
  const begins = [from, ...restarts];
  return begins.flatMap((begin, index) => {
    const end = Math.min(begins[index + 1] ?? span.to, span.to);
    const count = Math.max(0, Math.ceil((end - begin) / step));
    return partsWithin(
      Array.from({ length: count }, (_, at) => ({
        from: begin + at * step,
        to: Math.min(begin + (at + 1) * step, end),
      })),
      span,
    );
  });
}

function splitByRest(span: zones.Span, rest: Division['rest']): PlannedPart[] {
  if (!rest) return [{ ...span, rest: 0 }];
  const found: PlannedPart[] = [];
  let reached = span.from;
  for (const { from, to } of partsWithin(rest.spans, span)) {
    // Rest times may overlap; the shared time counts once.
    if (to <= reached) continue;
    if (from > reached) found.push({ from: reached, to: from, rest: 0 });
    found.push({ from: Math.max(from, reached), to, rest: rest.db });
    reached = to;
  }
  if (reached < span.to) found.push({ from: reached, to: span.to, rest: 0 });
  return found;
}

/** The times of a period on a day; empty if the day does not have the period. */
export const spansOfPeriod = ({ periods }: AssessedDate, name: string): readonly zones.Span[] =>
  periods.find(({ period }) => period === name)?.spans ?? [];
