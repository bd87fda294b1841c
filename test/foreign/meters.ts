/**
 * Meters for clients that were not written with this project: one for every profile, on virtual time. With METER_PROFILE set
 * (`npm run test:profiles`) for that profile only.
 */
import type { Test } from 'tap';
import {
  loadProfile,
  type MeterOptions,
  type Profile,
  profileNames,
  type SimulatedMeter,
  startMeter,
  VirtualClock,
} from '../../simulator/index.ts';

const { METER_PROFILE } = process.env;

/** The profile that `npm run test:profiles` asks for; undefined under `npm test`. */
export const ONE_PROFILE = METER_PROFILE;
export const PROFILES: readonly string[] = METER_PROFILE ? [METER_PROFILE] : profileNames();

export interface ForeignMeter {
  readonly clock: VirtualClock;
  readonly meter: SimulatedMeter;
  readonly profile: Profile;
}

/** The coarse sound model is enough here. */
export async function openMeter(t: Test, name: string, options: MeterOptions = {}): Promise<ForeignMeter> {
  const clock = new VirtualClock();
  const profile = loadProfile(name);
  const meter = await startMeter({ clock, profile, soundStepMs: 100, ...options });
  t.teardown(() => meter.stop());
  return { clock, meter, profile };
}

/** Number of events of a kind in the log of the meter. */
export const count = ({ log }: SimulatedMeter, kind: 'connect' | 'held' | 'refused' | 'disconnect'): number =>
  log.events.filter((event) => event.kind === kind).length;

/** Resolves when the log has a connection that is served. */
export function served(meter: SimulatedMeter): Promise<void> {
  if (count(meter, 'connect') > 0) return Promise.resolve();
  return new Promise((resolve) => {
    const unfollow = meter.log.follow(({ kind }) => {
      if (kind !== 'connect') return;
      unfollow();
      resolve();
    });
  });
}
