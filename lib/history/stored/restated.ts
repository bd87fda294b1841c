/** The rows of one hour get the weighting that somebody knows the meter had. */
import { FLAGS } from '../../domain/flags.ts';
import type { Range, Restated } from '../contract.ts';
import { SECONDS_AN_HOUR } from '../rows/bytes.ts';
import type { OpenHour } from '../rows/open-hour.ts';

const WEIGHTING_BIT = FLAGS.indexOf('weighting');

/** Rows of the others in the span (seconds since 1970) come to `target`, which is doubtful no more. */
export function restated(
  target: OpenHour,
  others: readonly OpenHour[],
  hour: number,
  span: Range,
): Pick<Restated, 'moved' | 'confirmed'> {
  const [first, end] = offsetsOf(hour, span);
  const confirmed = target.unflag(first, end, WEIGHTING_BIT);
  let moved = 0;
  for (const other of others) moved += target.takeFrom(other, first, end);
  target.unflag(first, end, WEIGHTING_BIT);
  return { moved, confirmed };
}

export const offsetsOf = (hour: number, { from, to }: Range): readonly [first: number, end: number] => [
  Math.max(0, from - hour * SECONDS_AN_HOUR),
  Math.min(SECONDS_AN_HOUR, to - hour * SECONDS_AN_HOUR),
];

/** Sources from a meter; a card and an import have the weighting in their data. */
export const RESTATED_SOURCES = ['stream', 'poll'] as const;
