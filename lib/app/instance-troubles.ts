/** What does not work where several instances share a database, for `/health` of each of them. */
import type { MemberState } from '../cluster/contract.ts';
import type { Trouble } from '../http/health.ts';

const UNITS = [
  [86_400_000, 'days'],
  [3_600_000, 'h'],
  [60_000, 'min'],
  [1_000, 's'],
] as const;

/** An instance; without a `gateway` it waits. */
interface Looking {
  members(): readonly MemberState[];
  gateway(): unknown;
}

/**
 * Nothing of it keeps a request from being answered.
 * @param clockAhead How far the clock of this computer is ahead of that of the database, ms; 0: they agree.
 * @param isDiskShort Its disk has no room. A gateway says itself what this costs.
 */
export function instanceTroubles(instance: Looking, clockAhead: number, isDiskShort: boolean): readonly Trouble[] {
  const found = instance
    .members()
    .filter(({ state }) => state === 'silent')
    .map(({ name, units = 0 }) => trouble('instances', `The instance ${name} is silent: ${lacking(units)}`));
  if (isDiskShort && !instance.gateway())
    found.push(trouble('disk', 'The disk of this instance has no room: if it took over, it would record no levels.'));
  if (clockAhead !== 0) {
    const side = clockAhead > 0 ? 'ahead of' : 'behind';
    const words = `The clock of this computer is ${spanWords(Math.abs(clockAhead))} ${side} that of the database`;
    const effect = 'Levels, events and schedules have the time of the instance that has the meters.';
    found.push(trouble('clock', `${words}: one of them is wrong. ${effect}`));
  }
  return found;
}

/** What a silent instance costs, after a colon. `units`: whose sessions it served. */
const lacking = (units: number): string =>
  units === 0
    ? 'it could not take over.'
    : `nobody can ask the ${units === 1 ? 'meter' : `${units} meters`} that it serves, until others have taken them over.`;

const trouble = (part: string, detail: string): Trouble => ({ part, detail, harmless: true });

/** In the largest unit of which there are two. */
function spanWords(ms: number): string {
  const [size, unit] = UNITS.find(([each]) => ms >= 2 * each) ?? [1_000, 's'];
  return `${Math.round(ms / size)} ${unit}`;
}
