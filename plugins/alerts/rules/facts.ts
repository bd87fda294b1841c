/** The known state of a meter when a rule is judged. Types only. */
import type { DeviceState, EventData, HistoryStatus, Reachability, UnitStatus } from '../../../lib/index.ts';
import type { CalibrationState } from '../../calibration/index.ts';

/** Undefined or null: unknown. */
export interface Facts {
  readonly reachability: Reachability | undefined;
  readonly state: Pick<DeviceState, 'frequencyWeighting' | 'timeWeighting'> | undefined;
  readonly status: Pick<UnitStatus, 'values' | 'age'>;
  readonly pollIntervalSeconds: number;
  /** The state of the history of all units. */
  readonly recording: Pick<HistoryStatus, 'state' | 'reason'>;
  /** Whether the last work on the card failed at FTP; undefined: no work yet. */
  readonly ftpFailing: boolean | undefined;
  readonly calibration: CalibrationState;
  /** The settings beside those of the profile of the meter. */
  readonly drift: EventData['drift'] | undefined;
  /** Whether the stations for this unit still send. */
  readonly stations: EventData['stations'] | undefined;
  /** ms since 1970 UTC. */
  readonly now: number;
  /** The day by the clock of the unit, `2026-11-23`. */
  today(): string;
}
