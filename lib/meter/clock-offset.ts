/** How far a meter's clock is off, from one reading of it. Pure. */
import type { ClockOffset } from './contract.ts';

/** The meter shows the second that has begun: on average half of it is over. */
const SHOWN_LATE_MS = 500;

/**
 * `shown`: `YYYY/MM/DD HH:MM:SS`, no zone, read as a moment in the zone of this process. `at`: when the meter read it, as
 * nearly as one knows, ms UTC. Undefined for a text that is no moment.
 */
export function clockOffset(shown: string, at: number): ClockOffset | undefined {
  const [year, month, day, hour, minute, second] = shown.split(/[/ :]/).map(Number);
  if (year === undefined || month === undefined) return undefined;
  const moment = new Date(year, month - 1, day, hour, minute, second).getTime();
  return Number.isNaN(moment) ? undefined : { offsetMs: Math.round(moment + SHOWN_LATE_MS - at), at };
}
