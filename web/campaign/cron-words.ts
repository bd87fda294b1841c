/** Entries of a schedule between the five parts of the API and what people say: a time of the day, on some days. */
import type { ScheduleAction } from '../../client/index.ts';
import { DAYS, dayWord } from '../alerts/rule-words.ts';
import { say } from '../words/say.ts';

type Day = (typeof DAYS)[number];

const WORDS: Readonly<Record<ScheduleAction, () => string>> = {
  start_cycle: () => say('start a measurement'),
  stop_cycle: () => say('stop it and fetch its files'),
  mirror: () => say('copy the card'),
  clock_sync: () => say('set the clock'),
  apply_profile: () => say('apply a profile to the meter'),
};

export const ACTIONS = Object.keys(WORDS) as readonly ScheduleAction[];
export const actionWord = (action: ScheduleAction): string => WORDS[action]();

/** `0 6 * * 1,2,3` for `06:00` on Monday, Tuesday and Wednesday. All days or none: every day. */
export function cronOf(time: string, days: readonly Day[]): string {
  const [hour, minute] = time.split(':').map(Number);
  const numbers = days.map((day) => DAYS.indexOf(day) + 1).sort();
  const isEvery = numbers.length === 0 || numbers.length === DAYS.length;
  return `${minute} ${hour} * * ${isEvery ? '*' : numbers.join(',')}`;
}

const SIMPLE = /^(\d{1,2}) (\d{1,2}) \* \* (\*|[0-7](?:[,-][0-7])*)$/;

/** The arguments of `cronOf`; undefined when the five parts say more than a time on some days. */
export function timeOfCron(cron: string): { readonly time: string; readonly days: readonly Day[] } | undefined {
  const [, minute = '', hour = '', days = ''] = SIMPLE.exec(cron) ?? [];
  if (days === '') return undefined;
  const numbers = days.split(',').flatMap((part) => {
    const [first = 0, last = first] = part.split('-').map(Number);
    return Array.from({ length: last - first + 1 }, (_, index) => first + index);
  });
  // 0 and 7 are Sunday.
  const isOn = (_: Day, index: number) => days === '*' || numbers.some((number) => (number + 6) % 7 === index);
  return { time: `${hour.padStart(2, '0')}:${minute.padStart(2, '0')}`, days: DAYS.filter(isOn) };
}

/** The five parts as they are, if they say more than a time on some days. */
export function wordsOfCron(cron: string): string {
  const { time, days } = timeOfCron(cron) ?? {};
  if (!days) return cron;
  const on = days.length === DAYS.length ? say('every day') : days.map(dayWord).join(' ');
  return `${time} ${on}`;
}
