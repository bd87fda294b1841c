/** A member that leaves in order: units go as soon as nothing runs on them, and with the last one it is gone. */
import type { BeatRequest } from './contract.ts';

/** What a leaving member gives away with its next beat. */
export interface DrainStep {
  readonly release: readonly string[];
  readonly state: BeatRequest['state'];
}

/**
 * The next step. @param isBusy True while a command runs on the unit. @param isLate True once nobody waits for commands any more.
 */
export function drainStep(units: ReadonlySet<string>, isBusy: (unit: string) => boolean, isLate: boolean): DrainStep {
  const release = isLate ? [...units] : [...units].filter((unit) => !isBusy(unit));
  return { release, state: release.length === units.size ? 'gone' : 'leaving' };
}
