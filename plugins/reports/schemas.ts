/** Parameters and answers of the routes of reports. Data only. */
import {
  ASKED_CHANNEL,
  indices,
  LANGUAGES,
  type Language,
  MAIN_CHANNEL,
  tables,
  unitIds,
  ZONE,
} from '../../lib/built-in.ts';
import { named, orNull, type Schema, SPAN, TIME, UNIT_ID, whole } from '../../lib/index.ts';
import { assessment } from '../assessment/index.ts';
import { SECTION_NAMES } from './document.ts';

export const MOST_REPORTED = 20;
/** Formats of a preview; all but `json` are printed. */
export const FORMATS = ['json', 'pdf', 'html', 'csv', 'xlsx'] as const;
const PAPERS = ['a4', 'letter'] as const;

export const PRINTED_TYPES: readonly string[] = ['application/pdf', 'text/html', 'text/csv', tables.XLSX_TYPE];

export interface PreviewQuery extends Readonly<Partial<Record<assessment.SaidName, string>>> {
  readonly units: string;
  readonly from: string;
  readonly to: string;
  readonly zone?: string;
  readonly lang: Language;
  readonly channel: string;
  readonly template: string;
  readonly periods: string;
  readonly preset: string;
  readonly area?: string;
  readonly calendar?: string;
  readonly limits?: string;
  readonly title: string;
  readonly remarks: string;
  readonly letterhead?: string;
  readonly check: boolean;
  readonly paper: (typeof PAPERS)[number];
  readonly format: (typeof FORMATS)[number];
}

export const NAME_WORDS = 'up to 64 letters, digits, . - and _, a letter or a digit first';
/** Without control characters, and without marks that turn the direction of letters. */
export const LINE = '^[^\\u0000-\\u001f\\u007f-\\u009f\\u202a-\\u202e\\u2066-\\u2069]*$';
const LINES = LINE.replace('\\u0000-\\u001f', '\\u0000-\\u0009\\u000b-\\u001f');
const REMARKS =
  'up to 2,000 characters without control characters and marks that turn the direction of letters; lines stay lines';
const WORD = '[A-Za-z0-9][A-Za-z0-9_-]{0,31}';
/** `3`, or `day:3,night:0`. */
const BY_NAME: Schema = {
  type: 'string',
  maxLength: 500,
  pattern: '^[A-Za-z0-9_:.,-]+$',
  description: 'As of GET assessment.',
};

export const PREVIEW_QUERY: Readonly<Record<string, Schema>> = {
  units: {
    type: 'string',
    pattern: unitIds(MOST_REPORTED),
    required: true,
    description: `Up to ${MOST_REPORTED} units, separated by commas.`,
  },
  ...SPAN,
  zone: { ...ZONE, description: 'IANA name, such as Europe/Berlin. Default: the timezone of the first unit.' },
  lang: {
    type: 'string',
    enum: [...LANGUAGES],
    default: 'en',
    description: 'Of words, numbers and dates. What people entered stays as it is.',
  },
  channel: {
    ...ASKED_CHANNEL,
    default: MAIN_CHANNEL,
    description:
      'Channel of the meters that all figures are of: one that is recorded (history_channels of the config). A unit that does not record it says so; where no unit does, the report is refused.',
  },
  template: {
    type: 'string',
    pattern: UNIT_ID,
    default: 'full',
    description: 'A name of GET _reports/templates.',
  },
  periods: {
    type: 'string',
    enum: Object.keys(indices.PRESETS),
    default: 'eu',
    description: 'Periods of the day, as `preset` of GET indices.',
  },
  preset: {
    type: 'string',
    pattern: UNIT_ID,
    default: 'eu-lden',
    description: 'Whose limits: `preset` of GET assessment.',
  },
  area: { type: 'string', pattern: `^${WORD}$`, description: 'As of GET assessment.' },
  calendar: { type: 'string', pattern: UNIT_ID, description: 'As of GET assessment.' },
  limits: BY_NAME,
  ...Object.fromEntries(assessment.SAID.map((name) => [name, BY_NAME])),
  title: {
    type: 'string',
    maxLength: 200,
    pattern: LINE,
    default: '',
    description: 'Default: the names of the units.',
  },
  remarks: { type: 'string', maxLength: 2_000, pattern: LINES, default: '', description: REMARKS },
  letterhead: { type: 'string', pattern: UNIT_ID, description: 'A name of GET _reports/letterheads.' },
  check: {
    type: 'boolean',
    default: false,
    description:
      'Whether the first page of a PDF or HTML leads to the page that compares a file with the kept reports, as printed address and QR code. Only where the setting public_url is set; kept reports have it.',
  },
  paper: { type: 'string', enum: [...PAPERS], default: 'a4', description: 'Of a PDF.' },
  format: {
    type: 'string',
    enum: [...FORMATS],
    default: 'json',
    description: 'csv: the tables alone; xlsx: the words and the tables, each on its sheet.',
  },
};

const SECTION: Schema = { type: 'string', enum: [...SECTION_NAMES] };
const POINT: Schema = {
  type: 'array',
  minItems: 2,
  maxItems: 2,
  items: { type: ['number', 'null'] },
  description: 'Beginning of the row in s since 1970 UTC, level in dB.',
};
const CHOICE = { type: 'string', enum: ['text', 'table', 'chart', 'strip'] };
const MARK: Schema = { type: ['string', 'null'], enum: ['good', 'warn', 'bad', 'unknown', null] };
const TIMES: Schema = { type: 'array', items: { type: 'array', items: { type: 'number' } } };

const STRIP_CELL: Schema = whole({
  text: { type: 'string' },
  level: { type: ['number', 'null'], description: 'dB, for the colour.' },
  look: { type: 'string', enum: ['level', 'excluded', 'none', 'plain'] },
  mark: MARK,
});

const BLOCK: Schema = {
  title: 'ReportBlock',
  type: 'object',
  required: ['block'],
  description:
    'text: `text`; table: `name`, `columns`, `rows`; chart: `name`, `from`, `to`, `stepS`, `series`, `days`, `gaps`, `nights`, `excluded`, `limit`, `limits`; strip: `name`, `days`, `rows`.',
  properties: {
    block: CHOICE,
    text: { type: 'string' },
    look: { type: 'string', enum: ['lead', 'note'], description: 'lead: the sentence that says it all; note: small.' },
    name: { type: 'string' },
    columns: {
      type: 'array',
      items: whole({
        title: { type: 'string' },
        kind: {
          type: 'string',
          enum: ['text', 'time', 'date', 'level', 'share', 'number'],
          description: 'level: dB; share: from 0 to 1; time: with its offset from UTC; date: `2026-10-25`, or words.',
        },
      }),
    },
    rows: {
      type: 'array',
      items: {
        oneOf: [
          { type: 'array', items: { type: ['string', 'number', 'null'] } },
          whole({ name: { type: 'string' }, cells: { type: 'array', items: STRIP_CELL } }),
        ],
      },
    },
    marks: { type: 'array', items: MARK, description: 'Of a table: the colour beside each row.' },
    from: { type: 'number', description: 'Seconds since 1970 UTC.' },
    to: { type: 'number', description: 'Seconds since 1970 UTC.' },
    stepS: { type: 'number', description: 'Length of a row, s.' },
    series: {
      type: 'array',
      items: whole({
        name: { type: 'string' },
        look: { type: 'string', enum: ['light', 'dark', 'light dotted', 'dark dotted'] },
        points: { type: 'array', items: POINT },
      }),
    },
    days: {
      type: 'array',
      items: { oneOf: [{ type: 'array', items: { type: ['number', 'string'] } }, { type: 'string' }] },
      description: 'Of a chart: where days begin, with their names; of a strip: dates.',
    },
    gaps: { ...TIMES, description: 'Time without data, from and to in s since 1970 UTC.' },
    nights: TIMES,
    excluded: { ...TIMES, description: 'Time that notes exclude.' },
    limit: { type: ['number', 'null'], description: 'A line at this level, dB.' },
    limits: { ...TIMES, description: 'Limits that are for a time: from, to, dB.' },
  },
};

const REPORT_SECTION: Schema = named('ReportSection', {
  section: SECTION,
  title: { type: 'string' },
  blocks: { type: 'array', items: BLOCK },
});

export const REPORT_DOCUMENT: Schema = named('ReportDocument', {
  title: { type: 'string' },
  template: { type: 'string' },
  lang: { type: 'string', enum: [...LANGUAGES] },
  zone: { type: 'string', description: 'Of its local times and days.' },
  from: TIME,
  to: TIME,
  period: { type: 'string' },
  remarks: { type: 'string' },
  letterhead: orNull(
    named('ReportLetterhead', {
      lines: { type: 'array', items: { type: 'string' } },
      logo: { type: ['string', 'null'], description: 'SHA-256 of the picture.' },
    }),
  ),
  check: orNull(
    named('ReportCheck', {
      text: { type: 'string' },
      address: { type: 'string', description: 'Of the page that compares a file with the kept reports.' },
    }),
  ),
  overview: { ...orNull(REPORT_SECTION), description: 'The first page, about all units; null: the template has none.' },
  units: {
    type: 'array',
    items: named('ReportedUnit', {
      unit_id: { type: 'string' },
      title: { type: 'string', description: 'With the channel, where it is another one than main.' },
      channel: { type: 'string', description: 'Of the meter: all figures are of it.' },
      sections: {
        type: 'array',
        items: REPORT_SECTION,
      },
    }),
  },
});
