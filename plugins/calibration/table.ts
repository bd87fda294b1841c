/** Versions of the log of calibrations as rows. */
import { columns, defineTable, type Table, type TableMigration } from '../../lib/index.ts';
import type { Calibration } from './contract.ts';

/** Each version of each entry. */
export const CALIBRATION_VERSIONS: Table<Calibration> = defineTable('calibration_version', ['id', 'version'], {
  id: columns.integer(),
  version: columns.integer(),
  unitId: columns.text(),
  time: columns.integer(),
  begunAt: columns.integerOrNull(),
  endedAt: columns.integerOrNull(),
  nominalDb: columns.real(),
  beforeDb: columns.real(),
  afterDb: columns.realOrNull(),
  calibrator: columns.text(),
  serial: columns.text(),
  certificate: columns.text(),
  validUntil: columns.textOrNull(),
  person: columns.text(),
  text: columns.text(),
  by: columns.text(),
  changedAt: columns.integer(),
  createdAt: columns.integer(),
  removed: columns.boolean(),
});

/** The steps in the life of the table. */
export const calibrationMigrations: readonly TableMigration[] = [
  {
    name: '0001-calibrations',
    statements: [
      `create table calibration_version (
        id integer not null,
        version integer not null,
        unit_id text not null,
        time integer not null,
        nominal_db real not null,
        before_db real not null,
        after_db real null,
        calibrator text not null,
        serial text not null,
        certificate text not null,
        valid_until text null,
        person text not null,
        text text not null,
        by text not null,
        changed_at integer not null,
        created_at integer not null,
        removed integer not null,
        primary key (id, version)
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
