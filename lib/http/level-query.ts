/** What routes about levels take besides a span: the time zone of days, and the weighting of levels. */
import type { Weighting } from '../history/contract.ts';
import { invalid } from './checks.ts';
import type { Schema } from './contract.ts';

export const ZONE: Schema = {
  type: 'string',
  maxLength: 64,
  format: 'timezone',
  description: 'IANA name, such as Europe/Berlin: days are those of its calendar. Default: the timezone of the unit.',
};

export interface AskedWeighting {
  readonly frequency_weighting?: Weighting['frequency'];
  readonly time_weighting?: Weighting['time'];
}

export const ASKED_WEIGHTING: Readonly<Record<keyof AskedWeighting, Schema>> = {
  frequency_weighting: {
    type: 'string',
    enum: ['A', 'C', 'Z'],
    description: 'With time_weighting: only levels of this weighting. Default: the one with the most data in the span.',
  },
  time_weighting: { type: 'string', enum: ['F', 'S', 'I'] },
};

/** Errors: INVALID, where one of the two is missing. */
export function weightingOf(asked: AskedWeighting): Weighting | undefined {
  const { frequency_weighting: frequency, time_weighting: time } = asked;
  if (frequency && time) return { frequency, time };
  if (!frequency && !time) return undefined;
  const missing = frequency ? '/time_weighting' : '/frequency_weighting';
  throw invalid([{ path: missing, message: 'is needed together with the other weighting' }]);
}
