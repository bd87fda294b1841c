/** Rules of alerts in words. */
import type { AlertEvent, AlertRule, AlertTarget, RuleSchedule } from '../../client/index.ts';
import { decibels, whole } from '../app/numbers.ts';
import { LOCALES } from '../words/language.ts';

/** The worst value of an event, in its unit; of some conditions there is none. */
export function worstOf({ unit, worst }: Pick<AlertEvent, 'unit' | 'worst'>): string {
  if (worst === null) return '–';
  return unit === 'dB' ? `${decibels(worst)} dB` : `${whole(worst)} ${unit ?? ''}`.trim();
}

/** As the API names them; the week begins on Monday. */
export const DAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const;
/** 5 January 2026 is a Monday. */
export const dayWord = (day: (typeof DAYS)[number]): string =>
  new Date(Date.UTC(2026, 0, 5 + DAYS.indexOf(day))).toLocaleDateString(LOCALES, {
    weekday: 'short',
    timeZone: 'UTC',
  });

/** A rule in one sentence. */
export function wordsFor(
  rule: AlertRule,
  targets: readonly AlertTarget[],
  titleOf: (unitId: string) => string,
): string {
  const { severity, enabled, schedule, targets: told, ack_within, escalate_to = [] } = rule;
  const namesOf = (ids: readonly string[]) =>
    ids.map((id) => targets.find((target) => target.id === id)?.name ?? `target ${id}`).join(', ');
  return [
    rule.words,
    `at ${rule.units ? rule.units.map(titleOf).join(', ') : `all with the tag ${rule.tag}`}`,
    ...(schedule ? schedule.map(timesOf) : []),
    severity,
    ...(told.length > 0 ? [`tells ${namesOf(told)}`] : []),
    ...(ack_within ? [`if not acknowledged in ${spaced(ack_within)}, also ${namesOf(escalate_to)}`] : []),
    ...(enabled ? [] : ['switched off']),
  ].join(', ');
}

/** `15m` as people write it: `15 min`. */
const spaced = (time = ''): string =>
  time.replace(/^(\d+)([smhd])$/, (_, count, unit) => `${count} ${unit === 'm' ? 'min' : unit}`);

const timesOf = ({ days, from, to }: RuleSchedule): string =>
  `${days.length === DAYS.length ? 'every day' : days.map(dayWord).join(' ')} ${from} to ${to}`;
