/**
 * Times and spans in queries. A time without its offset from UTC is refused, because it could mean different moments.
 */
import { instantOf } from '../domain/zone.ts';
import { invalid } from './checks.ts';
import type { Schema } from './contract.ts';

/** Schema of a moment: ISO 8601 with an offset. Read it with `momentOf`. */
export const MOMENT: Schema = {
  type: 'string',
  maxLength: 40,
  // A space before the offset is a plus that the caller did not escape. Second 60 is refused: computer clocks do not
  // have it.
  pattern:
    '^\\d{4}-\\d\\d-\\d\\d[Tt ]\\d\\d:\\d\\d(:[0-5]\\d([.,]\\d{1,9})?)?([Zz]|[+ -]([01]\\d|2[0-3])(:?[0-5]\\d)?)$',
  description:
    'a time with its offset from UTC, such as 2026-11-21T06:00:00Z or 2026-11-21T07:00:00%2B01:00 (a plus is written %2B)',
  example: '2026-11-21T06:00:00Z',
};

/** Milliseconds since 1970 UTC. `path`: place of the text, for the message. Errors: INVALID. */
export function momentOf(text: string, path: string): number {
  try {
    // After date and time, a space is a plus that the caller did not escape.
    return instantOf(text.replace(/^(.{16}.*) /, '$1+'));
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw invalid([{ path, message: 'is a date or time that does not exist' }]);
  }
}

/** Two times of RFC 3339. */
export interface AskedSpan {
  readonly from: string;
  readonly to: string;
}

/** `from` belongs to the span, `to` does not; ms since 1970 UTC. Errors: INVALID. */
export function spanOf(asked: AskedSpan): { readonly from: number; readonly to: number } {
  const from = momentOf(asked.from, '/from');
  const to = momentOf(asked.to, '/to');
  if (from < 0) throw invalid([{ path: '/from', message: 'must not be before 1970' }]);
  requireLater(from, to);
  return { from, to };
}

/** Length of a span in days: the cost of an answer about it. Errors: INVALID. */
export function daysIn(asked: AskedSpan): number {
  const { from, to } = spanOf(asked);
  return (to - from) / 86_400_000;
}

/** A span whose ends may both be absent. Errors: INVALID. */
export function openSpanOf(asked: Partial<AskedSpan>): { readonly from?: number; readonly to?: number } {
  const from = asked.from === undefined ? undefined : momentOf(asked.from, '/from');
  const to = asked.to === undefined ? undefined : momentOf(asked.to, '/to');
  if (from !== undefined && to !== undefined) requireLater(from, to);
  return { ...(from !== undefined && { from }), ...(to !== undefined && { to }) };
}

function requireLater(from: number, to: number): void {
  if (to <= from) throw invalid([{ path: '/to', message: 'must be later than from' }]);
}

/** Query parameters of a route that takes a span. */
export const SPAN: Readonly<Record<keyof AskedSpan, Schema>> = {
  from: { ...MOMENT, required: true, description: `${MOMENT.description}; it belongs to the span` },
  to: { ...MOMENT, required: true, description: `${MOMENT.description}; it does not belong to the span` },
};
