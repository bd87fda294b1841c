/**
 * A check of a meter with a sound calibrator (IEC 60942): one entry of the log. Nothing is deleted: each change is a new
 * version. Levels dB, times ms since 1970 UTC.
 */
import { type RecordOf, type Versioned, versionedSchema } from '../../lib/built-in.ts';
import { columns, defineTable, type Schema, type TableMigration, TIME } from '../../lib/index.ts';

const TEXT: Schema = { type: 'string' };
const level = (about: string): Schema => ({ type: 'number', minimum: 0, maximum: 150, description: `${about}, dB` });

export const NOMINAL = level('what the calibrator gives at the microphone, such as 94.0 or 114.0');
export const BEFORE = level('what the meter showed before it was adjusted');
export const AFTER = level('what it showed after it was adjusted; null: it was not adjusted');
export const VALID_UNTIL: Schema = {
  type: 'string',
  format: 'date',
  description: 'the last day of the certificate of the calibrator, such as 2027-03-31; null: unknown',
};

const FIELDS = {
  ...columns.versioned,
  by: { ...columns.versioned.by, shownAs: 'changed_by' },
  time: columns.integer(TIME),
  /** When the calibrator was on the microphone; null: only `time` is known. */
  begunAt: { ...columns.integerOrNull(TIME), shownAs: 'from' },
  endedAt: { ...columns.integerOrNull(TIME), shownAs: 'to' },
  nominalDb: columns.real(NOMINAL),
  beforeDb: columns.real(BEFORE),
  afterDb: columns.realOrNull(AFTER),
  calibrator: columns.text(TEXT),
  serial: columns.text(TEXT),
  certificate: columns.text(TEXT),
  validUntil: columns.textOrNull(VALID_UNTIL),
  /** The person who made the check. */
  person: { ...columns.text(TEXT), shownAs: 'by' },
  text: columns.text(TEXT),
} as const;

/** One version of an entry of the log. */
export interface Calibration extends RecordOf<typeof FIELDS> {}
export type CalibrationBody = Omit<Calibration, keyof Versioned>;

export const CALIBRATION_VERSIONS = defineTable('calibration_version', ['id', 'version'], FIELDS);
export const CALIBRATION = versionedSchema('Calibration', FIELDS);

export const calibrationMigrations: readonly TableMigration[] = [
  {
    name: '0001-calibrations',
    statements: [
      `create table calibration_version (
        id integer not null, version integer not null, unit_id text not null, time integer not null,
        nominal_db real not null, before_db real not null, after_db real null, calibrator text not null,
        serial text not null, certificate text not null, valid_until text null, person text not null,
        text text not null, by text not null, changed_at integer not null, created_at integer not null,
        removed integer not null, primary key (id, version)
      )`,
      'create index calibration_version_unit on calibration_version (unit_id, id)',
    ],
  },
  {
    name: '0002-begin-and-end',
    statements: [
      'alter table calibration_version add column begun_at integer null',
      'alter table calibration_version add column ended_at integer null',
    ],
  },
];
