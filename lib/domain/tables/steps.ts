/** The lengths of a row, and where rows begin. */
import type { Query } from '../../history/contract.ts';
import { calendarSpans, type Span, stepsOver } from '../zone.ts';

/** Seconds of each step; a day is one of the local calendar and may have 23 or 25 hours. */
export const STEPS = Object.freeze({
  '1s': 1,
  '10s': 10,
  '1m': 60,
  '5m': 300,
  '15m': 900,
  '30m': 1_800,
  '1h': 3_600,
  '1d': 86_400,
} as const);
/** `1s`, `1m`, ..., `1d`. */
export type StepName = keyof typeof STEPS;
/** From the shortest to the longest. */
export const STEP_NAMES = Object.freeze(Object.keys(STEPS) as StepName[]);

/** As many rows as a graph can show. */
const AUTO_ROWS = 1_000;

/** The finest step that gives no more than about a thousand rows. Milliseconds. */
export function autoStep({ from, to }: Span): StepName {
  const seconds = (to - from) / 1_000;
  return STEP_NAMES.find((name) => seconds / STEPS[name] <= AUTO_ROWS) ?? '1d';
}

/** How many rows a span has, about. */
export const rowCount = ({ from, to }: Span, step: StepName): number => Math.ceil((to - from) / 1_000 / STEPS[step]);

/**
 * The rows to ask the history for. They begin on full steps of the local clock, and days at local midnight. So the
 * first row may begin before `from`, and before 1970. The last row ends at `to`, on the next full minute, or second for
 * steps below a minute. If the clocks change by a part of a step, a row is shorter (`stepAt` of zone.ts). Seconds.
 */
export function rowsOver(span: Span, step: StepName, zone: string): Query['over'] {
  if (step === '1d') return { ranges: daysOver(span, zone) };
  const seconds = STEPS[step];
  const unit = seconds < 60 ? 1 : 60;
  // Before 1972 some clocks were off by seconds; rows begin on full minutes.
  const full = (ms: number) => Math.floor(ms / 1_000 / unit) * unit;
  const { from, restarts } = stepsOver(zone, span, seconds * 1_000);
  return {
    from: full(from),
    to: Math.ceil(span.to / 1_000 / unit) * unit,
    step: seconds,
    ...(restarts.length > 0 && { restarts: restarts.map(full) }),
  };
}

function daysOver(span: Span, zone: string) {
  const end = Math.ceil(span.to / 60_000) * 60;
  return calendarSpans(zone, span, 'day').map(({ from, to }) => ({
    from: Math.floor(from / 60_000) * 60,
    to: Math.min(end, Math.floor(to / 60_000) * 60),
  }));
}
