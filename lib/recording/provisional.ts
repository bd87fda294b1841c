/**
 * Which levels may still change. Where the files of a unit's card become history, what was seen live is provisional until a run
 * of the mirror has been through the whole card after it, with no file left that still grows. Levels of the card are final.
 */
import type { Job, Jobs } from '../jobs/contract.ts';
import type { DeviceConfig } from '../store/contract.ts';

/** Runs that are looked at; one that a limit stopped, or that found a growing file, says nothing. */
const RUNS = 50;

/** From here on levels that are not of the card may change, ms since 1970 UTC; 0: all of them. Null: none may. */
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
