/** What is too loud, or wrong by a rule, at a meter: its open alerts and exceeded limits, in words. Pure. */
import type { AlertEvent, Budget } from '../../client/index.ts';
import { dayAndTime, decibels } from './numbers.ts';
import type { Trouble } from './trouble.ts';

/** A person has to look at it: nobody has said so far that it was seen. */
export const needsLook = ({ severity, ack }: Pick<AlertEvent, 'severity' | 'ack'>): boolean =>
  severity !== 'info' && ack === null;

const RANK = { critical: 0, warning: 1, info: 2 };

/** Exceeded limits whose rule has no alert open: it may open one at the end of its window only. */
export function withoutAlert<B extends Budget>(budgets: readonly B[], alerts: readonly AlertEvent[]): readonly B[] {
  const told = new Set(alerts.map(({ rule }) => rule));
  return budgets.filter(({ state, rule }) => state === 'exceeded' && !told.has(rule));
}

/** Those that need a person first. An exceeded limit without an alert is one, too. */
export function alarmsOf(
  alerts: readonly AlertEvent[],
  budgets: readonly Budget[],
  zone: string | null,
): readonly Trouble[] {
  return [
    ...alerts
      .toSorted((one, other) => RANK[one.severity] - RANK[other.severity])
      .map((event) => alarmOf(event, zone))
      .toSorted((one, other) => Number(one.kind !== 'act') - Number(other.kind !== 'act')),
    ...withoutAlert(budgets, alerts).map(
      ({ name, leq_so_far, limit_db }): Trouble => ({
        kind: 'act',
        name,
        what: levels(leq_so_far, limit_db),
        todo: 'The limit is exceeded.',
      }),
    ),
  ];
}

function alarmOf(event: AlertEvent, zone: string | null): Trouble {
  const { rule_name: name, kind, worst, limit, opened_at, detail, ack } = event;
  const since = `Since ${dayAndTime(opened_at, zone)}.`;
  return {
    kind: needsLook(event) ? 'act' : 'wait',
    name,
    what: kind === 'level' ? levels(worst, limit) : detail,
    todo: ack ? `${since} Seen by ${ack.by}. ${ack.note}` : since,
    at: 'alerts',
  };
}

/** `71.2 dB, 70.0 dB allowed.` */
export const levels = (level: number | null, limit: number | null): string =>
  `${decibels(level)} dB, ${decibels(limit)} dB allowed.`;
