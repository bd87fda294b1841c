/** Versions of the log of calibrations as rows. */
import { boolean, integer, real, realOrNull, text, textOrNull } from '../domain/fields/columns.ts';
import { defineTable } from '../domain/fields/table.ts';
import type { TableMigration } from '../store/contract.ts';

/** Each version of each entry. */
export const CALIBRATION_VERSIONS = defineTable('calibration_version', ['id', 'version'], {
  id: integer(),
  version: integer(),
  unitId: text(),
  time: integer(),
  nominalDb: real(),
  beforeDb: real(),
  afterDb: realOrNull(),
  calibrator: text(),
  serial: text(),
  certificate: text(),
  validUntil: textOrNull(),
  person: text(),
  text: text(),
  by: text(),
  changedAt: integer(),
  createdAt: integer(),
  removed: boolean(),
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
];
