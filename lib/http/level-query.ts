/**
 * Query parameters of routes about levels besides a span: time zone of days and steps, channel and weighting of levels.
 */
import { CHANNEL_PATTERN, channelNames, MAIN_CHANNEL } from '../domain/ids.ts';
import { rowsOver, type StepName } from '../domain/tables/index.ts';
import type { Span } from '../domain/zone.ts';
import type { Query, Weighting } from '../history/contract.ts';
import { invalid } from './checks.ts';
import type { Schema } from './contract.ts';

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
export type WithChannels = { readonly channels: readonly string[] } | undefined;

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
