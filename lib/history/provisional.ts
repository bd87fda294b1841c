/**
 * Which levels may still change. If the files of a unit's card become history, live levels are provisional at first.
 * They are final when a later run of the mirror has read the whole card and found no growing file. Levels of the card
 * are final.
 */
import type { Job, Jobs } from '../jobs/contract.ts';
import type { DeviceConfig } from '../store/contract.ts';

/** Number of runs to check. A run that a limit stopped, or that found a growing file, does not count. */
const RUNS = 50;

/** From here on, levels from other sources than the card may change, ms since 1970 UTC; 0: all of them. Null: none. */
export async function provisionalFrom(
  jobs: Pick<Jobs, 'list'>,
  { unitId, mirror }: Pick<DeviceConfig, 'unitId' | 'mirror'>,
): Promise<number | null> {
  if (!mirror.enabled || !mirror.parse) return null;
  const runs = await jobs.list({ units: [unitId], kinds: ['mirror'], states: ['done'], limit: RUNS });
  return runs.find(isWhole)?.startedAt ?? 0;
}

function isWhole({ result }: Job): boolean {
  if (typeof result !== 'object' || result === null) return false;
  const { stopped, growing } = result as { readonly stopped?: unknown; readonly growing?: unknown };
  return stopped === null && growing === 0;
}
