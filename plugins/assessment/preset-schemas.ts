/** Presets and calendars as the API takes and shows them. A request or a file becomes the whole body of a preset. */

import { invalid, PLAIN_TEXT, readOnly } from '../../lib/built-in.ts';
import { named, orNull, type Schema, UNIT_ID } from '../../lib/index.ts';
import * as assessment from './model/index.ts';

export const NAME_PARAM: Readonly<Record<string, Schema>> = {
  name: {
    type: 'string',
    pattern: UNIT_ID,
    description: 'the name: letters, digits, `.`, `_` and `-`',
    example: 'eu-lden',
  },
};

const WORD: Schema = {
  type: 'string',
  pattern: '^[A-Za-z0-9][A-Za-z0-9_-]{0,31}$',
  description: 'Up to 32 letters, digits, hyphens and underscores.',
};
const object = (properties: Readonly<Record<string, Schema>>, optional: readonly string[] = []): Schema => ({
  type: 'object',
  additionalProperties: false,
  properties,
  required: Object.keys(properties).filter((name) => !optional.includes(name)),
});
const list = (items: Schema, maxItems: number, minItems = 0): Schema => ({ type: 'array', items, maxItems, minItems });
const byName = (values: Schema): Schema => ({
  type: 'object',
  propertyNames: WORD,
  additionalProperties: values,
  maxProperties: 50,
});

const PENALTY: Schema = { type: 'number', minimum: 0, maximum: 30, description: 'dB' };
const CORRECTION: Schema = { type: 'number', minimum: -30, maximum: 30, description: 'dB' };
const LEVEL: Schema = { type: 'number', minimum: -20, maximum: 200, description: 'dB' };
const CLOCK = '([01]\\d|2[0-3]):[0-5]\\d';
/** Hours of a day by the local clock. */
export const LOCAL_HOURS: Readonly<Record<'from' | 'to', Schema>> = {
  from: { type: 'string', pattern: `^${CLOCK}$`, description: 'A time of day such as 07:00.' },
  to: {
    type: 'string',
    pattern: `^(${CLOCK}|24:00)$`,
    description: 'A time of day up to 24:00. At or before `from`: on the next day.',
  },
};
const TIME_OF_DAY = object({
  days: { ...list({ type: 'string', enum: assessment.DAY_KINDS }, 8, 1), uniqueItems: true },
  ...LOCAL_HOURS,
});
const STEPS = list(object({ above: PENALTY, db: PENALTY }), 10, 1);
const ADDITION: Schema = {
  anyOf: [
    object({ by: { const: 'person' }, values: list(PENALTY, 20, 1), periods: list(WORD, 20) }, ['periods']),
    object({ by: { const: 'takt' } }),
    object({ by: { type: 'string', enum: ['laieq', 'lceq'] }, steps: STEPS }),
    { type: 'null' },
  ],
  description:
    'person: one of these values, by ear; takt: LAFTeq - LAeq over takts of 5 s; laieq, lceq: by steps of LAIeq - LAeq, LCeq - LAeq.',
};

const FIELDS: Readonly<Record<keyof assessment.PresetBody, Schema>> = {
  title: { type: 'string', minLength: 1, maxLength: 200, pattern: PLAIN_TEXT },
  source: {
    type: 'string',
    maxLength: 200,
    pattern: PLAIN_TEXT,
    description: 'Where the numbers come from: standard, part, year.',
  },
  confirmed_by: {
    ...orNull({ type: 'string', minLength: 1, maxLength: 200, pattern: PLAIN_TEXT }),
    description: 'The person who compared it with the text of the standard; null: nobody.',
  },
  night_of: {
    type: 'string',
    enum: ['evening', 'midnight'],
    description: 'evening: a night belongs to the day on which it begins; midnight: midnight cuts it.',
  },
  periods: {
    ...list(object({ name: WORD, times: list(TIME_OF_DAY, 20, 1) }), 20, 1),
    description: 'Together they fill each day of the week and holidays, without holes and overlaps.',
  },
  figures: {
    ...list(
      object(
        {
          name: WORD,
          period: orNull(WORD),
          quantity: {
            anyOf: [{ const: 'leq' }, { type: 'number', minimum: 1, maximum: 99 }],
            description: 'leq, or N of LN.',
          },
          window_s: {
            type: ['integer', 'null'],
            minimum: 60,
            maximum: 86_400,
            description: 'The worst full window of this length counts; null: the whole period.',
          },
          weights: { ...byName(PENALTY), description: 'Of an index: dB that each period counts more.' },
        },
        ['weights'],
      ),
      50,
      1,
    ),
    description: 'The numbers of the preset: for a period, or an index of all periods.',
  },
  tonal: ADDITION,
  impulse: ADDITION,
  low_frequency: ADDITION,
  other: ADDITION,
  rest: {
    anyOf: [
      object({ db: PENALTY, times: list(TIME_OF_DAY, 20, 1), areas: { anyOf: [list(WORD, 50), { type: 'null' }] } }),
      { type: 'null' },
    ],
    description: 'The addition for times of rest; in these areas, or everywhere (null).',
  },
  most_added: {
    ...orNull(PENALTY),
    description: 'All additions together, without the addition for rest, are at most this, dB.',
  },
  residual: {
    type: 'string',
    enum: ['subtract', 'needed', 'emergence'],
    description:
      'The level without the source. subtract: taken off where given; needed: without it nothing is assessable; emergence: the value is total minus residual.',
  },
  background: {
    type: 'string',
    enum: ['none', 'difference'],
    description: 'difference: the value is the rating level minus the background.',
  },
  duration: {
    anyOf: [
      object({
        changes: { type: 'string', enum: ['level', 'limit'] },
        steps: byName(
          list(object({ up_to_s: { type: 'number', minimum: 1, maximum: 86_400 }, db: CORRECTION }), 20, 1),
        ),
      }),
      { type: 'null' },
    ],
    description: 'How long the noise lasts changes the level or the limit, by period.',
  },
  areas: list(
    object({ name: WORD, title: { type: 'string', maxLength: 200, pattern: PLAIN_TEXT }, limits: byName(LEVEL) }),
    50,
  ),
  peaks_over: {
    ...byName({ type: 'number', minimum: 0, maximum: 100 }),
    description: 'Single peaks (LAFmax) may be so many dB above the limit of the figure.',
  },
  events: {
    anyOf: [
      object({
        threshold: orNull(LEVEL),
        over_background: orNull(PENALTY),
        min_s: { type: 'number', minimum: 1, maximum: 3_600 },
        hold_s: { type: 'number', minimum: 1, maximum: 3_600 },
        nat: list(LEVEL, 20),
      }),
      { type: 'null' },
    ],
    description: 'Single events that are counted in each period.',
  },
  decimals: { type: 'integer', enum: [0, 1], description: 'Values are rounded so before they are compared.' },
  min_coverage: {
    type: 'number',
    minimum: 0.1,
    maximum: 1,
    description: 'Share of each part that has to be measured.',
  },
};

export const PRESET_FIXED = ['name', 'built_in', 'own', 'status', 'advice'];
/** The body of a PUT: an absent field does not change; in a new preset it adds nothing. */
export type PresetInput = Partial<assessment.PresetBody>;
export const PRESET_BODY: Schema = {
  type: 'object',
  additionalProperties: false,
  minProperties: 1,
  properties: { ...FIELDS, ...readOnly(PRESET_FIXED) },
};

const originOf = (noun: string): Readonly<Record<keyof Origin, Schema>> => ({
  name: { type: 'string' },
  built_in: { type: 'boolean', description: `A ${noun} of this name comes with the gateway.` },
  own: {
    type: 'boolean',
    description: `Somebody wrote it here; DELETE removes it, or brings the built-in ${noun} back.`,
  },
});

export const PRESET: Schema = named('AssessmentPreset', {
  ...originOf('preset'),
  status: { type: 'string', enum: ['unchecked', 'confirmed'] },
  advice: { type: ['string', 'null'], description: 'A check to make before an official report uses it.' },
  ...FIELDS,
});

export const ADVICE = 'Nobody has confirmed these numbers: compare with the text before an official report.';

/** The name of a preset or a calendar, and its author. */
export interface Origin {
  readonly name: string;
  readonly built_in: boolean;
  readonly own: boolean;
}
export interface KeptPreset extends assessment.PresetBody, Origin {}

export const shownPreset = ({ name, built_in, own, ...body }: KeptPreset) => ({
  name,
  built_in,
  own,
  status: body.confirmed_by === null ? 'unchecked' : 'confirmed',
  advice: body.confirmed_by === null ? ADVICE : null,
  ...body,
});

/** The most days of a calendar: more than a century of twelve holidays a year is a mistake. */
const MOST_HOLIDAYS = 1_000;
export const HOLIDAYS: Schema = {
  type: 'array',
  maxItems: MOST_HOLIDAYS,
  items: object({
    date: { type: 'string', format: 'date' },
    name: { type: 'string', maxLength: 100, pattern: PLAIN_TEXT },
  }),
};
export const CALENDAR_FIXED = ['name', 'built_in', 'own', 'source'];
/** A day without work: `2026-12-25` of the local calendar. */
export interface Holiday {
  readonly date: string;
  readonly name: string;
}
export interface CalendarBody {
  readonly source: string | null;
  readonly days: readonly Holiday[];
}
export const CALENDAR_REQUEST: Schema = {
  type: 'object',
  additionalProperties: false,
  required: ['days'],
  properties: { days: HOLIDAYS, ...readOnly(CALENDAR_FIXED) },
};
export const CALENDAR: Schema = named('HolidayCalendar', {
  ...originOf('calendar'),
  source: {
    type: ['string', 'null'],
    description: 'The law of the days; null: a person wrote the calendar.',
  },
  days: HOLIDAYS,
});

/** A preset without additions; title, periods and figures come from the caller. */
export const PLAIN: Omit<assessment.PresetBody, 'title' | 'periods' | 'figures'> = {
  source: '',
  confirmed_by: null,
  night_of: 'evening',
  tonal: null,
  impulse: null,
  low_frequency: null,
  other: null,
  rest: null,
  most_added: null,
  residual: 'subtract',
  background: 'none',
  duration: null,
  areas: [],
  peaks_over: {},
  events: null,
  decimals: 1,
  min_coverage: 0.75,
};

/** Errors: INVALID with the path of each field that does not fit. */
export function checkedBody(present: assessment.PresetBody | undefined, given: PresetInput): assessment.PresetBody {
  const { title, periods, figures, ...rest } = { ...(present ? bodyOf(present) : PLAIN), ...given };
  if (title === undefined || periods === undefined || figures === undefined) {
    const needed = Object.entries({ title, periods, figures }).filter(([, value]) => value === undefined);
    throw invalid(needed.map(([field]) => ({ path: `/${field}`, message: 'is needed for a new preset' })));
  }
  const body = { ...PLAIN, ...rest, title, periods, figures };
  const problems = assessment.problemsOf(body);
  if (problems.length > 0) throw invalid([...problems]);
  return present && given.confirmed_by === undefined ? assessment.changedPreset(present, body) : body;
}

function bodyOf(preset: assessment.PresetBody): PresetInput {
  const given: [string, unknown][] = Object.entries(preset);
  return Object.fromEntries(given.filter(([name]) => !PRESET_FIXED.includes(name)));
}
