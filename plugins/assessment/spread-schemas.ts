/** Schemas of GET events, distribution, loudest_hour and moving. Data only. */
import {
  ASKED_SERIES,
  type AskedSeries,
  listQuery,
  type PageQuery,
  type tables,
  WEIGHTING,
  ZONE,
} from '../../lib/built-in.ts';
import { named, orNull, type Schema, SPAN, TIME, whole } from '../../lib/index.ts';
import { type AskedExclusions, EDGE, exclusionsSchema } from '../notes/index.ts';

export interface SpreadQuery extends AskedExclusions, AskedSeries {
  readonly from: string;
  readonly to: string;
}
export interface LocalQuery extends SpreadQuery {
  readonly zone?: string;
}

const COMMON = { ...SPAN, exclusions: exclusionsSchema('apply'), ...ASKED_SERIES };
export const SPREAD_QUERY: Readonly<Record<string, Schema>> = COMMON;
export const LOUDEST_QUERY: Readonly<Record<string, Schema>> = { ...COMMON, zone: ZONE };

export interface NoiseEventsQuery extends SpreadQuery, PageQuery {
  readonly threshold?: number;
  readonly over_background?: number;
  readonly min_s: number;
  readonly hold_s: number;
  readonly nat: string;
  readonly format: 'json' | tables.CsvFormat | 'xlsx';
}
export const EVENTS_QUERY: Readonly<Record<string, Schema>> = {
  ...COMMON,
  threshold: {
    type: 'number',
    minimum: 0,
    maximum: 200,
    description: 'dB: an event is above this. Either this or over_background.',
  },
  over_background: {
    type: 'number',
    minimum: 1,
    maximum: 50,
    description: 'dB over the LA90 of the quarter of an hour in which it begins.',
  },
  min_s: { type: 'number', minimum: 1, maximum: 3_600, default: 5, description: 'Shorter times are no events.' },
  hold_s: {
    type: 'number',
    minimum: 1,
    maximum: 3_600,
    default: 10,
    description: 'It ends when the level stays at or below the threshold for so long.',
  },
  nat: {
    type: 'string',
    pattern: '^\\d{1,3}(,\\d{1,3}){0,19}$',
    default: '60,65,70',
    description: 'Levels of the number of events above.',
  },
  format: {
    type: 'string',
    enum: ['json', 'csv', 'csv-de', 'xlsx'],
    default: 'json',
    description:
      'CSV and XLSX have all events and no `next`; where events may be missing, their first line says so. CSV: times in UTC. XLSX: times are dates by the clock of the unit.',
  },
  ...listQuery({}),
};

const LEVEL: Schema = { type: ['number', 'null'], description: 'dB' };
const SHARE: Schema = { type: ['number', 'null'], minimum: 0, maximum: 1 };
const NOTES: Schema = {
  type: 'array',
  items: { type: 'string' },
  description: 'Remarks to read before you use these numbers.',
};
const IDS: Schema = {
  type: 'array',
  items: { type: 'string' },
  description: 'Ids of the notes whose time does not count.',
};
const COUNTS: Schema = {
  type: 'array',
  items: whole({ level: { type: 'number', description: 'dB' }, count: { type: 'integer' } }),
};

const EVENT = named('NoiseEvent', {
  start: TIME,
  end: TIME,
  duration_s: { type: 'number' },
  lae: { type: 'number', description: 'dB: exposure of all of it.' },
  lae10: { type: 'number', description: 'dB: exposure of its seconds within 10 dB of the loudest.' },
  lmax: { type: 'number', description: 'dB' },
  lmax_at: TIME,
  threshold: { type: 'number', description: 'dB: the level that the event was above.' },
  missing_s: {
    type: 'number',
    description:
      'Seconds in it without data; of a second that was measured in part, the rest. `lae` and `share` are of the measured time.',
  },
});
export const NOISE_EVENTS: Schema = named('NoiseEvents', {
  unit_id: { type: 'string' },
  weighting: orNull(WEIGHTING),
  exclusions: IDS,
  assessable: {
    type: 'boolean',
    description: 'true: no event of the measured time is missing. false: `notes` say why.',
  },
  notes: NOTES,
  count: { type: 'integer' },
  nat: { ...COUNTS, description: 'Number of events with a maximum at or above each level.' },
  lae: { ...LEVEL, description: 'dB: exposure of all events.' },
  leq: { ...LEVEL, description: 'dB: of all that was measured.' },
  share: { ...SHARE, description: 'Of the energy of all that was measured.' },
  coverage: SHARE,
  events: { type: 'array', items: EVENT },
});
export const DISTRIBUTION: Schema = named('Distribution', {
  unit_id: { type: 'string' },
  weighting: orNull(WEIGHTING),
  exclusions: IDS,
  edge: EDGE,
  notes: NOTES,
  coverage: SHARE,
  classes: { ...COUNTS, description: 'Samples in classes of 1 dB: class 43 holds 42.5 up to 43.5.' },
  background: named('Background', {
    of: { type: 'string', enum: ['LN90,15min'] },
    count: { type: 'integer', description: 'Quarters of an hour with at least three quarters of their time measured.' },
    left_out: { type: 'integer', description: 'Quarters of an hour with less, or without percentiles.' },
    classes: COUNTS,
    mode: { ...LEVEL, description: 'dB: the class with the most; of equal classes the lowest.' },
    median: LEVEL,
    lowest: LEVEL,
    highest: LEVEL,
  }),
});

const HOUR = orNull(named('LoudHour', { from: TIME, to: TIME, leq: LEVEL, coverage: SHARE }));
export const LOUDEST: Schema = named('LoudestHour', {
  unit_id: { type: 'string' },
  zone: { type: 'string' },
  weighting: orNull(WEIGHTING),
  exclusions: IDS,
  edge: EDGE,
  clock: { ...HOUR, description: 'The loudest full hour of the local clock.' },
  moving: { ...HOUR, description: 'The loudest hour that ends at a full minute.' },
  left_out: { type: 'integer', description: 'Full hours with less than 75 % measured: they may have been louder.' },
  assessable: { type: 'boolean', description: 'No full hour is left out.' },
});
export const MOVING: Schema = named('MovingLeq', {
  unit_id: { type: 'string' },
  weighting: orNull(WEIGHTING),
  exclusions: IDS,
  edge: EDGE,
  window_s: { type: 'integer' },
  rows: {
    type: 'array',
    description: 'At each full minute: the Leq of the window that ends there, dB; null with less than 75 % measured.',
    items: whole({ at: TIME, leq: LEVEL, coverage: SHARE }),
  },
});
