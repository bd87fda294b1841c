/** The log of calibrations, a row for each version: read from memory, on the disk before memory shows a change. */
import {
  type Clock,
  columns,
  defineTable,
  refused,
  type Table,
  type TableMigration,
  type Tables,
  VersionedRecords,
} from '../../lib/index.ts';
import type { Calibration, CalibrationBody, Calibrations } from './contract.ts';
import { doubtfulWithin, driftsOf } from './drift.ts';

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

/** Most entries of a unit, with removed ones: two a week for nineteen years. They are in memory. */
export const MOST_CALIBRATIONS = 2_000;
/** Most entries of all units together. */
export const MOST_CALIBRATIONS_OF_ALL = 20_000;
/** Most versions of one entry. */
export const MOST_CORRECTIONS = 100;

/** The log on these tables. `driftDb`: a larger drift makes the time between two checks doubtful, dB. */
export async function openCalibrations(
  tables: Tables,
  clock: Pick<Clock, 'now' | 'after'>,
  driftDb: number,
): Promise<Calibrations & { close(): void }> {
  const log = await VersionedRecords.open<Calibration>(
    {
      noun: 'calibration',
      notFound: 'CALIBRATION_NOT_FOUND',
      most: { ofUnit: MOST_CALIBRATIONS, ofAll: MOST_CALIBRATIONS_OF_ALL, versions: MOST_CORRECTIONS },
      readAll: () => tables.read((rows) => rows.find(CALIBRATION_VERSIONS, { order: { id: 'asc', version: 'asc' } })),
      readSome: (ids) =>
        tables.read((rows) =>
          rows.find(CALIBRATION_VERSIONS, { where: { id: ids }, order: { id: 'desc', version: 'asc' } }),
        ),
      keep: (entry) => tables.write((rows) => rows.add(CALIBRATION_VERSIONS, [entry])),
      check: refuseSecond,
    },
    clock,
  );
  const list: Calibrations['list'] = (unitId, options) =>
    log.list(unitId, options).toSorted((one, other) => other.time - one.time || other.id - one.id);
  return {
    list,
    find: (id) => log.find(id),
    versions: (ids) => log.versions(ids),
    add: (unitId, body, by) => log.add(unitId, body, by),
    change: (id, body, by) => log.change(id, body, by),
    remove: (id, by) => log.remove(id, by),
    close: () => log.close(),
    state(unitId) {
      const own = list(unitId);
      const [last] = own;
      return {
        checkedAt: last?.time ?? null,
        validUntil: last?.validUntil ?? null,
        drift: driftsOf(own.slice(0, 2))[0]?.drift ?? null,
      };
    },
    doubtful: (unitId, span) => doubtfulWithin(driftsOf(list(unitId)), span, driftDb),
  };
}

/** Errors: INVALID. */
function refuseSecond({ time }: CalibrationBody, others: readonly Calibration[]): void {
  const same = others.find((other) => other.time === time);
  if (same) throw refused('/time', `the calibration ${same.id} has the same time: change that calibration`);
}
