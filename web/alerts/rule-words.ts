/** Rules of alerts in words. */
import type { AlertEvent, AlertRule, AlertTarget, RuleSchedule } from '../../client/index.ts';
import { decibels, whole } from '../app/numbers.ts';
import { nameOf } from '../app/quantity.ts';

/** What can be wrong with a meter, as the API names it. */
export const CONDITIONS = {
  unreachable: 'cannot be reached',
  wedged: 'takes no more connections',
  asleep: 'seems to be asleep',
  stale: 'gives no new levels',
  frozen: 'shows levels that do not change',
  not_measuring: 'does not measure',
  over_range: 'is over its range',
  battery_below: 'has little battery',
  card_below: 'has little space on its card',
  clock_off: 'has a wrong clock',
  ftp_failing: 'gives no files',
  weighting_changed: 'has another weighting',
} as const;
export type Condition = keyof typeof CONDITIONS;

/** The unit of the threshold of a condition; others have no threshold. */
export const THRESHOLDS: Readonly<Partial<Record<Condition, readonly [unit: string, usual: string]>>> = {
  battery_below: ['%', '30'],
  card_below: ['% free', '10'],
  clock_off: ['s', '60'],
};

/** The worst value of an event, in its unit; of some conditions there is none. */
export function worstOf({ kind, what, worst }: Pick<AlertEvent, 'kind' | 'what' | 'worst'>): string {
  if (worst === null) return '–';
  if (kind === 'level') return `${decibels(worst)} dB`;
  return `${whole(worst)} ${what === 'stale' ? 's' : (THRESHOLDS[what as Condition]?.[0] ?? '')}`;
}

export const DAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const;
/** 5 January 2026 is a Monday. */
export const dayWord = (day: (typeof DAYS)[number]): string =>
  new Date(Date.UTC(2026, 0, 5 + DAYS.indexOf(day))).toLocaleDateString([...navigator.languages], {
    weekday: 'short',
    timeZone: 'UTC',
  });

export function wordsFor(
  rule: AlertRule,
  targets: readonly AlertTarget[],
  titleOf: (unitId: string) => string,
): string {
  const { severity, enabled, schedule, targets: told, ack_within, escalate_to = [] } = rule;
  const namesOf = (ids: readonly string[]) =>
    ids.map((id) => targets.find((target) => target.id === id)?.name ?? `target ${id}`).join(', ');
  return [
    whatOf(rule),
    `at ${rule.units ? rule.units.map(titleOf).join(', ') : `all with the tag ${rule.tag}`}`,
    ...(schedule ? schedule.map(timesOf) : []),
    severity,
    ...(told.length > 0 ? [`tells ${namesOf(told)}`] : []),
    ...(ack_within ? [`if not acknowledged in ${spaced(ack_within)}, also ${namesOf(escalate_to)}`] : []),
    ...(enabled ? [] : ['switched off']),
  ].join(', ');
}

function whatOf({ kind, quantity, window, align, limit_db, condition, threshold, for: time }: AlertRule): string {
  if (kind === 'level') {
    return `${nameOf(quantity ?? '', { frequency: null, time: null })} of ${align === 'sliding' ? 'the last ' : ''}${spaced(window)} above ${decibels(limit_db)} dB`;
  }
  const name = condition as Condition;
  const [unit] = THRESHOLDS[name] ?? [];
  const limit = unit && threshold !== undefined ? ` (${threshold} ${unit})` : '';
  return `${CONDITIONS[name] ?? condition}${limit}${time ? ` for ${spaced(time)}` : ''}`;
}

/** `15m` as people write it: `15 min`. */
const spaced = (time = ''): string =>
  time.replace(/^(\d+)([smhd])$/, (_, count, unit) => `${count} ${unit === 'm' ? 'min' : unit}`);

const timesOf = ({ days, from, to }: RuleSchedule): string =>
  `${days.length === DAYS.length ? 'every day' : days.map(dayWord).join(' ')} ${from} to ${to}`;
