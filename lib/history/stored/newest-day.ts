/**
 * The age from which levels are old. The clock of the computer may be years ahead for an hour, and removed levels are
 * lost. So age is counted from the newest levels, and the clock adds at most a day. Levels that were recorded with such
 * a clock do not count either: after a pause of more than a week, new levels count only with levels on seven days.
 */
import type { Work } from './work.ts';

const DAY_S = 86_400;
const PAUSE_DAYS = 7;
const SETTLED_DAYS = 7;

/** `now` or earlier, s. `newestBefore`: the newest time with levels before this time, exclusively. */
export function* ageFrom(now: number, newestBefore: (at: number) => Work<number | undefined>): Work<number> {
  const days: number[] = [];
  for (let end = now + 1; days.length < SETTLED_DAYS; ) {
    const at = yield* newestBefore(end);
    if (at === undefined) break;
    const day = Math.floor(at / DAY_S);
    days.push(day);
    end = day * DAY_S;
  }
  const beforePause = days.findLast((day, index) => index > 0 && (days[index - 1] ?? day) - day > PAUSE_DAYS);
  const day = beforePause ?? days[0];
  return day === undefined ? now : Math.min(now, (day + 2) * DAY_S);
}
