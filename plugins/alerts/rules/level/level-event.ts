/** The event of a level rule, found while it happened or later in the levels of the card. */
import type { EventStage, Opening, Replayed } from '../kind.ts';
import { spaced } from '../rule.ts';
import { windowAt } from './clock-windows.ts';
import { channelOf, type LevelRule, levelWords } from './level-rule.ts';
import { aboveLimit } from './level-sum.ts';

/** The window and the value of an event. */
export interface Found {
  /** Beginning of its window. Seconds. */
  readonly from: number;
  readonly at: number;
  readonly value: number;
  readonly valueAt: number;
  /** The value is the maximum of a row that reaches over an end of the window. Its true place may be outside. */
  readonly isBound?: boolean;
  /** For an event over several windows of the clock. */
  readonly windows?: Replayed['windows'];
}

/** The words and values of an event, as they are stored. */
export function levelEvent(
  rule: LevelRule,
  zone: string,
  { from, at, value, valueAt, isBound = false, windows }: Found,
): Opening {
  const windowFrom = from * 1_000;
  const firstTo = rule.align === 'clock' ? windowAt(zone, rule, windowFrom).to : at * 1_000;
  const worst = {
    worstFrom: windows?.worst ? windows.worst.from * 1_000 : windowFrom,
    worstTo: windows?.worst ? windows.worst.to * 1_000 : firstTo,
  };
  return {
    what: rule.quantity,
    channel: channelOf(rule),
    ...stageOf(rule, value, isBound),
    windowFrom,
    windowTo: windows ? windows.to * 1_000 : firstTo,
    windows: { count: windows?.count ?? 1, ...worst, ...(isBound && { isBound }) },
    openedAt: at * 1_000,
    worst: rounded(value),
    worstAt: valueAt * 1_000,
  };
}

/** The level that is reached, and its words. A rule with a warning level has two stages, each with its severity. */
export function stageOf(rule: LevelRule, value: number, isBound = false): EventStage {
  const { amber_db: amber, limit_db: limit } = rule;
  const what = `The ${levelWords(rule)} of ${windowWords(rule)}`;
  const row = `a row that reaches over the end of the window has ${rounded(value)} dB`;
  if (amber !== undefined && !aboveLimit(rule).has(value))
    return {
      severity: 'warning',
      limitValue: amber,
      detail: isBound
        ? `${what} may be at ${amber} dB, near the limit of ${limit} dB: ${row}.`
        : `${what} is at ${amber} dB or more, near the limit of ${limit} dB.`,
    };
  return {
    ...(amber !== undefined && { severity: 'critical' as const }),
    limitValue: limit,
    detail: isBound ? `${what} may be above ${limit} dB: ${row}.` : `${what} is above ${limit} dB.`,
  };
}

/** `15 min`, `the last 15 min`, `the night`, `the time from 06:00 to 22:00`. */
export function windowWords({
  window,
  align,
  schedule = [],
}: Pick<LevelRule, 'window' | 'align' | 'schedule'>): string {
  if (window === 'scheduled') {
    const [first, ...others] = [...new Set(schedule.map(({ from, to }) => `from ${from} to ${to}`))];
    return first !== undefined && others.length === 0 ? `the time ${first}` : 'each time of the schedule';
  }
  const time = spaced(window);
  return `${align === 'sliding' ? 'the last ' : time === window ? 'the ' : ''}${time}`;
}

/** Two decimals. */
export const rounded = (level: number): number => Math.round(level * 100) / 100;
