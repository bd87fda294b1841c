/** The log of calibrations: read from memory, on the disk before memory shows a change. */
import { type Clock, refused, type Tables, VersionedRecords } from '../../lib/index.ts';
import type { Calibration, CalibrationBody, Calibrations } from './contract.ts';
import { doubtfulWithin, driftsOf } from './drift.ts';
import { CALIBRATION_VERSIONS } from './table.ts';

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
