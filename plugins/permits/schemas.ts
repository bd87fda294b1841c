/** Bodies and answers of the routes of permits. Data only. */
import { PLAIN_TEXT, TIME_OR_NULL } from '../../lib/built-in.ts';
import { named, orNull, type Schema, TIME, UNIT_ID, whole } from '../../lib/index.ts';
import { assessment, LOCAL_HOURS, REMARKS, RULE_FIELDS } from '../assessment/index.ts';
import { PERMIT_VERDICTS, PERMIT_WINDOWS, type PermitBody } from './contract.ts';

const TEXT: Schema = { type: 'string' };
const DATE: Schema = { type: 'string', format: 'date' };
const DECIBELS: Schema = { type: 'number', minimum: 0, maximum: 200 };
const ID: Schema = { type: 'string', pattern: UNIT_ID };

const LIMIT: Schema = named(
  'PermitLimit',
  {
    index: { type: 'string', pattern: '^(leq|lmax|l[1-9]|l\\d[1-9]|l[1-9]0)$', description: 'leq, lmax, or LN: l10.' },
    window: {
      type: 'string',
      enum: Object.keys(PERMIT_WINDOWS),
      description: 'The worst full window by the local clock, or `period`: the whole time from `from` to `to`.',
    },
    ...LOCAL_HOURS,
    days: {
      type: 'array',
      items: { type: 'string', enum: assessment.DAY_KINDS },
      minItems: 1,
      maxItems: assessment.DAY_KINDS.length,
      uniqueItems: true,
      description: 'A day of the calendar of holidays is `holiday` and no day of the week.',
    },
    limit_db: { ...DECIBELS, description: 'dB; this, or over_background_db.' },
    amber_db: { ...DECIBELS, description: 'From this value on the day is a warning (`is_amber`).' },
    over_background_db: { ...DECIBELS, description: 'dB above the LA90 of the same window.' },
  },
  ['limit_db', 'amber_db', 'over_background_db'],
);
const NUMBER: Schema = { type: 'number', minimum: -200, maximum: 86_400 };
const ADDITION: Schema = {
  anyOf: [
    NUMBER,
    {
      type: 'object',
      minProperties: 1,
      maxProperties: 20,
      propertyNames: { pattern: '^[A-Za-z0-9][A-Za-z0-9_-]{0,31}$', description: 'The name of a period.' },
      additionalProperties: NUMBER,
    },
  ],
  description: 'For all periods of the preset, or by period.',
};

const UNITS: Schema = {
  type: 'array',
  items: ID,
  minItems: 1,
  maxItems: 1_000,
  uniqueItems: true,
  description: 'Or a tag.',
};
const TAG: Schema = {
  type: 'string',
  format: 'tag',
  maxLength: 40,
  description: 'All units that have this tag, now or later.',
};
const TARGETS: Schema = {
  type: 'array',
  items: ID,
  maxItems: 20,
  uniqueItems: true,
  description: 'Targets of alerts for the rules of this permit.',
};
const FIELDS: Readonly<Record<keyof PermitBody, Schema>> = {
  title: { type: 'string', maxLength: 200, pattern: PLAIN_TEXT, description: 'Name of the site or permit for people.' },
  units: UNITS,
  tag: TAG,
  preset: { ...ID, description: 'A name of GET _assessments; or limits.' },
  area: { type: 'string', pattern: UNIT_ID, description: 'The area of the preset whose limits count.' },
  additions: {
    type: 'object',
    additionalProperties: false,
    properties: Object.fromEntries(assessment.SAID.map((name) => [name, ADDITION])),
    description: 'Values that a person chose, as in GET assessment.',
  },
  limits: { type: 'array', items: LIMIT, minItems: 1, maxItems: 50, description: 'Limits of its own; or a preset.' },
  calendar: { ...ID, description: 'A name of GET _calendars. Without a calendar no day is a holiday.' },
  valid_from: { ...DATE, description: 'The first day; absent: from the beginning.' },
  valid_until: { ...DATE, description: 'The last day; absent: without an end.' },
  responsible: { type: 'string', maxLength: 200, pattern: PLAIN_TEXT, description: 'The person who answers for it.' },
  targets: TARGETS,
};

/** It replaces the permit. */
export type PermitInput = Omit<PermitBody, 'title' | 'responsible' | 'targets'> & Partial<PermitBody>;
export const PERMIT_FIXED = ['name'];
export const PERMIT_BODY: Schema = {
  type: 'object',
  additionalProperties: false,
  properties: { ...FIELDS, name: { type: 'string', readOnly: true } },
};
const OPTIONAL = ['units', 'tag', 'preset', 'area', 'additions', 'limits', 'calendar', 'valid_from', 'valid_until'];
export const PERMIT: Schema = named('Permit', { name: TEXT, ...FIELDS }, OPTIONAL);

const VERDICT: Schema = {
  type: 'string',
  enum: PERMIT_VERDICTS,
  description:
    'exceeded: one limit is, whatever else is missing; not_over: nothing is exceeded so far; not_assessable: too little was measured; excluded: all that would count is excluded; met.',
};
const MARGIN: Schema = { type: ['number', 'null'], description: 'dB: limit minus value, the least; null: unknown.' };
const AMBER: Schema = { type: 'boolean', description: 'The value reached amber_db of a limit, and not the limit.' };

const RUNNING = named('RunningLimit', {
  from: TIME,
  to: TIME,
  leq: { type: ['number', 'null'], description: 'dB: the Leq so far, with the additions of the limit.' },
  present_db: { type: ['number', 'null'], description: 'dB: the same of the last five minutes; null: unknown.' },
  may_go_on_s: {
    type: ['integer', 'null'],
    description:
      'Seconds that present_db may go on until this window exceeds the limit. 0: the limit is exceeded; null: until the end of the window, or unknown.',
  },
});
const PART = named('PermitPart', {
  date: DATE,
  limit: { ...TEXT, description: 'The name of the limit.' },
  verdict: VERDICT,
  value: { type: ['number', 'null'], description: 'dB: the compared value; null: unknown.' },
  limit_db: { type: ['number', 'null'], description: 'dB; null: the permit cannot judge, and reason says why.' },
  margin_db: MARGIN,
  is_amber: AMBER,
  coverage: { type: 'number', minimum: 0, maximum: 1, description: 'Share of its time that was measured and counts.' },
  excluded_s: { type: 'number', description: 'Seconds of its time that notes exclude.' },
  leq_all: {
    type: ['number', 'null'],
    description: 'dB: the Leq that would have counted; null: something counts, or nothing is excluded.',
  },
  from: { ...TIME_OR_NULL, description: 'Beginning of the window that decides.' },
  to: TIME_OR_NULL,
  applies_from: {
    ...TIME_OR_NULL,
    description:
      'The time of the limit on this day; null: the limit is no level over a time, such as that of Lden or of a difference.',
  },
  applies_to: TIME_OR_NULL,
  reason: { type: ['string', 'null'], description: 'Why there is no value, or what to know of it.' },
  running: {
    ...orNull(RUNNING),
    description: 'The window that is not over yet, and its rest; null: none, or the limit is not for a Leq.',
  },
});
const DAY_FIELDS = { date: DATE, verdict: VERDICT, margin_db: MARGIN, is_amber: AMBER };
const PARTS: Schema = { type: 'array', items: PART };

export const PERMIT_VERDICT: Schema = named('PermitVerdict', {
  permit: TEXT,
  title: TEXT,
  verdict: VERDICT,
  margin_db: MARGIN,
  is_amber: AMBER,
  units: {
    type: 'array',
    items: named('PermitUnit', {
      unit_id: TEXT,
      verdict: VERDICT,
      margin_db: MARGIN,
      is_amber: AMBER,
      days: {
        type: 'object',
        additionalProperties: false,
        required: PERMIT_VERDICTS,
        properties: Object.fromEntries(PERMIT_VERDICTS.map((verdict) => [verdict, { type: 'integer', minimum: 0 }])),
        description: 'How many days have each verdict.',
      },
      excluded_days: { type: 'array', items: DATE, description: 'They say nothing about the other days.' },
      not_assessable_days: { type: 'array', items: DATE, description: 'The days with too few levels.' },
      parts: PARTS,
    }),
  },
});
export const UNIT_VERDICTS: Schema = named('UnitVerdicts', {
  unit_id: TEXT,
  days: {
    type: 'array',
    description: 'Days on which a permit is valid for the unit. The permit with the worst verdict decides.',
    items: named('UnitVerdict', { ...DAY_FIELDS, permit: TEXT, title: TEXT, parts: PARTS }),
  },
});

export const PERMIT_YESTERDAY: Schema = named('PermitYesterday', {
  permit: TEXT,
  title: TEXT,
  units: { type: 'array', items: TEXT },
  yesterday: {
    ...orNull(
      whole({
        verdict: VERDICT,
        margin_db: MARGIN,
        is_amber: AMBER,
        unit_id: { ...TEXT, description: 'The unit that decides.' },
      }),
    ),
    description: 'By the clock of each unit; null: the permit was not valid.',
  },
});

/** The limits as bodies of POST /_alerts/rules/batch. */
export const PERMIT_RULES: Schema = named('PermitRules', {
  rules: {
    type: 'array',
    items: named('PermitRule', { ...RULE_FIELDS, amber_db: DECIBELS, units: UNITS, tag: TAG, targets: TARGETS }, [
      'amber_db',
      'units',
      'tag',
    ]),
    description: 'For POST /_alerts/rules/batch.',
  },
  ...REMARKS,
});
