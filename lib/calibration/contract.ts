/**
 * What was found when a meter was checked with a sound calibrator (IEC 60942): each check is logged, each change of the log is a new
 * version. Two checks that differ by more than the setting `calibration_drift_db` make the time between them doubtful.
 */
import type { Range } from '../history/contract.ts';
import type { Versioned } from '../store/contract.ts';

/** What a person says of a check. Times are ms since 1970 UTC, levels dB. */
export interface CalibrationBody {
  /** When the check was made. */
  readonly time: number;
  /** What the calibrator gives at the microphone: 94 or 114 as a rule, or what its certificate says. */
  readonly nominalDb: number;
  /** What the meter showed before it was adjusted. */
  readonly beforeDb: number;
  /** What it showed after it was adjusted; null: it was not adjusted. */
  readonly afterDb: number | null;
  /** Type of the calibrator, its serial number, the number of its certificate; empty: not told. */
  readonly calibrator: string;
  readonly serial: string;
  readonly certificate: string;
  /** The last day of the certificate, `2027-03-31`; null: not told. */
  readonly validUntil: string | null;
  /** Who made the check. */
  readonly person: string;
  /** May have several lines; may be empty. */
  readonly text: string;
}

/** One version of an entry of the log. */
export interface Calibration extends CalibrationBody, Versioned {}

/** How far the meter moved between two checks. */
export interface CalibrationDrift {
  /** Ids of the check that begins the time and of the one that ends it. */
  readonly between: readonly [number, number];
  /** Their times, ms since 1970 UTC. */
  readonly from: number;
  readonly to: number;
  /** dB; positive: the meter shows more than before. */
  readonly drift: number;
}

/** What is known of the calibration of a unit now. Null: nothing is logged that says it. */
export interface CalibrationState {
  /** When the last check was made, ms since 1970 UTC. */
  readonly checkedAt: number | null;
  /** The last day of the certificate of the last check. */
  readonly validUntil: string | null;
  /** Between the last two checks, dB. */
  readonly drift: number | null;
}

/** The log of all units; that of a unit that was removed stays, like its levels. */
export interface Calibrations {
  /** The last version of each entry, of one unit or of all, the newest check first; `removed`: also of those that were removed. */
  list(unitId?: string, options?: { readonly removed?: boolean }): readonly Calibration[];
  /** The present version; undefined for one that was removed. */
  find(id: number): Calibration | undefined;
  /** All versions of these entries, the newest entry first, its oldest version first. */
  versions(ids: readonly number[]): Promise<readonly Calibration[]>;
  /** Resolves when it is on the disk. Errors: INVALID for a second check at the same time, or too many; STORAGE_FULL, STORAGE_FAILED. */
  add(unitId: string, body: CalibrationBody, by: string): Promise<Calibration>;
  /** Errors: CALIBRATION_NOT_FOUND; as `add`. */
  change(id: number, body: CalibrationBody, by: string): Promise<Calibration>;
  /** Errors: CALIBRATION_NOT_FOUND, STORAGE_FULL, STORAGE_FAILED. */
  remove(id: number, by: string): Promise<Calibration>;
  /** What is known now. */
  state(unitId: string): CalibrationState;
  /** The times within a span (ms since 1970 UTC) whose levels are doubtful, in order. */
  doubtful(unitId: string, span: Range): readonly CalibrationDrift[];
}
