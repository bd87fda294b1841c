/** Rules and events of alerts in words. */
import type { AlertEvent, AlertRule, AlertTarget, RuleSchedule } from '../../client/index.ts';
import { textOf } from '../state/alarms.ts';
import { decibels, whole } from '../state/numbers.ts';
import { LOCALES } from '../words/language.ts';
import { listOf, say } from '../words/say.ts';

/** The worst value of an event, in its unit. Some conditions have no value. */
export function worstOf({ unit, worst }: Pick<AlertEvent, 'unit' | 'worst'>): string {
  if (worst === null) return '–';
  return unit === 'dB' ? `${decibels(worst)} dB` : `${whole(worst)} ${unit ?? ''}`.trim();
}

type Severity = AlertRule['severity'];
const SEVERITIES: Readonly<Record<Severity, () => string>> = {
  info: () => say('info ## severity'),
  warning: () => say('warning ## severity'),
  critical: () => say('critical ## severity'),
};
export const severityChoices = (): (readonly [Severity, string])[] =>
  (['info', 'warning', 'critical'] as const).map((severity) => [severity, SEVERITIES[severity]()] as const);

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
    listOf(ids.map((id) => targets.find((target) => target.id === id)?.name ?? say('target {id}', { id })));
  return listOf([
    textOf(rule, 'words'),
    ...(rule.units ? [say('at {meters}', { meters: listOf(rule.units.map(titleOf)) })] : []),
    ...(rule.tag === undefined ? [] : [say('at all with the tag {tag}', { tag: rule.tag })]),
    ...(schedule ? schedule.map(timesOf) : []),
    SEVERITIES[severity](),
    ...(told.length > 0 ? [say('tells {names}', { names: namesOf(told) })] : []),
    ...(ack_within
      ? [
          say('if not acknowledged in {length}, also {names}', {
            length: spaced(ack_within),
            names: namesOf(escalate_to),
          }),
        ]
      : []),
    ...(enabled ? [] : [say('switched off')]),
  ]);
}

/** `15m` as people write it: `15 min`. */
const spaced = (time = ''): string =>
  time.replace(/^(\d+)([smhd])$/, (_, count, unit) => `${count} ${unit === 'm' ? 'min' : unit}`);

const timesOf = ({ days, from, to }: RuleSchedule): string =>
  days.length === DAYS.length
    ? say('every day {from} to {to}', { from, to })
    : say('{days} {from} to {to}', { days: days.map(dayWord).join(' '), from, to });

/** Causes of the settings as the gateway has them by default; others are in the words of a person. */
const CAUSES: Readonly<Record<string, () => string>> = {
  Construction: () => say('Construction'),
  'Road traffic': () => say('Road traffic'),
  Railway: () => say('Railway'),
  Aircraft: () => say('Aircraft'),
  Music: () => say('Music'),
  People: () => say('People ## a cause of noise'),
  Weather: () => say('Weather'),
  Unknown: () => say('Unknown ## a cause of noise'),
};

export const causeWord = (cause: string): string => CAUSES[cause]?.() ?? cause;
