/**
 * Windows as limits are written: the full quarter of an hour, the day from 07 to 19, the night from 23 to 07. By the local clock,
 * so a window may be shorter or longer where the clocks change.
 */
import { indices, zones } from '../../../../lib/index.ts';
import { WINDOW_S, type WindowName } from './level-rule.ts';

/** Times in ms since 1970 UTC. */
export interface ClockWindow {
  readonly from: number;
  readonly to: number;
  /** False: this is a time between two windows, such as the day for a rule about the night. */
  readonly counts: boolean;
}

const DAY_MS = 86_400_000;
const part = (name: indices.PeriodName, from: number, to: number): indices.Period => ({
  name,
  from: from * 60,
  to: to * 60,
  weight: 1,
});
const EIGHT_HOURS = [part('day', 0, 8), part('evening', 8, 16), part('night', 16, 24)];
const TWELVE_HOURS = [part('day', 0, 12), part('night', 12, 24)];

/** Windows of the same name and place are the same for all units. The newest of each is kept. */
const known = new Map<string, ClockWindow>();

/** The window that `at` lies in. */
export function windowAt(zone: string, name: WindowName, at: number): ClockWindow {
  const key = `${name} ${zone}`;
  const last = known.get(key);
  if (last && at >= last.from && at < last.to) return last;
  const window = find(zone, name, at);
  known.set(key, window);
  return window;
}

function find(zone: string, name: WindowName, at: number): ClockWindow {
  if (name === 'day' || name === 'evening' || name === 'night') return period(zone, name, at);
  if (name === '8h') return piece(zone, EIGHT_HOURS, at);
  if (name === '12h') return piece(zone, TWELVE_HOURS, at);
  return { ...zones.stepAt(zone, at, WINDOW_S[name] * 1_000), counts: true };
}

const piecesAround = (zone: string, periods: readonly indices.Period[], at: number) =>
  indices.localDays(zone, { from: at - DAY_MS, to: at + DAY_MS }, periods).flatMap(({ pieces }) => pieces);

function piece(zone: string, periods: readonly indices.Period[], at: number): ClockWindow {
  const found = piecesAround(zone, periods, at).find(({ from, to }) => at >= from && at < to);
  return { from: found?.from ?? at, to: found?.to ?? at + 1, counts: found !== undefined };
}

/** A night is two pieces, the end of one day and the beginning of the next. */
function period(zone: string, name: indices.PeriodName, at: number): ClockWindow {
  const pieces = piecesAround(zone, indices.PRESETS.eu.periods, at);
  const index = pieces.findIndex(({ from, to }) => at >= from && at < to);
  const own = pieces[index];
  if (!own) return { from: at, to: at + 1, counts: false };
  let { from, to } = own;
  const before = pieces[index - 1];
  const after = pieces[index + 1];
  if (before?.period === own.period && before.to === from) from = before.from;
  if (after?.period === own.period && after.from === to) to = after.to;
  return { from, to, counts: own.period === name };
}
