/** Stations, observations and rules in requests and answers. */
import { PLAIN_TEXT, readOnly, TIME_OR_NULL, type tables, ZONE } from '../../lib/built-in.ts';
import { iso, named, type Schema, SPAN, TIME, UNIT_ID, whole } from '../../lib/index.ts';
import { NOTE_REASONS } from '../notes/index.ts';
import { OBSERVED, OBSERVED_NAMES, type ObservedName } from './quantities.ts';
import { LONGEST_OBSERVATION_S } from './read.ts';
import type { ObservedRow } from './sum.ts';
import type { ObservationRule, StationBody } from './tables.ts';

export const STATION_ID: Readonly<Record<string, Schema>> = {
  id: {
    type: 'string',
    pattern: '^[a-z0-9][a-z0-9_-]{0,31}$',
    description: 'the id of a station: small letters, digits, - and _, at most 32, a letter or a digit first',
  },
};

export const STATION_FIXED = ['id', 'changed_at', 'last_at', 'age_s', 'silent', 'silent_limit_s'];

const FIELDS: Readonly<Record<string, Schema>> = {
  title: { type: 'string', maxLength: 100, pattern: PLAIN_TEXT },
  zone: { ...ZONE, description: 'IANA name: days and steps of its observations are those of its clock. Default: UTC.' },
  place: { type: 'string', maxLength: 200, pattern: PLAIN_TEXT, description: 'its place in words' },
  units: {
    type: ['array', 'null'],
    maxItems: 1_000,
    uniqueItems: true,
    items: { type: 'string', pattern: UNIT_ID },
    description: 'the units that it is for; null: all of them',
  },
  interval_s: {
    type: 'integer',
    minimum: 1,
    maximum: LONGEST_OBSERVATION_S,
    description:
      'the longest time of an observation without duration_s, which counts since the previous observation; default 600',
  },
  silent_after_s: {
    type: ['integer', 'null'],
    minimum: 60,
    maximum: 31 * 86_400,
    description:
      'the station is silent after so many seconds without an observation; null: three times interval_s or the length of its newest observation, the longer of both',
  },
};

/** An absent field does not change. */
export const STATION_BODY: Schema = {
  type: 'object',
  additionalProperties: false,
  properties: { ...FIELDS, ...readOnly(STATION_FIXED) },
  example: { title: 'Mast at the gate', zone: 'Europe/Berlin', units: ['roof'], interval_s: 600 },
};

export type StationInput = Partial<
  Omit<StationBody, 'intervalS' | 'silentAfterS'> & {
    readonly interval_s: number;
    readonly silent_after_s: number | null;
  }
>;

export const STATION: Schema = named('Station', {
  id: { type: 'string' },
  ...FIELDS,
  changed_at: TIME,
  last_at: { ...TIME_OR_NULL, description: 'The end of its newest observation; null: no observation.' },
  age_s: { type: ['integer', 'null'], description: 'Seconds since then.' },
  silent: {
    type: ['boolean', 'null'],
    description:
      'It has sent nothing for longer than silent_limit_s. null: not known yet, the gateway has just started or the station was just changed.',
  },
  silent_limit_s: { type: 'integer', description: 'silent_after_s, or three times its usual.' },
});

const STEPS = ['raw', '1m', '5m', '15m', '30m', '1h', '1d'] as const;
const FORMATS = ['json', 'csv', 'csv-de'] as const;

export interface ObservationsQuery {
  readonly from: string;
  readonly to: string;
  readonly step: (typeof STEPS)[number];
  readonly format: (typeof FORMATS)[number];
  readonly zone?: string;
}
export const OBSERVATIONS_QUERY: Readonly<Record<string, Schema>> = {
  ...SPAN,
  step: {
    type: 'string',
    enum: STEPS,
    default: 'raw',
    description: 'raw: as they were sent, by their ends. Else rows of this length by the clock of the zone.',
  },
  zone: { ...ZONE, description: 'IANA name: rows by its clock. Default: the zone of the station.' },
  format: {
    type: 'string',
    enum: FORMATS,
    default: 'json',
    description: 'csv-de: semicolons and decimal commas, as spreadsheets in many European languages read it',
  },
};

const each = (schema: (name: ObservedName) => Schema) =>
  whole(Object.fromEntries(OBSERVED_NAMES.map((name) => [name, schema(name)])));

export const OBSERVED_ROW: Schema = named('ObservedRow', {
  from: TIME,
  to: TIME,
  values: each((name) => {
    const { meaning, unit } = OBSERVED[name];
    return { type: ['number', 'null'], description: `${meaning}, ${unit}; null: not observed` };
  }),
  coverage: each(() => ({ type: 'number', description: 'Share of the time in which it was observed, 0 to 1.' })),
});

export const shownObserved = ({ from, to, values, coverage }: ObservedRow) => ({
  from: iso(from),
  to: iso(to),
  values,
  coverage,
});

export const CSV_HEADER = ['start', 'duration_s', ...OBSERVED_NAMES, 'coverage'];

/** `coverage`: the lowest coverage of the quantities with a value. */
export const csvCells = ({ from, to, values, coverage }: ObservedRow): readonly tables.Cell[] => [
  ...[iso(from), Math.round((to - from) / 1_000), ...OBSERVED_NAMES.map((name) => values[name])],
  Math.min(1, ...OBSERVED_NAMES.filter((name) => values[name] !== null).map((name) => coverage[name])),
];

const SECONDS: Schema = { type: 'integer', minimum: 0, maximum: 7_200, default: 0 };
const LIMIT: Schema = { type: ['number', 'null'], default: null };
const RULE_FIELDS: Readonly<Record<string, Schema>> = {
  quantity: { type: 'string', enum: OBSERVED_NAMES },
  above: { ...LIMIT, description: 'a value that is exactly this does not count; null: no such limit' },
  below: { ...LIMIT, description: 'as above' },
  reason: { type: 'string', enum: NOTE_REASONS },
  before_s: { ...SECONDS, description: 'seconds before that are left out, too' },
  after_s: { ...SECONDS, description: 'seconds after that are left out, too' },
  min_s: { ...SECONDS, description: 'shorter times do not count, seconds' },
};

export const RULE: Schema = named('ObservationRule', RULE_FIELDS);

export const RULES_BODY: Schema = {
  type: 'object',
  additionalProperties: false,
  required: ['rules'],
  properties: {
    rules: {
      type: 'array',
      maxItems: 20,
      items: { type: 'object', additionalProperties: false, required: ['quantity'], properties: RULE_FIELDS },
    },
    auto_exclude: {
      type: 'boolean',
      default: false,
      description:
        'The rules write their exclusions by themselves, from now on, as soon as such a time is over or has lasted an hour.',
    },
    ...readOnly(['usual', 'judged_until']),
  },
  example: { rules: [{ quantity: 'wind_speed', above: 5, after_s: 60 }], auto_exclude: true },
};

/** A rule as it was sent, with its defaults. */
export interface ObservationRuleInput
  extends Partial<Pick<ObservationRule, 'reason'>>,
    Omit<ObservationRule, 'reason'> {}

export const PROPOSAL: Schema = named('NoteProposal', {
  from: TIME,
  to: TIME,
  reason: { type: 'string', enum: NOTE_REASONS },
  text: { type: 'string', description: 'The observation in words: it becomes the text of the note.' },
});

export const UNOBSERVED: Schema = named('UnobservedTime', {
  quantity: { type: 'string', enum: OBSERVED_NAMES },
  seconds: {
    type: 'integer',
    description: 'Seconds of the span in which no station of the unit observed this quantity.',
  },
  spans: { type: 'array', items: whole({ from: TIME, to: TIME }), description: 'The first hundred of these times.' },
});
