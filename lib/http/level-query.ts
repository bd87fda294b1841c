/** What routes about levels take besides a span: the time zone of days and steps, and the weighting of levels. */
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

/** Both words or none of them. */
export interface AskedWeighting {
  readonly frequency_weighting?: Weighting['frequency'];
  readonly time_weighting?: Weighting['time'];
}

/** The schemas of these two words. */
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

/** Whether times that people have excluded count. */
export interface AskedExclusions {
  readonly exclusions: 'apply' | 'ignore';
}

/** Whether exclusions count. `usual`: the default. */
export const exclusionsSchema = (usual: AskedExclusions['exclusions']): Schema => ({
  type: 'string',
  enum: ['apply', 'ignore'],
  default: usual,
  description: 'apply: excluded time (POST notes) counts as not measured; ignore: it counts like any other.',
});

/** The rows of a span, as `rowsOver` gives them. Errors: INVALID, where the first would begin before 1970. */
export function rowsAsked(span: Span, step: StepName, zone: string): Query['over'] {
  const over = rowsOver(span, step, zone);
  const first = 'step' in over ? over.from : over.ranges[0]?.from;
  if (first !== undefined && first < 0)
    throw invalid([{ path: '/from', message: `is too early: its row of ${step} in ${zone} begins before 1970` }]);
  return over;
}
