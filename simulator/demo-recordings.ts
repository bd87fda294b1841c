/** Recordings of sound for the demo: a person can listen to the loud times of its past. */
import { recording } from './card/index.ts';
import type { FleetMember } from './fleet.ts';
import { loudTimes } from './past.ts';

/** From `first` (ms since 1970 UTC) to `now` (s). The copies of the card come at once. */
export async function bringRecordings(
  baseUrl: string,
  { unitId, meter }: FleetMember,
  now: number,
  { first, seed, signal }: { readonly first: number; readonly seed: number; readonly signal: AbortSignal },
): Promise<void> {
  const ahead = shownTime(meter) - Date.now();
  for (const at of loudTimes(now).filter((time) => time * 1_000 >= first)) {
    const about = {
      at: at * 1_000 + RECORDED.after + ahead,
      seconds: RECORDED.seconds,
      seed: seed + at,
      model: meter.read('Type'),
    };
    const { path, bytes, modifiedAt } = recording(about);
    meter.card.addFile(path, bytes, modifiedAt);
  }
  await fetch(`${baseUrl}/${unitId}/mirror`, { method: 'POST', signal });
}

/** ms after it begins to be loud: in the middle of it. */
const RECORDED = { after: 20 * 60_000, seconds: 20 };

/** The time on the clock of the meter, read as if it were UTC, ms since 1970. */
export const shownTime = (meter: FleetMember['meter']): number =>
  Date.parse(`${meter.read('Clock').replaceAll('/', '-').replace(' ', 'T')}Z`);
