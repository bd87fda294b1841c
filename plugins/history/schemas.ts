/** Schemas of the endpoints of the history. Data only. */
import {
  ASKED_CHANNEL,
  ASKED_SERIES,
  type AskedSeries,
  TIME_OR_NULL,
  tables,
  WEIGHTING,
  ZONE,
} from '../../lib/built-in.ts';
import { named, orNull, type Schema, SPAN, TIME } from '../../lib/index.ts';
import { type AskedExclusions, EDGE, exclusionsSchema } from '../notes/index.ts';

const STEP_NAMES: readonly string[] = [...tables.STEP_NAMES, 'auto'];
const SOURCES = ['card', 'stream', 'import', 'poll'];
const COUNT: Schema = { type: 'integer', minimum: 0 };

const WEIGHTING_OR_NONE: Schema = orNull(WEIGHTING);

export interface LevelsQuery extends AskedSeries, AskedExclusions {
  readonly from: string;
  readonly to: string;
  readonly step: tables.StepName | 'auto';
  readonly quantities: string;
  readonly zone?: string;
  readonly source?: 'card' | 'stream' | 'import' | 'poll';
  readonly format: 'json' | tables.CsvFormat | 'xlsx';
  readonly header: 'names' | 'symbols';
  readonly local_time?: boolean;
}

export const LEVELS_QUERY: Readonly<Record<string, Schema>> = {
  ...SPAN,
  step: {
    type: 'string',
    enum: STEP_NAMES,
    default: 'auto',
    description:
      'Length of a row, by the clock of the zone: a row begins at a full step of it, and 1d is a calendar day. auto: the finest with no more than about 1,000 rows.',
  },
  quantities: {
    type: 'string',
    maxLength: 500,
    default: tables.DEFAULT_QUANTITIES,
    description: `Comma-separated: ${tables.QUANTITY_WORDS}. lp: mean of single readings. lmax_bound: the most that lmax can be, if lmax is null because its place is not certain.`,
  },
  zone: ZONE,
  source: {
    type: 'string',
    enum: SOURCES,
    description: 'Only this source. Default: the best for each second or minute.',
  },
  ...ASKED_SERIES,
  exclusions: {
    ...exclusionsSchema('ignore'),
    description: `${exclusionsSchema('ignore').description} With apply each row ends with excluded_s, and leq_all, its Leq with the excluded time. Files have excluded_s in any case.`,
  },
  format: {
    type: 'string',
    enum: ['json', 'csv', 'csv-de', 'xlsx'],
    default: 'json',
    description:
      'csv: RFC 4180. csv-de: semicolons and decimal commas. xlsx: times are dates of the zone. Each row of a file has excluded_s, the seconds that notes exclude.',
  },
  header: {
    type: 'string',
    enum: ['names', 'symbols'],
    default: 'names',
    description:
      'Files: names of the API (`leq`), or for people symbols with weighting and unit (`LAeq dB`) behind a first column `unit_id`. POST history/import takes the names.',
  },
  local_time: {
    type: 'boolean',
    description:
      'CSV: a column `local_time` behind `start`, the time of the zone as spreadsheets read it, and at the end `utc_offset`, which tells two equal hours apart.',
  },
};

/** `rows` is the last property: it may be streamed. */
export const LEVELS: Schema = named('History', {
  unit_id: { type: 'string' },
  from: { ...TIME, description: 'Beginning of the first row: a full step of the local clock.' },
  to: TIME,
  step_s: { type: 'integer', description: 'Seconds of a row; 86400 for local days, which may have 23 or 25 hours.' },
  zone: { type: 'string' },
  channel: {
    type: ['string', 'null'],
    description: 'Of the first column of levels; null: no channel has its weighting.',
  },
  weighting: { ...WEIGHTING_OR_NONE, description: 'Of the first column of levels; null if there is no data.' },
  other_weightings: {
    type: 'array',
    items: WEIGHTING,
    description: 'Of the same channel: they also have data in the span and are left out.',
  },
  series: {
    type: 'array',
    description: 'The channel and weighting of the levels: one entry, or several if names have a weighting.',
    items: named('ColumnSeries', {
      columns: { type: 'array', items: { type: 'string' } },
      channel: { type: ['string', 'null'] },
      weighting: WEIGHTING_OR_NONE,
    }),
  },
  notes: {
    type: 'array',
    items: { type: 'string' },
    description: 'How the answer differs from the request.',
  },
  provisional_from: {
    type: ['string', 'null'],
    format: 'date-time',
    description:
      'From here on rows whose source is not only card may still change: the card of the meter has not been read as far. Null: all rows are final.',
  },
  exclusions: {
    type: 'array',
    items: { type: 'string' },
    description: 'Ids of the notes whose time does not count in these rows; GET notes shows them.',
  },
  edge: EDGE,
  columns: {
    type: 'array',
    items: { type: 'string' },
    description:
      'Names of the cells. lmax_bound, lmin_bound and lpeak_bound are there if they were asked for, or if some of these levels may not be certain in a row.',
  },
  rows: {
    type: 'array',
    description:
      'One row for each step, also those without data. Levels in dB, null if there is no value; coverage 0 to 1; quality measured, partial, sampled, mixed, flagged or none.',
    items: { type: 'array', items: { type: ['string', 'number', 'null'] } },
  },
});

const SERIES: Schema = named('HistorySeries', {
  channel: { type: 'string' },
  source: { type: 'string', enum: SOURCES },
  weighting: WEIGHTING,
  first: TIME,
  last: { ...TIME, description: 'End of the last row.' },
  measured_s: { type: 'number', minimum: 0, description: 'Seconds with continuous data.' },
  readings: { ...COUNT, description: 'Single readings.' },
  bytes: COUNT,
});

const RECORDING: Schema = {
  ...named('Recording', {
    mode: { type: 'string', enum: ['off', 'poll', 'stream'] },
    state: { type: 'string', enum: ['off', 'waiting', 'recording', 'full', 'failing'] },
    reason: { type: ['string', 'null'], description: 'The reason why it waits, or why nothing can be written.' },
    weighting: WEIGHTING_OR_NONE,
    weighting_confirmed_at: {
      ...TIME_OR_NULL,
      description:
        'When this weighting was last confirmed. If the meter turns out to have another weighting, levels since then get the flag weighting.',
    },
    frames: { ...COUNT, description: 'Of 100 ms, from the stream.' },
    readings: COUNT,
    interruptions: { ...COUNT, description: 'How often a command interrupted the stream. Each is a gap.' },
    losses: { ...COUNT, description: 'How often the stream was lost.' },
    unweighted: { ...COUNT, description: 'Frames and readings left out because their weighting was not known.' },
    channels: {
      type: 'array',
      description: 'The other recorded channels; the fields above are about the main channel.',
      items: named('ChannelRecording', {
        channel: { type: 'string' },
        state: { type: 'string', enum: ['off', 'waiting', 'recording', 'full', 'failing'] },
        reason: { type: ['string', 'null'] },
        weighting: WEIGHTING_OR_NONE,
        weighting_confirmed_at: TIME_OR_NULL,
        unweighted: COUNT,
      }),
    },
  }),
  description: 'The present recording. The numbers count since the recording began.',
};

export const EXTENT: Schema = named('HistoryExtent', {
  unit_id: { type: 'string' },
  first: TIME_OR_NULL,
  last: TIME_OR_NULL,
  series: { type: 'array', items: SERIES, description: 'One for each channel, source and weighting.' },
  gaps: {
    type: 'array',
    description: 'Longer than gap_s and without any data; the newest first, at most 1,000.',
    items: {
      type: 'object',
      properties: { from: TIME, to: TIME, seconds: COUNT },
      required: ['from', 'to', 'seconds'],
    },
  },
  gap_count: COUNT,
  gap_s: { ...COUNT, description: 'A minute, or two polling intervals if the unit is only polled.' },
  bytes: COUNT,
  seconds_from: {
    type: ['string', 'null'],
    format: 'date-time',
    description: 'From this time on single seconds are kept; before it, minutes. null: no seconds are kept.',
  },
  recording: RECORDING,
});

/** The weighting of all rows of the file. */
export interface ImportQuery {
  readonly channel?: string;
  readonly frequency_weighting: 'A' | 'C' | 'Z';
  readonly time_weighting: 'F' | 'S' | 'I';
}

export const IMPORT_QUERY: Readonly<Record<string, Schema>> = {
  channel: { ...ASKED_CHANNEL, description: 'The channel of the meter that the levels are of. Default: main.' },
  frequency_weighting: { type: 'string', enum: ['A', 'C', 'Z'], default: 'A' },
  time_weighting: { type: 'string', enum: ['F', 'S', 'I'], default: 'F' },
};

/** Rows of an import that do not count. */
export const LEFT_OUT: Schema = {
  type: 'array',
  items: named('LeftOutRow', {
    path: { type: 'string', description: '`/line/12`' },
    message: { type: 'string' },
  }),
  description: 'Rows with a level that is not from -20 to 160 dB, the first 20: they do not count.',
};

export interface HistorySettings {
  readonly import_mb: number;
}

export const HISTORY_SETTINGS: Schema = {
  type: 'object',
  additionalProperties: false,
  properties: {
    import_mb: {
      type: 'integer',
      title: 'Largest file of an import, MB',
      minimum: 1,
      maximum: 1_024,
      default: 64,
    },
  },
  default: {},
};
