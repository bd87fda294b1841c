/**
 * Windows as limits are written: the full quarter of an hour, the day from 07 to 19, the night from 23 to 07. By the local clock,
 * so a window may be shorter or longer where the clocks change.
 */
import { type InputError, indices, zones } from '../../../../lib/index.ts';
import { assessment } from '../../../assessment/index.ts';
import { type RuleBody, DAYS as WEEK, type WeeklyHours } from '../rule.ts';
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
const USUAL_DAY = 1_440;
const EIGHT_HOURS = [part('day', 0, 8), part('evening', 8, 16), part('night', 16, 24)];
const TWELVE_HOURS = [part('day', 0, 12), part('night', 12, 24)];

/** The fields that decide the windows of a rule. */
export type Windowed = Pick<RuleBody, 'schedule'> & { readonly window: WindowName };

/** Units in one time zone have the same windows. The newest window of each name is kept. */
const known = new Map<string, ClockWindow>();
/** The same for the windows of a schedule. */
const knownOfSchedule = new WeakMap<readonly WeeklyHours[], Map<string, ClockWindow>>();

/** The window that contains `at`. */
export function windowAt(zone: string, { window: name, schedule }: Windowed, at: number): ClockWindow {
  if (name === 'scheduled') return ofSchedule(zone, schedule ?? [], at);
  return newest(known, `${name} ${zone}`, at, () => find(zone, name, at));
}

function newest(of: Map<string, ClockWindow>, key: string, at: number, find: () => ClockWindow): ClockWindow {
  const last = of.get(key);
  if (last && at >= last.from && at < last.to) return last;
  const window = find();
  of.set(key, window);
  return window;
}

function find(zone: string, name: Exclude<WindowName, 'scheduled'>, at: number): ClockWindow {
  if (name === 'day' || name === 'evening' || name === 'night') return period(zone, name, at);
  if (name === '8h') return piece(zone, EIGHT_HOURS, at);
  if (name === '12h') return piece(zone, TWELVE_HOURS, at);
  return { ...zones.stepAt(zone, at, WINDOW_S[name] * 1_000), counts: true };
}

function ofSchedule(zone: string, schedule: readonly WeeklyHours[], at: number): ClockWindow {
  const own = knownOfSchedule.get(schedule) ?? new Map<string, ClockWindow>();
  knownOfSchedule.set(schedule, own);
  return newest(own, zone, at, () => timeAt(zone, schedule, at));
}

/** A time of the schedule, or the time between two of them: a week at most. */
function timeAt(zone: string, schedule: readonly WeeklyHours[], at: number): ClockWindow {
  const span = { from: at - 8 * DAY_MS, to: at + 8 * DAY_MS };
  const times = assessment.timesWithin(schedule, { zone, span, holidays: NO_HOLIDAYS });
  const own = times.find(({ from, to }) => at >= from && at < to);
  if (own) return { ...own, counts: true };
  const before = times.findLast(({ to }) => to <= at);
  const after = times.find(({ from }) => from > at);
  return { from: before?.to ?? span.from, to: after?.from ?? span.to, counts: false };
}

const NO_HOLIDAYS: ReadonlySet<string> = new Set();

/** A rule whose windows are the times of its schedule needs times that do not overlap. */
export function windowProblems({ window, schedule }: Partial<Windowed>): InputError[] {
  if (window !== 'scheduled') return [];
  if (!schedule)
    return [{ path: '/schedule', message: 'is needed: window scheduled makes a window of each of its times' }];
  const times = schedule.flatMap(({ days, from, to }, index) =>
    days.map((day) => {
      const begin = WEEK.indexOf(day) * USUAL_DAY + assessment.minutesOf(from);
      const length = assessment.minutesOf(to) - assessment.minutesOf(from);
      return { index, begin, end: begin + (length > 0 ? length : length + USUAL_DAY) };
    }),
  );
  const overlaps = (one: (typeof times)[number], other: (typeof times)[number]) =>
    [-7, 0, 7].some((days) => one.begin + days * USUAL_DAY < other.end && other.begin < one.end + days * USUAL_DAY);
  const second = times.find((one, at) => times.some((other, place) => place < at && overlaps(one, other)));
  return second
    ? [{ path: `/schedule/${second.index}`, message: 'overlaps another time of the schedule: each would be a window' }]
    : [];
}

const piecesAround = (zone: string, periods: readonly indices.Period[], at: number) =>
  indices.localDays(zone, { from: at - DAY_MS, to: at + DAY_MS }, periods).flatMap(({ pieces }) => pieces);

function piece(zone: string, periods: readonly indices.Period[], at: number): ClockWindow {
  const found = piecesAround(zone, periods, at).find(({ from, to }) => at >= from && at < to);
  return { from: found?.from ?? at, to: found?.to ?? at + 1, counts: found !== undefined };
}

/** A night has two parts, the end of one day and the beginning of the next. */
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
