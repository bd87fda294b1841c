/** The event of a level rule, found while it happened or later in the levels of the card. */
import type { Sentence } from '../../../../lib/index.ts';
import type { EventStage, Opening, Replayed } from '../kind.ts';
import { spaced } from '../rule.ts';
import { eventWords, sentence } from '../sentences.ts';
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
  const about = { level: levelWords(rule), window: windowWords(rule), limit, value: rounded(value) };
  if (amber !== undefined && !aboveLimit(rule).has(value))
    return {
      severity: 'warning',
      limitValue: amber,
      ...eventWords(sentence(isBound ? 'level_may_be_near_limit' : 'level_near_limit', { ...about, warning: amber })),
    };
  return {
    ...(amber !== undefined && { severity: 'critical' as const }),
    limitValue: limit,
    ...eventWords(sentence(isBound ? 'level_may_be_above' : 'level_above', about)),
  };
}

/** `15 min`, `the last 15 min`, `the night`, `the time from 06:00 to 22:00`. */
export function windowWords({
  window,
  align,
  schedule = [],
}: Pick<LevelRule, 'window' | 'align' | 'schedule'>): Sentence {
  if (window === 'scheduled') {
    const [first, ...others] = new Map(schedule.map((one) => [`${one.from} ${one.to}`, one])).values();
    return first && others.length === 0 ? sentence('times', { from: first.from, to: first.to }) : sentence('scheduled');
  }
  if (window === 'day' || window === 'evening' || window === 'night') return sentence(window);
  return sentence(align === 'sliding' ? 'last_time' : 'time', { time: spaced(window) });
}

/** Two decimals. */
export const rounded = (level: number): number => Math.round(level * 100) / 100;
