/**
 * Results of checks of a meter with a sound calibrator (IEC 60942): each check is logged, and each change of the log is
 * a new version. If two checks differ by more than the setting `calibration_drift_db`, the time between them is
 * doubtful.
 */
import type { Range, Versioned } from '../../lib/index.ts';

/** Input of a person about a check. Times are ms since 1970 UTC, levels dB. */
export interface CalibrationBody {
  /** When the check was made. */
  readonly time: number;
  /** When the calibrator was on the microphone; null: only `time` is known. */
  readonly begunAt: number | null;
  readonly endedAt: number | null;
  /** Level of the calibrator at the microphone: usually 94 or 114, or the value of its certificate. */
  readonly nominalDb: number;
  /** Level on the meter before its adjustment. */
  readonly beforeDb: number;
  /** Level on the meter after its adjustment; null: it was not adjusted. */
  readonly afterDb: number | null;
  /** Type of the calibrator, its serial number, the number of its certificate; empty: not given. */
  readonly calibrator: string;
  readonly serial: string;
  readonly certificate: string;
  /** The last day of the certificate, `2027-03-31`; null: not given. */
  readonly validUntil: string | null;
  /** Person who made the check. */
  readonly person: string;
  /** May have several lines; may be empty. */
  readonly text: string;
}

/** One version of an entry of the log. */
export interface Calibration extends CalibrationBody, Versioned {}

/** Change of the meter between two checks. */
export interface CalibrationDrift {
  /** Ids of the check at the beginning and of the check at the end. */
  readonly between: readonly [number, number];
  /** Their times, ms since 1970 UTC. */
  readonly from: number;
  readonly to: number;
  /** dB; positive: the meter shows more than before. */
  readonly drift: number;
}

/** State of the calibration of a unit now. Null: not in the log. */
export interface CalibrationState {
  /** When the last check was made, ms since 1970 UTC. */
  readonly checkedAt: number | null;
  /** The last day of the certificate of the last check. */
  readonly validUntil: string | null;
  /** Drift between the last two checks, dB. */
  readonly drift: number | null;
}

/** The log of all units; entries of a removed unit stay, like its levels. */
export interface Calibrations {
  /** The last version of each entry, of one unit or of all, the newest check first; `removed`: with removed entries. */
  list(unitId?: string, options?: { readonly removed?: boolean }): readonly Calibration[];
  /** The present version; undefined for a removed entry. */
  find(id: number): Calibration | undefined;
  /** All versions of these entries, the newest entry first, its oldest version first. */
  versions(ids: readonly number[]): Promise<readonly Calibration[]>;
  /**
   * Resolves when it is on the disk. Errors: INVALID for a second check at the same time, or too many entries;
   * STORAGE_FULL, STORAGE_FAILED.
   */
  add(unitId: string, body: CalibrationBody, by: string): Promise<Calibration>;
  /** Errors: CALIBRATION_NOT_FOUND; as `add`. */
  change(id: number, body: CalibrationBody, by: string): Promise<Calibration>;
  /** Errors: CALIBRATION_NOT_FOUND, STORAGE_FULL, STORAGE_FAILED. */
  remove(id: number, by: string): Promise<Calibration>;
  /** The present state. */
  state(unitId: string): CalibrationState;
  /** The times within a span (ms since 1970 UTC) with doubtful levels, in order. */
  doubtful(unitId: string, span: Range): readonly CalibrationDrift[];
}

/** The host of a plugin that uses the log of calibrations. */
export interface WithCalibrations {
  readonly calibrations: Calibrations;
}
