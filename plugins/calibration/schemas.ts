/** The log of calibrations in requests and answers. */
import {
  iso,
  listQuery,
  MOMENT,
  named,
  orNull,
  type PageQuery,
  readOnly,
  type Schema,
  TIME,
  TIME_OR_NULL,
  UNIT_ID,
} from '../../lib/index.ts';
import type { Calibration } from './contract.ts';

/** An entry on a path. */
export const CALIBRATION_ID: Readonly<Record<string, Schema>> = {
  id: { type: 'string', pattern: '^[1-9][0-9]{0,14}$', description: 'the id of a calibration' },
};

/** One line without control characters, and without marks that turn the direction of letters. */
const LINE = '^[^\\u0000-\\u001f\\u007f-\\u009f\\u202a-\\u202e\\u2066-\\u2069]*$';
const LINES = LINE.replace('\\u0000-\\u001f', '\\u0000-\\u0009\\u000b-\\u001f');

const short = (about: string): Schema => ({
  type: 'string',
  maxLength: 100,
  pattern: LINE,
  description: `${about}: text of up to 100 characters`,
});
const level = (about: string): Schema => ({ type: 'number', minimum: 0, maximum: 150, description: `${about}, dB` });

export const NOMINAL = level('what the calibrator gives at the microphone, such as 94.0 or 114.0');
const BEFORE = level('what the meter showed before it was adjusted');
const AFTER = orNull(level('what it showed after it was adjusted; null: it was not adjusted'));
const VALID_UNTIL: Schema = {
  type: ['string', 'null'],
  format: 'date',
  description: 'the last day of the certificate of the calibrator, such as 2027-03-31; null: unknown',
};
const BEGUN: Schema = orNull({ ...MOMENT, description: 'when the calibrator began to sound; null: not known' });
const ENDED: Schema = orNull({ ...MOMENT, description: 'when it ended; null: not known' });
const WORDS = {
  calibrator: short('type of the calibrator'),
  serial: short('serial number of the calibrator'),
  certificate: short('number of its certificate'),
};

/** Fields that GET shows and nobody can set. */
export const SHOWN_ONLY = ['id', 'unit_id', 'version', 'changed_by', 'created_at', 'changed_at', 'removed', 'versions'];

const FIELDS: Readonly<Record<string, Schema>> = {
  time: { ...MOMENT, description: `${MOMENT.description}; default: now` },
  from: BEGUN,
  to: ENDED,
  nominal_db: NOMINAL,
  before_db: BEFORE,
  after_db: AFTER,
  ...WORDS,
  valid_until: VALID_UNTIL,
  by: short('who made the check; default: the name of the caller'),
  text: { type: 'string', maxLength: 2_000, pattern: LINES, description: 'text of up to 2,000 characters' },
};

/** The body for a new entry. */
export const NEW_CALIBRATION: Schema = {
  type: 'object',
  additionalProperties: false,
  required: ['nominal_db', 'before_db'],
  properties: FIELDS,
  example: {
    nominal_db: 94,
    before_db: 94.1,
    after_db: 94,
    calibrator: 'NC-75',
    serial: '34512345',
    valid_until: '2027-03-31',
    by: 'A. Weber',
  },
};
/** The body for a change: an absent field does not change. */
export const CHANGED_CALIBRATION: Schema = {
  type: 'object',
  additionalProperties: false,
  minProperties: 1,
  properties: { ...FIELDS, ...readOnly(SHOWN_ONLY) },
  example: { certificate: 'D-K-12345' },
};

/** The body that ends a calibration: fields that count before what was found. */
export const END: Schema = {
  type: 'object',
  additionalProperties: false,
  properties: FIELDS,
  example: { calibrator: 'NC-75' },
};

export interface CalibrationInput {
  readonly time?: string;
  readonly from?: string | null;
  readonly to?: string | null;
  readonly nominal_db?: number;
  readonly before_db?: number;
  readonly after_db?: number | null;
  readonly calibrator?: string;
  readonly serial?: string;
  readonly certificate?: string;
  readonly valid_until?: string | null;
  readonly by?: string;
  readonly text?: string;
}

const VERSION: Readonly<Record<string, Schema>> = {
  version: { type: 'integer', description: '1, 2, 3 ...: each change makes a new one.' },
  changed_by: { type: 'string', description: 'Who made this version.' },
  changed_at: TIME,
  removed: { type: 'boolean' },
  time: TIME,
  from: TIME_OR_NULL,
  to: TIME_OR_NULL,
  nominal_db: NOMINAL,
  before_db: BEFORE,
  after_db: AFTER,
  calibrator: { type: 'string' },
  serial: { type: 'string' },
  certificate: { type: 'string' },
  valid_until: VALID_UNTIL,
  by: { type: 'string' },
  text: { type: 'string' },
};

/** An entry in answers. */
export const CALIBRATION: Schema = named('Calibration', {
  id: { type: 'string' },
  unit_id: { type: 'string' },
  created_at: TIME,
  ...VERSION,
  versions: orNull({
    type: 'array',
    items: named('CalibrationVersion', VERSION),
    description: 'All versions, the oldest first. Only with versions=true.',
  }),
});

/** The level of the stream while a calibrator was on the microphone. */
export const MEASURED: Schema = named('CalibratorLevel', {
  from: TIME,
  to: TIME,
  frames: { type: 'integer', description: 'Levels that were read, ten a second.' },
  level_db: { type: 'number', description: 'Energetic mean of Lp, dB.' },
  spread_db: { type: 'number', description: 'The highest less the lowest Lp, dB.' },
  steady: { type: 'boolean', description: 'The spread is at most 0.3 dB, as of a calibrator.' },
  over_range: { type: 'boolean', description: 'The level was above the range of the meter.' },
  weighting: orNull({ type: 'string', description: 'Of the main channel, such as AF; null: not known.' }),
  deviation_db: orNull({ type: 'number', description: 'level_db less nominal_db; null: no nominal_db was given.' }),
  note: orNull({ type: 'string', description: 'The exclusion of this time; null: none was wanted.' }),
});

/** The body of a measurement. */
export const MEASURE: Schema = {
  type: 'object',
  additionalProperties: false,
  properties: {
    seconds: { type: 'integer', minimum: 5, maximum: 60, default: 20, description: 'how long the stream is read' },
    nominal_db: NOMINAL,
    exclude: { type: 'boolean', default: true, description: 'whether this time is excluded from indices and reports' },
  },
  example: { seconds: 20, nominal_db: 94 },
};

export interface MeasureInput {
  readonly seconds: number;
  readonly nominal_db?: number;
  readonly exclude: boolean;
}

/** The filters of a list. */
export interface CalibrationsQuery extends PageQuery {
  readonly unit?: string;
  readonly versions: boolean;
}

const FILTERS: Readonly<Record<string, Schema>> = {
  versions: {
    type: 'boolean',
    default: false,
    description: 'Also entries that were removed, and all versions of each; at most 50 entries a page.',
  },
};
export const CALIBRATIONS_QUERY = listQuery(FILTERS);
export const ALL_CALIBRATIONS_QUERY = listQuery({ ...FILTERS, unit: { type: 'string', pattern: UNIT_ID } });

const shownVersion = (entry: Calibration) => ({
  version: entry.version,
  changed_by: entry.by,
  changed_at: iso(entry.changedAt),
  removed: entry.removed,
  time: iso(entry.time),
  from: iso(entry.begunAt),
  to: iso(entry.endedAt),
  nominal_db: entry.nominalDb,
  before_db: entry.beforeDb,
  after_db: entry.afterDb,
  calibrator: entry.calibrator,
  serial: entry.serial,
  certificate: entry.certificate,
  valid_until: entry.validUntil,
  by: entry.person,
  text: entry.text,
});

/** `versions`: all versions, if the caller wants them. */
export const shownCalibration = (entry: Calibration, versions: readonly Calibration[] | null = null) => ({
  id: String(entry.id),
  unit_id: entry.unitId,
  created_at: iso(entry.createdAt),
  ...shownVersion(entry),
  versions: versions?.map(shownVersion) ?? null,
});
