/**
 * Query parameters that many routes have: times and spans, pages of lists, the time zone of days and steps, channel
 * and weighting of levels.
 */
import { CHANNEL_PATTERN, channelNames, MAIN_CHANNEL } from '../domain/ids.ts';
import { rowsOver, type StepName } from '../domain/tables/index.ts';
import { instantOf, type Span } from '../domain/zone.ts';
import type { Query, Weighting } from '../history/contract.ts';
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

/** The clocks of two computers may differ by this much: a later time is in the future, ms. */
export const CLOCKS_DIFFER_MS = 60_000;

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

/** Limit with the default of most lists. */
const LIMIT: Schema = { type: 'integer', minimum: 1, maximum: 1_000, default: 100 };
/** Cursor of a list in the order of its ids. */
const ID: Schema = { type: 'string', pattern: '^[1-9][0-9]{0,14}$' };

/** `limit` and the `cursor` of the page before. */
export interface PageQuery {
  readonly limit: number;
  readonly cursor?: string;
}

/** Query parameters of a list. An empty parameter counts as missing: forms and scripts write `?unit=`. */
export function listQuery(
  filters: Readonly<Record<string, Schema>> = {},
  cursor = ID,
  limit = LIMIT,
): Record<string, Schema> {
  const all = { ...filters, limit, cursor: { ...cursor, description: 'the `next` of the page before' } };
  return Object.fromEntries(Object.entries(all).map(([name, schema]) => [name, { ...schema, allowEmptyValue: true }]));
}

/** In the answer of a list. */
export const NEXT: Schema = {
  type: ['string', 'null'],
  description: 'The cursor of the next page; null: there is none.',
};

/** One page; `next` is null on the last one. */
interface Page<T> {
  readonly page: readonly T[];
  readonly next: string | null;
}

/** The first `limit` of these. A next page exists if `rest` has more: reading `limit` + 1 entries is enough. */
export function pageOf<T>(rest: readonly T[], limit: number, cursorOf: (item: T) => string | number): Page<T> {
  const page = rest.slice(0, limit);
  const last = page.at(-1);
  return { page, next: last !== undefined && rest.length > limit ? String(cursorOf(last)) : null };
}

/** A page of a list in memory, in the order of its keys. */
export function keyedPage<T>(
  all: readonly T[],
  { limit, cursor = '' }: PageQuery,
  keyOf: (item: T) => string,
): Page<T> {
  const rest = all.filter((item) => keyOf(item) > cursor).sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
  return pageOf(rest, limit, keyOf);
}

/** The IANA name of a time zone; absent: that of the unit. */
export const ZONE: Schema = {
  type: 'string',
  maxLength: 64,
  format: 'timezone',
  description:
    'IANA name, such as Europe/Berlin: days are those of its calendar, and steps those of its clock. Default: the timezone of the unit.',
};

/** Channel and weighting of the wanted levels. Either both words of the weighting are given, or neither of them. */
export interface AskedSeries {
  readonly channel?: string;
  readonly frequency_weighting?: Weighting['frequency'];
  readonly time_weighting?: Weighting['time'];
}

/** Query parameter: the channel of levels. */
export const ASKED_CHANNEL: Schema = {
  type: 'string',
  pattern: CHANNEL_PATTERN,
  description:
    'Channel of the meter, such as sub1: one that is recorded (history_channels of the config). Default: main.',
};

/** Schemas of these parameters. */
export const ASKED_SERIES: Readonly<Record<keyof AskedSeries, Schema>> = {
  channel: ASKED_CHANNEL,
  frequency_weighting: {
    type: 'string',
    enum: ['A', 'C', 'Z'],
    description:
      'With time_weighting: only levels of this weighting. Default: the weighting with the most data in the span.',
  },
  time_weighting: { type: 'string', enum: ['F', 'S', 'I'] },
};

/** Channels of the family of a meter; undefined: the family is unknown and has the main channel. */
type WithChannels = { readonly channels: readonly string[] } | undefined;

/** The query for the history. Errors: INVALID for a channel that the family does not have, and as `weightingOf`. */
export function seriesAsked(asked: AskedSeries, family: WithChannels): Pick<Query, 'channel' | 'weighting'> {
  const weighting = weightingOf(asked);
  const { channel = MAIN_CHANNEL } = asked;
  refuseChannel(channel, family, '/channel');
  return { ...(channel !== MAIN_CHANNEL && { channel }), ...(weighting && { weighting }) };
}

/** Errors: INVALID at `path` for a name that is not a channel of the family. */
export function refuseChannel(channel: string, family: WithChannels, path: string): void {
  const known = channelNames(family?.channels ?? [MAIN_CHANNEL]);
  if (!known.includes(channel))
    throw invalid([{ path, message: `is no channel of this meter; it has ${known.join(', ')}` }]);
}

/** Errors: INVALID at `path` if the config of the unit does not have the channel. */
export function refuseUnrecorded(
  channel: string,
  unit: { readonly unitId: string; readonly historyChannels: readonly string[] },
  path: string,
): void {
  const message = `is not recorded for ${unit.unitId}: it is not among history_channels of its config`;
  if (channel !== MAIN_CHANNEL && !unit.historyChannels.includes(channel)) throw invalid([{ path, message }]);
}

/** Errors: INVALID if one of the two parameters is missing. */
function weightingOf(asked: AskedSeries): Weighting | undefined {
  const { frequency_weighting: frequency, time_weighting: time } = asked;
  if (frequency && time) return { frequency, time };
  if (!frequency && !time) return undefined;
  const missing = frequency ? '/time_weighting' : '/frequency_weighting';
  throw invalid([{ path: missing, message: 'is needed together with the other weighting' }]);
}

/** The rows of a span, as `rowsOver` gives them. Errors: INVALID if the first row would begin before 1970. */
export function rowsAsked(span: Span, step: StepName, zone: string): Query['over'] {
  const over = rowsOver(span, step, zone);
  const first = 'step' in over ? over.from : over.ranges[0]?.from;
  if (first !== undefined && first < 0)
    throw invalid([{ path: '/from', message: `is too early: its row of ${step} in ${zone} begins before 1970` }]);
  return over;
}
