/** The forms of kept reports in requests and answers, and their limits. */
import type { KeptReport } from '../../../client/schemas.ts';
import { PLAIN_TEXT, readOnly, TIME_OR_NULL } from '../../../lib/built-in.ts';
import { type Host, named, orNull, type Schema, TIME, UNIT_ID, whole } from '../../../lib/index.ts';
import { FORMATS, MOST_REPORTED, PREVIEW_QUERY } from '../schemas.ts';

export const MOST_REPORTS = 200;
const MOST_TARGETS = 20;

export interface ReportBody
  extends Pick<KeptReport, 'name' | 'units' | 'period' | 'at' | 'zone' | 'formats' | 'targets'> {
  /** Absent in reports from before there were tags. */
  readonly tag?: string | null;
  /** Parameters of `GET /_reports/preview`, those that were given. */
  readonly wishes: Readonly<Record<string, string>>;
}

const {
  units: _units,
  from: _from,
  to: _to,
  zone: ZONE_QUERY,
  format: _format,
  check: _check,
  ...ASKED
} = PREVIEW_QUERY;

export const WISHES: readonly string[] = Object.keys(ASKED);

/** Defaults of wishes that a report does not keep. */
export const WISH_DEFAULTS: Readonly<Record<string, unknown>> = Object.fromEntries(
  Object.entries(ASKED).map(([name, schema]) => [name, schema.default ?? null]),
);

/** The parameters of the preview that is this report, but for span and format. */
export const queryOf = ({ zone, wishes }: ReportBody, units: readonly string[]): Readonly<Record<string, string>> => ({
  units: units.join(','),
  zone,
  check: 'true',
  ...wishes,
});

export const reportedUnits = (
  { units, tag }: Pick<ReportBody, 'units' | 'tag'>,
  configs: Host['configs'],
): readonly string[] =>
  tag ? configs.list().flatMap(({ unitId, tags }) => (tags.includes(tag) ? unitId : [])) : units;

/** An absent parameter of a query is null in JSON. */
const wishSchema = (schema: Schema): Schema => ('default' in schema ? schema : orNull(schema));

const ID: Schema = { type: 'string', pattern: '^[1-9][0-9]{0,14}$', description: 'an id, a whole number' };
const PRINTED = FORMATS.filter((format) => format !== 'json');

const FIELDS: Readonly<Record<string, Schema>> = {
  name: {
    type: 'string',
    minLength: 1,
    maxLength: 100,
    pattern: PLAIN_TEXT,
    description: 'a name in one line, for lists and for the subject of a mail',
  },
  units: {
    type: 'array',
    items: { type: 'string', pattern: UNIT_ID },
    maxItems: MOST_REPORTED,
    uniqueItems: true,
    description: 'The units of the report. A caller who may see all of them may see the report.',
  },
  tag: {
    type: ['string', 'null'],
    maxLength: 40,
    format: 'tag',
    description:
      'In place of units, which then do not count: those with this tag when the report is made. Callers of all units, or by this tag, may see the report.',
  },
  period: {
    type: 'string',
    enum: ['day', 'week', 'month', 'none'],
    default: 'none',
    description:
      'What it is about and how often it is due: the local day, week (from Monday) or month before. none: only when somebody asks.',
  },
  at: {
    type: 'string',
    pattern: '^([01][0-9]|2[0-3]):[0-5][0-9]$',
    default: '06:00',
    description:
      'a time such as 06:00 of the clock of `zone`, at which it is due on the day after its period. Where the clocks skip it, it is due as soon as they have jumped; where it comes twice, the first time. Never less than 5 minutes after the end of the period',
  },
  formats: {
    type: 'array',
    items: { type: 'string', enum: PRINTED },
    minItems: 1,
    uniqueItems: true,
    default: ['pdf'],
    description: 'Each run makes one document of each.',
  },
  targets: {
    type: 'array',
    items: ID,
    maxItems: MOST_TARGETS,
    uniqueItems: true,
    default: [],
    description: 'Ids of mail targets of alerts that get the documents of each run that was due.',
  },
  ...Object.fromEntries(Object.entries(ASKED).map(([name, schema]) => [name, wishSchema(schema)])),
};

const ZONE_FIELD: Schema = {
  ...orNull({ ...ZONE_QUERY, required: undefined }),
  description: 'IANA name, such as Europe/Berlin. Default: the timezone of the first unit.',
};

export const DOCUMENT: Schema = named('KeptReportDocument', {
  id: { type: 'string' },
  run: { type: 'string', description: 'Of the run that made it.' },
  format: { type: 'string', enum: PRINTED },
  name: { type: 'string', description: 'Of the file.' },
  from: TIME,
  to: TIME,
  made_at: TIME,
  late: { type: 'boolean', description: 'It was due while the gateway was off, and made later.' },
  bytes: { type: 'integer' },
  sha256: { type: 'string', pattern: '^[0-9a-f]{64}$' },
  query: {
    type: 'string',
    description: 'The same query, now, gives the same bytes where levels and notes are the same.',
  },
  href: { type: 'string' },
});

export const RUN: Schema = named('KeptReportRun', {
  id: { type: 'string' },
  from: TIME,
  to: TIME,
  due_at: { ...TIME_OR_NULL, description: 'Null: somebody asked for it.' },
  state: {
    type: 'string',
    enum: ['waiting', 'done', 'failed', 'missed'],
    description: 'missed: its time passed while the gateway was off, and it is too old to be made late.',
  },
  late: { type: 'boolean', description: 'It was due while the gateway was off.' },
  started_by: { type: 'string' },
  job: { type: ['string', 'null'], description: 'Id of its job.' },
  tries: { type: 'integer', description: 'Tries that failed.' },
  ended_at: TIME_OR_NULL,
  detail: { type: ['string', 'null'], description: 'Why it failed or was missed.' },
  mails: {
    type: 'array',
    items: named('KeptReportMail', {
      target: { type: 'string' },
      state: {
        type: 'string',
        enum: ['waiting', 'sending', 'done', 'failed', 'skipped'],
        description:
          'done: the mail server has taken it for all addresses; failed: it refused one for good, or too many tries failed; skipped: the target is switched off.',
      },
      tries: { type: 'integer' },
      ended_at: TIME_OR_NULL,
      outcome: {
        type: 'string',
        description: 'What came of the last try. Mail addresses are whole for an admin only.',
      },
      recipients: {
        type: 'array',
        description: 'Each address with its own result.',
        items: whole({
          address: { type: 'string' },
          state: { type: 'string', enum: ['sent', 'waiting', 'refused', 'not_sent'] },
          said: { type: 'string', description: 'Words of the mail server that refused it; else empty.' },
        }),
      },
    }),
  },
});

export const REPORT_MAIL: Schema = named('KeptReportMailDraft', {
  from: TIME,
  to: TIME,
  subject: { type: 'string' },
  text: { type: 'string', description: 'Lines stay lines.' },
  attachments: {
    type: 'array',
    items: { type: 'string' },
    description: 'Names of the files. What is beyond 14 MB in all is not attached, and named in the mail.',
  },
  targets: {
    type: 'array',
    items: whole({
      id: { type: 'string' },
      name: { type: 'string', description: 'Empty for all but admins.' },
      enabled: { type: 'boolean', description: 'false: it is switched off or gone, and gets nothing.' },
      addresses: { type: 'array', items: { type: 'string' } },
    }),
  },
});

const SHOWN: Readonly<Record<string, Schema>> = {
  next_due_at: { ...TIME_OR_NULL, description: 'When it is due next; null: never by itself.' },
  last_run: { ...orNull(RUN), description: 'The newest run; null: there was none.' },
  warnings: {
    type: 'array',
    items: { type: 'string' },
    description:
      'What keeps it from being made or sent: a unit, a target, a template or a letterhead that is not there any more, a channel that a unit does not record, no mail server.',
  },
  created_at: TIME,
  created_by: { type: 'string' },
  changed_at: TIME,
};

/** Fields that a PUT may have and does not change. */
export const REPORT_FIXED: readonly string[] = ['id', ...Object.keys(SHOWN)];

export const WANTED_REPORT: Schema = {
  type: 'object',
  properties: { ...FIELDS, zone: ZONE_FIELD },
  required: ['name'],
  additionalProperties: false,
  example: { name: 'Week of the bridge', units: ['nl43-1'], period: 'week', at: '06:00', limits: 'lden:58' },
};

export const CHANGED_REPORT: Schema = {
  ...WANTED_REPORT,
  properties: { ...FIELDS, zone: ZONE_FIELD, ...readOnly(REPORT_FIXED) },
};

export const REPORT: Schema = named('KeptReport', {
  id: { type: 'string' },
  ...FIELDS,
  zone: { type: 'string', description: 'Of its days, and of the clock of `at`.' },
  ...SHOWN,
});

export type WantedReport = Omit<ReportBody, 'zone' | 'wishes'> & {
  readonly zone?: string | null;
} & Readonly<Record<string, unknown>>;

export const REPORT_ID = { id: { ...ID, description: 'the id of a report' } } as const;
export const DOCUMENT_ID = {
  document: {
    type: 'string',
    pattern: `^[1-9][0-9]{0,14}-(${PRINTED.join('|')})$`,
    description: 'the id of a document',
  },
} as const;
