/** Noise above a limit and other alarms of a meter: its open alerts and exceeded limits, in words. Pure. */
import { type AlertEvent, type Budget, quantities } from '../../client/index.ts';
import { language } from '../words/language.ts';
import { type SentenceOfApi, say, saySentence } from '../words/say.ts';
import { dayAndTime, dayAndTimeOf, decibels, personName, span } from './numbers.ts';
import type { Trouble } from './trouble.ts';

/** A person has to look at it: nobody has said so far that it was seen. */
export const needsLook = ({ severity, ack }: Pick<AlertEvent, 'severity' | 'ack'>): boolean =>
  severity !== 'info' && ack === null;

/** A field of an event or rule in the language of the page. Those from before its sentences stay English. */
export function textOf<Field extends string>(
  shown: Readonly<Record<Field, string>> & { readonly sentences: Readonly<Record<string, SentenceOfApi>> },
  field: Field,
  zone?: string | null,
): string {
  const sentence = language === 'en' ? undefined : shown.sentences[field];
  return sentence ? saySentence(sentence, (at) => dayAndTimeOf(at, zone)) : shown[field];
}

const RANK = { critical: 0, warning: 1, info: 2 };

/** Exceeded limits whose rule has no alert open: it may open one at the end of its window only. */
export function withoutAlert<B extends Budget>(budgets: readonly B[], alerts: readonly AlertEvent[]): readonly B[] {
  const told = new Set(alerts.map(({ rule }) => rule));
  return budgets.filter(({ state, rule }) => state === 'exceeded' && !told.has(rule));
}

/** The most urgent first. An exceeded limit without an alert is an alarm, too. `now`: ms UTC. */
export function alarmsOf(
  alerts: readonly AlertEvent[],
  budgets: readonly Budget[],
  zone: string | null,
  now: number,
): readonly Trouble[] {
  return [
    ...alerts
      .toSorted((one, other) => RANK[one.severity] - RANK[other.severity])
      .map((event) => alarmOf(event, zone, now))
      .toSorted((one, other) => Number(one.kind !== 'act') - Number(other.kind !== 'act')),
    ...withoutAlert(budgets, alerts).map(
      ({ name, leq_so_far, limit_db, window_from, window_to }): Trouble => ({
        kind: 'act',
        name,
        what: levelSoFar(leq_so_far, limit_db),
        todo: say('The limit of {from} to {to} is exceeded.', {
          from: dayAndTime(window_from, zone),
          to: dayAndTime(window_to, zone),
        }),
      }),
    ),
  ];
}

export const isOfLevels = ({ unit, what, window_from }: Pick<AlertEvent, 'unit' | 'what' | 'window_from'>): boolean =>
  unit === 'dB' && (window_from !== null || quantities.quantityOf(what) !== undefined);

function alarmOf(event: AlertEvent, zone: string | null, now: number): Trouble {
  const { worst, limit, opened_at, ack } = event;
  const isAbove = isOfLevels(event) && (worst === null || limit === null || worst >= limit);
  const windows = windowWords(event, zone);
  const lasted = { time: dayAndTime(opened_at, zone), length: lastedOf(event, now) };
  const since = windows
    ? say('Since {time}, for {length}, {windows}.', { ...lasted, windows })
    : say('Since {time}, for {length}.', lasted);
  return {
    kind: needsLook(event) ? 'act' : 'wait',
    name: textOf(event, 'rule_name', zone),
    what: isAbove ? worstLevel(worst, limit) : textOf(event, 'detail', zone),
    todo: ack ? `${since} ${say('Acknowledged by {who}.', { who: personName(ack.by) })} ${ack.note}` : since,
    at: 'alerts',
  };
}

export const levelSoFar = (level: number | null, limit: number): string =>
  say('{level} dB so far, {limit} dB allowed.', { level: decibels(level), limit: decibels(limit) });

/** Of an event, of windows that are over: `71.2 dB at worst, 70.0 dB allowed.` */
const worstLevel = (level: number | null, limit: number | null): string =>
  say('{level} dB at worst, {limit} dB allowed.', { level: decibels(level), limit: decibels(limit) });

/** `47 min`: from its beginning to its end, or to `now` (ms UTC) while it is open. */
export const lastedOf = ({ opened_at, closed_at }: Pick<AlertEvent, 'opened_at' | 'closed_at'>, now: number): string =>
  span(Math.max(0, (closed_at === null ? now : Date.parse(closed_at)) - Date.parse(opened_at)) / 1_000);

/** `in 3 windows, Sat 21 Nov, 10:15 to Sat 21 Nov, 11:00`: where an event went on over the end of a window; otherwise empty. */
export function windowWords(
  { windows, window_from, window_to }: Pick<AlertEvent, 'windows' | 'window_from' | 'window_to'>,
  zone: string | null | undefined,
): string {
  if (windows === null || windows < 2 || window_from === null || window_to === null) return '';
  const [from, to] = [dayAndTime(window_from, zone), dayAndTime(window_to, zone)];
  return say('in {number} windows, {from} to {to}', { number: windows, from, to });
}
