/** The reason why a condition is not judged at a unit: a rule that cannot open an event must say so. Pure. */
import type { DeviceConfig } from '../../../../lib/index.ts';
import type { UnitKnown } from '../kind.ts';
import type { ConditionName } from './conditions.ts';

type Lack = (unit: DeviceConfig, known: UnitKnown) => string | undefined;

/** For conditions that the gateway sees only while it talks to the meter. */
const unread: Lack = ({ unitId, pollEnabled, history }) =>
  pollEnabled || history === 'stream'
    ? undefined
    : `Nobody reads ${unitId}: polling is off and no stream is recorded there, so this rule sees it only when somebody asks the meter something.`;

/** Conditions with another source. */
const OTHERS: Partial<Readonly<Record<ConditionName, Lack>>> = {
  settings_changed({ unitId }, { drift }) {
    if (drift === undefined)
      return `It is not known yet whether ${unitId} has a profile: the gateway has just started, or runs without the plugin campaign.`;
    if (drift.profile === null)
      return `${unitId} has no profile, so this rule has nothing to compare there. Apply a profile to it.`;
    return drift.state === 'unknown'
      ? `Not all settings of the profile ${drift.profile} were read at ${unitId} yet.`
      : undefined;
  },
  // The gateway reads the clock of each meter once a day by itself.
  clock_off: () => undefined,
  calibration_due: () => undefined,
  calibrator_expired: ({ unitId }, { calibration }) =>
    calibration.validUntil === null ? `No certificate of a calibrator is logged for ${unitId}.` : undefined,
  calibration_drift: ({ unitId }, { calibration }) =>
    calibration.drift === null
      ? `Fewer than two calibrations are logged for ${unitId}: its drift is not known.`
      : undefined,
  station_silent: ({ unitId }, { stations }) =>
    stations === undefined
      ? `It is not known yet whether stations observe for ${unitId}: the gateway has just started, or runs without the plugin stations.`
      : stations.count === 0
        ? `No station observes for ${unitId}, so this rule has nothing to judge there.`
        : undefined,
  ftp_failing: ({ unitId, ftpEnabled }) =>
    ftpEnabled ? undefined : `FTP is switched off for ${unitId}, so nobody fetches its files.`,
  not_recorded: () => undefined,
};

/** Undefined: the condition is judged. */
export function lackOf(condition: ConditionName, unit: DeviceConfig, known: UnitKnown): string | undefined {
  if (!unit.tcpEnabled) return `TCP is switched off for ${unit.unitId}, so this rule is not judged there.`;
  return (OTHERS[condition] ?? unread)(unit, known);
}
