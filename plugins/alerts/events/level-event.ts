/** The row of a level event, found while it happened or afterwards in the levels of the card. */
import { windowAt } from '../rules/clock-windows.ts';
import type { LevelRule, Rule } from '../rules/rule.ts';
import type { EventRow } from '../tables.ts';

export type NewEvent = Omit<EventRow, 'id' | 'closedAt' | 'ack' | 'revised' | 'escalatedAt'>;

/** What an event keeps of its rule. */
export const aboutRule = (
  { id, name, severity, kind }: Pick<Rule, 'id' | 'name' | 'severity' | 'kind'>,
  unitId: string,
) => ({
  ...{ ruleId: Number(id), unitId, ruleName: name, severity, kind },
});

export interface Found {
  /** Beginning of its window. Seconds. */
  readonly from: number;
  readonly at: number;
  readonly value: number;
  readonly valueAt: number;
}

export function levelEvent(
  rule: LevelRule & Pick<Rule, 'id'>,
  zone: string,
  unitId: string,
  { from, at, value, valueAt }: Found,
): NewEvent {
  const windowFrom = from * 1_000;
  return {
    ...aboutRule(rule, unitId),
    what: rule.quantity,
    limitValue: rule.limit_db,
    windowFrom,
    windowTo: rule.align === 'clock' ? windowAt(zone, rule.window, windowFrom).to : at * 1_000,
    openedAt: at * 1_000,
    worst: rounded(value),
    worstAt: valueAt * 1_000,
    detail: `The ${rule.quantity.replace('l', 'L')} of ${windowWords(rule)} is above ${rule.limit_db} dB.`,
  };
}

/** `15 min`, `the last 15 min`, `the night`. */
function windowWords({ window, align }: LevelRule): string {
  const time = window.replace(/^(\d+)([mh])$/, (_, count, unit) => `${count} ${unit === 'm' ? 'min' : unit}`);
  return `${align === 'sliding' ? 'the last ' : time === window ? 'the ' : ''}${time}`;
}

/** Two decimals. */
export const rounded = (level: number): number => Math.round(level * 100) / 100;
