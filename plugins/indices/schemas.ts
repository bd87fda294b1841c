/** What GET indices takes and answers. Data only. */
import {
  ASKED_SERIES,
  type AskedSeries,
  extending,
  indices,
  TIME_OR_NULL,
  WEIGHTING,
  ZONE,
} from '../../lib/built-in.ts';
import { base, named, orNull, type Schema, SPAN, whole } from '../../lib/index.ts';
import { DOUBTFUL } from '../calibration/index.ts';
import { type AskedExclusions, EDGE, exclusionsSchema } from '../notes/index.ts';
import { GROUPED_BY, type GroupedBy } from './shown.ts';

type PresetName = keyof typeof indices.PRESETS | 'custom';

export interface IndicesQuery extends indices.OwnPeriods, AskedSeries, AskedExclusions {
  readonly from: string;
  readonly to: string;
  readonly zone?: string;
  readonly preset: PresetName;
  readonly min_coverage: number;
  readonly by: GroupedBy;
}

const PERIOD: Schema = { type: 'string', pattern: '^\\d\\d(:\\d\\d)?-\\d\\d(:\\d\\d)?$' };
const PENALTY: Schema = { type: 'number', minimum: 0, maximum: 30 };

export const INDICES_QUERY: Readonly<Record<string, Schema>> = {
  ...SPAN,
  zone: ZONE,
  preset: {
    type: 'string',
    enum: [...Object.keys(indices.PRESETS), 'custom'],
    default: 'eu',
    description:
      'eu: Lden, day 07-19, evening 19-23, night 23-07; eu-late: 07-20, 20-23, 23-07; it: 06-20, 20-22, 22-06; us: Ldn, night 22-07; cnel: evening 19-22, night 22-07; custom: day, evening, night and penalties of the query.',
  },
  day: { ...PERIOD, description: 'For custom: the hours of the day, such as 07-19 or 07:30-19:00.' },
  evening: { ...PERIOD, description: 'For custom: the hours of the evening; may be left out.' },
  night: { ...PERIOD, description: 'For custom: the hours of the night.' },
  evening_penalty: { ...PENALTY, description: 'For custom: dB that the evening counts more; default 5.' },
  night_penalty: { ...PENALTY, description: 'For custom: dB that the night counts more; default 10.' },
  min_coverage: {
    type: 'number',
    minimum: 0,
    maximum: 1,
    default: indices.ENOUGH,
    description:
      'Share of its time for which each period needs data. A day with less in a period is shown, but not valid.',
  },
  by: { type: 'string', enum: [...GROUPED_BY], default: 'none', description: 'Also the means of each (`groups`).' },
  exclusions: exclusionsSchema('apply'),
  ...ASKED_SERIES,
};

const LEVEL: Schema = { type: ['number', 'null'], description: 'dB' };
const SHARE: Schema = { type: ['number', 'null'], minimum: 0, maximum: 1 };

const LEVELS = base('IndexLevels', {
  hours: { type: 'number', description: 'Real hours: 23 or 25 on a day on which the clocks change.' },
  lday: LEVEL,
  levening: LEVEL,
  lnight: LEVEL,
  lden: LEVEL,
  ldn: LEVEL,
  cnel: LEVEL,
  leq_24h: {
    type: ['number', 'null'],
    description:
      'dB, over the time with data of the whole day. In lden, ldn and cnel a gap counts as the rest of its period.',
  },
  leq_24h_gaps: {
    type: ['string', 'null'],
    enum: ['none', 'left_out', null],
    description:
      'none: there is data for the whole time; left_out: leq_24h is a mean without the time that has no data.',
  },
  l10: LEVEL,
  l50: LEVEL,
  l90: LEVEL,
  l95: LEVEL,
  lmax: LEVEL,
  lmax_at: TIME_OR_NULL,
  lmax_bound: {
    type: ['number', 'null'],
    description:
      'dB: where lmax is null because a row of the history reaches over the end of the day, it is at most this; null: lmax is certain, or there is no level.',
  },
  coverage: whole(
    { day: SHARE, evening: SHARE, night: SHARE, all: { ...SHARE, type: 'number' } },
    { description: 'Time with data, divided by real time; null: the preset has no such period.' },
  ),
  quality: { type: 'string', enum: indices.QUALITIES },
  valid: { type: 'boolean' },
  reason: { type: ['string', 'null'], description: 'Why it is not valid, in words.' },
  excluded_s: {
    type: 'number',
    description: 'Seconds that exclusions leave out. They count as not measured: coverage lacks them, too.',
  },
  leq_all: {
    type: ['number', 'null'],
    description: 'dB: leq_24h as it is with the excluded time; null: nothing is excluded.',
  },
  index_all: {
    type: ['number', 'null'],
    description: 'dB: lden, ldn or cnel as it is with the excluded time; null: nothing is excluded.',
  },
});

const INDEX_NAMES = {
  lday: LEVEL,
  levening: LEVEL,
  lnight: LEVEL,
  lden: LEVEL,
  ldn: LEVEL,
  cnel: LEVEL,
  leq_24h: LEVEL,
};
const MEAN_OF_DAYS = named('MeanOfDays', {
  weighted_by: {
    type: 'string',
    enum: ['days'],
    description:
      'Energy means of the values of the valid days; each day counts the same. This is the long-term definition.',
  },
  ...INDEX_NAMES,
});
const LEFT_OUT: Schema = {
  type: 'array',
  items: { type: 'string', format: 'date' },
  description: 'Days that are not valid.',
};
const GROUP = named('IndicesGroup', {
  name: { type: 'string', description: '2026-W47, 2026-11 or 2026.' },
  days: { type: 'integer', description: 'Number of valid days within the span.' },
  left_out: LEFT_OUT,
  mean_of_days: MEAN_OF_DAYS,
  standard_error: {
    ...named('StandardErrorOfDays', INDEX_NAMES),
    description: 'dB: how far each mean may be off; null for fewer than two days.',
  },
});

export const INDICES: Schema = named('Indices', {
  unit_id: { type: 'string' },
  zone: { type: 'string' },
  preset: { type: 'string' },
  min_coverage: { type: 'number' },
  channel: { type: ['string', 'null'], description: 'Of all values.' },
  weighting: { ...orNull(WEIGHTING), description: 'Of all values; null: there is nothing.' },
  notes: {
    type: 'array',
    items: { type: 'string' },
    description: 'Remarks to read before you use these numbers.',
  },
  doubtful: {
    type: 'array',
    items: DOUBTFUL,
    description: 'Times between two calibrations that differ by too much.',
  },
  exclusions: {
    type: 'array',
    items: { type: 'string' },
    description: 'Ids of the notes whose time does not count here; GET notes shows them.',
  },
  edge: EDGE,
  days: {
    type: 'array',
    items: extending(LEVELS, 'Day', { date: { type: 'string', format: 'date', description: 'Local calendar.' } }),
  },
  groups: { type: 'array', items: GROUP, description: 'Of the query `by`, in order of time; otherwise empty.' },
  total: extending(LEVELS, 'IndicesTotal', {
    days: { type: 'integer', description: 'Number of valid days; the total is made from these.' },
    weighted_by: {
      type: 'string',
      enum: ['measured_time'],
      description:
        'The levels of the total are means over the measured time of all valid days: a day with gaps counts less.',
    },
    mean_of_days: MEAN_OF_DAYS,
    left_out: LEFT_OUT,
  }),
});
