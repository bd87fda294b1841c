/** What GET assessment takes and answers. Data only. */
import { ASKED_SERIES, type AskedSeries, TIME_OR_NULL, WEIGHTING, ZONE } from '../../lib/built-in.ts';
import { named, orNull, type Schema, SPAN, TIME, UNIT_ID, whole } from '../../lib/index.ts';
import { DOUBTFUL } from '../calibration/index.ts';
import { type AskedExclusions, EDGE, exclusionsSchema } from '../notes/index.ts';
import * as assessment from './model/index.ts';

export interface AssessmentQuery
  extends AskedExclusions,
    AskedSeries,
    Readonly<Partial<Record<assessment.SaidName, string>>> {
  readonly from: string;
  readonly to: string;
  readonly zone?: string;
  readonly preset: string;
  readonly area?: string;
  readonly calendar?: string;
  readonly limits?: string;
  readonly by: 'week' | 'month' | 'year' | 'none';
}

const NUMBER = '-?\\d{1,6}(\\.\\d{1,3})?';
const WORD = '[A-Za-z0-9][A-Za-z0-9_-]{0,31}';
const BY_NAME = `${WORD}:${NUMBER}(,${WORD}:${NUMBER}){0,49}`;
const said = (description: string): Schema => ({
  type: 'string',
  maxLength: 500,
  pattern: `^(${NUMBER}|${BY_NAME})$`,
  description: `${description} One number for all periods, or by period: day:3,night:0.`,
});

export const LIMITS: Schema = {
  type: 'string',
  maxLength: 500,
  pattern: `^${BY_NAME}$`,
  description: 'Limits of your own, dB, by figure: day:55,night:40.',
};

export const ASSESSMENT_QUERY: Readonly<Record<string, Schema>> = {
  ...SPAN,
  zone: ZONE,
  preset: { type: 'string', pattern: UNIT_ID, default: 'eu-lden', description: 'A name of GET _assessments.' },
  area: {
    type: 'string',
    pattern: `^${WORD}$`,
    description: 'The area whose limits count: a name of the areas of the preset. Default: the only area.',
  },
  calendar: {
    type: 'string',
    pattern: UNIT_ID,
    description: 'A name of GET _calendars. Without a calendar no day is a holiday.',
  },
  limits: LIMITS,
  tonal: said('K_T by ear, dB: a value of the preset.'),
  impulse: said('K_I by ear, dB, where it should not be worked out.'),
  low_frequency: said('K_f by ear, dB, where the meter gave no LCeq.'),
  other: said('Other additions by ear, dB.'),
  residual: said('The level without the source, dB.'),
  background: said('The LA90 that a person finds representative, dB.'),
  duration_s: said('How long the noise lasts in a period, seconds.'),
  by: {
    type: 'string',
    enum: ['none', 'week', 'month', 'year'],
    default: 'none',
    description: 'Also a summary of each.',
  },
  exclusions: exclusionsSchema('apply'),
  ...ASKED_SERIES,
};

export const ASSESSMENT_FORMAT: Schema = {
  type: 'string',
  enum: ['json', 'csv', 'csv-de', 'xlsx'],
  default: 'json',
  description:
    'Files have a row for each figure of each day, with the reason in words: `LAFmax 92.3 of 90`. csv-de: semicolons and decimal commas.',
};

const LEVEL: Schema = { type: ['number', 'null'], description: 'dB' };
const SECONDS: Schema = { type: 'number', minimum: 0, description: 'Seconds.' };
const TEXT: Schema = { type: 'string' };
const VERDICT: Schema = { type: 'string', enum: assessment.VERDICTS };
const array = (items: Schema, description?: string): Schema => ({
  type: 'array',
  items,
  ...(description && { description }),
});

const PART = named('AssessedPart', {
  from: TIME,
  to: TIME,
  leq: LEVEL,
  measured_s: SECONDS,
  specific: { ...LEVEL, description: 'dB, without the residual level; null: none was given, or they are too close.' },
  tonal: LEVEL,
  impulse: LEVEL,
  low_frequency: LEVEL,
  other: LEVEL,
  added: { ...LEVEL, description: 'dB: these four together, at most what the preset allows.' },
  rest: { type: 'number', description: 'dB that are added because people rest.' },
  rated: { ...LEVEL, description: 'dB with everything.' },
});

const FIGURE = named('AssessedFigure', {
  figure: TEXT,
  period: { type: ['string', 'null'], description: 'Null: of all periods.' },
  from: TIME_OR_NULL,
  to: TIME_OR_NULL,
  hours: { type: 'number', description: 'Real hours of its parts.' },
  coverage: { type: 'number', minimum: 0, maximum: 1 },
  leq: { ...LEVEL, description: 'dB: mean of the measured time. It does not include gaps.' },
  leq_all: { ...LEVEL, description: 'dB: the same with the excluded time; null: nothing is excluded.' },
  excluded_s: SECONDS,
  lr: { ...LEVEL, description: 'dB: rating level; null where it is not assessable.' },
  value: {
    ...LEVEL,
    description: 'dB: the compared value: Lr, LN, emergence, difference or index; null if it is not assessable.',
  },
  limit: LEVEL,
  margin: { ...LEVEL, description: 'dB: limit minus value; below 0 it is exceeded.' },
  impact: {
    type: ['string', 'null'],
    enum: ['low', 'adverse', 'significant', null],
    description:
      'Of a difference to the background: from 5 dB on adverse, from 10 dB on significant, depending on the context.',
  },
  lmax: LEVEL,
  lmax_at: TIME_OR_NULL,
  peak_limit: LEVEL,
  over: array(
    whole({
      quantity: { type: 'string', enum: ['value', 'lmax'] },
      level: { type: 'number' },
      limit: { type: 'number' },
    }),
    'Limits that are exceeded, dB: the level with one decimal, and its limit.',
  ),
  verdict: VERDICT,
  assessable: { type: 'boolean' },
  reasons: array(TEXT, 'Why it is not assessable, or what to know of it.'),
  worst: {
    ...orNull(named('WorstWindow', { from: TIME, to: TIME, leq: LEVEL, lr: LEVEL, parts: array(PART) })),
    description: 'The window that counts, or the whole period.',
  },
});

const COUNTS = array(whole({ level: { type: 'number' }, count: { type: 'integer' } }));
const EVENTS = named('AssessedEvents', {
  period: TEXT,
  assessable: { type: 'boolean' },
  reason: { type: ['string', 'null'] },
  count: { type: ['integer', 'null'] },
  nat: { ...COUNTS, description: 'Number of events at or above each level.' },
  lae: { ...LEVEL, description: 'dB: exposure of all events.' },
  share: { type: ['number', 'null'], minimum: 0, maximum: 1, description: 'Of the energy of the period.' },
});

const DAY = named('AssessedDay', {
  date: { type: 'string', format: 'date' },
  kind: { type: 'string', enum: assessment.DAY_KINDS },
  verdict: VERDICT,
  doubtful: { type: 'boolean', description: 'The meter drifted between the two calibrations around a part of it.' },
  figures: array(FIGURE),
  events: array(EVENTS, 'Where the preset counts events.'),
});

/** The kind of value that is compared with the limit of a figure. */
export const COMPARED = Object.freeze(['leq', 'rating', 'percentile', 'emergence', 'difference', 'index'] as const);

const MEAN = named('AssessedMean', {
  figure: TEXT,
  mean: { ...LEVEL, description: 'dB: energy mean of the values of the assessable days, each day alike.' },
  standard_error: { ...LEVEL, description: 'dB; null for fewer than two days.' },
  days: { type: 'integer', description: 'Assessable days.' },
  left_out: array({ type: 'string', format: 'date' }, 'Days that have it and are not assessable.'),
  highest: LEVEL,
  highest_on: { type: ['string', 'null'], format: 'date' },
  limit: LEVEL,
  compared: { type: 'string', enum: [...COMPARED], description: 'The value that is compared with the limit.' },
  period: { type: ['string', 'null'], description: 'Null: of all periods.' },
  percent: { type: ['number', 'null'], description: 'Of a percentile: N of LN, %.' },
  window_s: {
    type: ['integer', 'null'],
    description: 'The worst window of this length counts, s; null: the whole period.',
  },
});
const SUMMARY = named('AssessmentSummary', {
  name: { type: 'string', description: '2026-W47, 2026-11, 2026, or all.' },
  met: { type: 'integer' },
  exceeded: { type: 'integer' },
  not_assessable: { type: 'integer' },
  no_limit: { type: 'integer' },
  figures: array(MEAN),
});

export const ASSESSMENT: Schema = named('Assessment', {
  unit_id: TEXT,
  zone: TEXT,
  preset: TEXT,
  title: TEXT,
  source: TEXT,
  status: { type: 'string', enum: ['unchecked', 'confirmed'] },
  area: { type: ['string', 'null'] },
  area_title: { type: ['string', 'null'], description: 'The area in words.' },
  calendar: { type: ['string', 'null'] },
  said: {
    type: 'object',
    additionalProperties: { type: 'string' },
    description: 'Values that a person chose, as in the query.',
  },
  channel: {
    type: 'string',
    description: 'Of all levels but LCeq and LAIeq, which come from the channel that has them.',
  },
  weighting: orNull(WEIGHTING),
  rows: {
    type: ['string', 'null'],
    description: 'Changes whenever the rows of the history change that this was made of.',
  },
  exclusions: array(TEXT, 'Ids of the notes whose time does not count; GET notes shows them.'),
  edge: EDGE,
  doubtful: array(DOUBTFUL, 'Times whose levels are doubtful, because the meter drifted.'),
  notes: array(TEXT, 'Remarks to read before you use these numbers.'),
  days: array(DAY),
  total: SUMMARY,
  groups: array(SUMMARY, 'By week, month or year, as asked for.'),
});
