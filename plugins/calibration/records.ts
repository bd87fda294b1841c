/** The log of calibrations of all units. Entries of a removed unit stay, like its levels. */
import { type Clock, type Range, refused, type Tables, VersionedRecords } from '../../lib/index.ts';
import { CALIBRATION_VERSIONS, type Calibration, type CalibrationBody } from './calibration.ts';
import { type CalibrationDrift, doubtfulWithin, driftsOf } from './drift.ts';

/** Most entries of a unit, with removed ones: two a week for nineteen years. They are in memory. */
export const MOST_CALIBRATIONS = 2_000;
export const MOST_CALIBRATIONS_OF_ALL = 20_000;
export const MOST_CORRECTIONS = 100;

export class CalibrationRecords extends VersionedRecords<Calibration> {
  readonly #driftDb: number;

  /** `driftDb`: a larger drift makes the time between two checks doubtful, dB. */
  constructor(tables: Tables, clock: Pick<Clock, 'now' | 'after'>, driftDb: number) {
    super(tables, clock, {
      table: CALIBRATION_VERSIONS,
      noun: 'calibration',
      notFound: 'CALIBRATION_NOT_FOUND',
      most: { ofUnit: MOST_CALIBRATIONS, ofAll: MOST_CALIBRATIONS_OF_ALL, versions: MOST_CORRECTIONS },
      check: refuseSecond,
    });
    this.#driftDb = driftDb;
  }

  /** The newest check first. */
  override list(unitId?: string, options?: { readonly removed?: boolean }): readonly Calibration[] {
    return super.list(unitId, options).toSorted((one, other) => other.time - one.time || other.id - one.id);
  }

  /** The last check, the end of its certificate, and the drift since the check before, dB. Null: not in the log. */
  state(unitId: string) {
    const own = this.list(unitId);
    const [last] = own;
    return {
      checkedAt: last?.time ?? null,
      validUntil: last?.validUntil ?? null,
      drift: driftsOf(own.slice(0, 2))[0]?.drift ?? null,
    };
  }

  /** `span`: ms since 1970 UTC. In order. */
  doubtful(unitId: string, span: Range): readonly CalibrationDrift[] {
    return doubtfulWithin(driftsOf(this.list(unitId)), span, this.#driftDb);
  }
}

export type CalibrationState = ReturnType<CalibrationRecords['state']>;

export type Calibrations = Pick<CalibrationRecords, 'state' | 'doubtful'>;

export interface WithCalibrations {
  readonly calibrations: Calibrations;
}

/** Errors: INVALID. */
function refuseSecond({ time }: CalibrationBody, others: readonly Calibration[]): void {
  const same = others.find((other) => other.time === time);
  if (same) throw refused('/time', `the calibration ${same.id} has the same time: change that calibration`);
}
