/**
 * The settings of a meter that define its levels: the percentile in each slot of the display, and the weightings. A
 * background reading asks for unknown ones. It asks for the percentiles again once an hour: somebody may have used the
 * keys.
 */
import { type ErrorCode, isGatewayError, messageOf } from '../errors.ts';
import type { DeviceState, Meter, Reservation } from '../meter/contract.ts';
import { REFUSALS, type SlowParts } from './slow.ts';

/** A percentile that is known, or that the meter did not tell, is asked for again after this time, ms. */
const AGAIN_MS = 3_600_000;

interface Setting {
  readonly name: string;
  isKnown(state: DeviceState): boolean;
  can(meter: Meter): boolean;
  ask(reservation: Reservation): Promise<unknown>;
}

const percentile = (slot: 1 | 2 | 3 | 4 | 5): Setting => ({
  name: `percentile ${slot}`,
  isKnown: ({ percentiles }) => (percentiles[slot - 1] ?? null) !== null,
  can: (meter) => meter.can('percentile'),
  ask: (reservation) => reservation.perform('percentile', slot),
});

/** The history keeps them up to date while it records; this is for the other meters. */
const weightings: Setting = {
  name: 'weightings',
  isKnown: ({ frequencyWeighting, timeWeighting }) => frequencyWeighting !== null && timeWeighting !== null,
  can: (meter) => meter.can('weightings'),
  ask: (reservation) => reservation.perform('weightings'),
};

const SETTINGS: readonly Setting[] = [
  weightings,
  percentile(1),
  percentile(2),
  percentile(3),
  percentile(4),
  percentile(5),
];

/** When each setting was last asked for, on the monotonic clock, and whether the meter answered. */
interface LastQuestion {
  readonly at: number;
  readonly isTold: boolean;
}
const askedOf = new WeakMap<Meter, Map<Setting, LastQuestion>>();

/** One after the other, as long as no other caller waits. */
export async function learnLevelSettings(parts: SlowParts, reservation: Reservation): Promise<void> {
  const { meter, clock } = parts;
  const asked = askedOf.get(meter) ?? new Map<Setting, LastQuestion>();
  askedOf.set(meter, asked);
  for (const setting of dueOf(parts)) {
    if (parts.mustYield()) return;
    const failure = await attempt(parts, setting, reservation);
    asked.set(setting, { at: clock.elapsed(), isTold: failure === undefined });
    // A silent meter costs one timeout, not one each.
    if (failure !== 'DEVICE_TIMEOUT') continue;
    for (const other of SETTINGS) asked.set(other, { at: clock.elapsed(), isTold: false });
    return;
  }
}

/** Whether there is something for `learnLevelSettings`. */
export const isLevelSettingDue = (parts: SlowParts): boolean => dueOf(parts).length > 0;

const dueOf = (parts: SlowParts): Setting[] =>
  SETTINGS.filter(
    (setting) => setting.can(parts.meter) && isDue(setting, askedOf.get(parts.meter)?.get(setting), parts),
  );

function isDue(setting: Setting, last: LastQuestion | undefined, { meter, clock }: SlowParts): boolean {
  const isOld = last === undefined || clock.elapsed() - last.at >= AGAIN_MS;
  if (setting.isKnown(meter.deviceState)) return setting !== weightings && last !== undefined && isOld;
  // After trouble with the connection the setting is unknown, and asked for at once.
  return isOld || last.isTold;
}

/** Why the meter did not tell it; undefined: it did. If the connection cannot be had, the error is thrown. */
async function attempt(
  { meter, log }: SlowParts,
  { name, ask }: Setting,
  reservation: Reservation,
): Promise<ErrorCode | undefined> {
  try {
    await ask(reservation);
    return undefined;
  } catch (error) {
    if (!isGatewayError(error, ...REFUSALS, 'DEVICE_GARBLED', 'DEVICE_TIMEOUT')) throw error;
    log.info({ unit_id: meter.unitId, setting: name, error: messageOf(error) }, 'a setting could not be read');
    return error.code;
  }
}
