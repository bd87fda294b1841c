/** The noise that a level rule still allows in the present window. */
import { indices } from '../../../../lib/index.ts';
import type { RuleBudget } from '../budget.ts';
import type { SecondsSpan } from '../kind.ts';
import { channelOf, isMaximum, type LevelRule, percentOf } from './level-rule.ts';
import { aboveLimit, GRACE_S, type LevelWatch } from './step.ts';

/** Only a mean over a window that ends has a budget. */
function noteOf({ quantity, align }: LevelRule): string | null {
  if (isMaximum(quantity)) return 'A maximum has no budget: one loud sound breaks the limit.';
  if (percentOf(quantity) !== undefined) return 'A percentile has no budget: it is known at the end of its window.';
  return align === 'sliding' ? 'A sliding window has no budget: it has no end.' : null;
}

const isMean = (quantity: string): boolean => !isMaximum(quantity) && percentOf(quantity) === undefined;
const rounded = (level: number | null): number | null => (level === null ? null : Math.round(level * 100) / 100);
const iso = (seconds: number): string => new Date(Math.round(seconds * 1_000)).toISOString();

const BEING_READ = 'The levels of this window are being read from the history.';

/** The answer after a start, until the earlier levels of the window are read: without them the value would be too low. */
export function budgetBeingRead(
  rule: LevelRule & { readonly id: string },
  watch: LevelWatch,
  now: number,
): RuleBudget | undefined {
  const budget = budgetOf(rule, watch, now, null);
  const unknown = { measured_s: 0, leq_so_far: null, remaining_may_average_db: null, will_exceed_at: null };
  return budget && { ...budget, ...unknown, note: BEING_READ, state: 'no_data' };
}

/** The measured time that is missing to judge the window; undefined: enough. A maximum needs no further time. */
function lackOf({ quantity, min_coverage }: LevelRule, measured: number, window: SecondsSpan) {
  const needed = min_coverage * (window.to - window.from);
  if (isMaximum(quantity) || measured >= needed) return undefined;
  const words = `Too little is measured to judge this window: ${Math.floor(measured)} s of the ${Math.ceil(needed)} s that the rule needs.`;
  return { needed, words };
}

/** Undefined while no window is open. `now`: seconds; `goingOn`: the Leq of the last five minutes. */
export function budgetOf(
  rule: LevelRule & { readonly id: string },
  watch: LevelWatch,
  now: number,
  goingOn: number | null,
): RuleBudget | undefined {
  const window = watch.windowOf(now);
  if (!window) return undefined;
  const { quantity, limit_db } = rule;
  const { value } = watch.sum;
  const common = {
    rule: rule.id,
    name: rule.name,
    quantity,
    channel: channelOf(rule),
    limit_db,
    window_from: iso(window.from),
    window_to: iso(window.to),
    elapsed_s: Math.round(now - window.from),
    measured_s: Math.round(watch.sum.seconds * 10) / 10,
    leq_so_far: rounded(value),
    note: noteOf(rule),
  };
  const lack = watch.isBroken ? undefined : lackOf(rule, watch.sum.seconds, window);
  const noVerdict: RuleBudget = { ...common, remaining_may_average_db: null, will_exceed_at: null, state: 'no_data' };
  const isOver = watch.isBroken || (!isMean(quantity) && value !== null && aboveLimit(rule).has(value));
  const isEmpty = value === null && now - window.from >= GRACE_S && !isOver;
  if (isEmpty) return noVerdict;
  const canBeEnough = lack === undefined || watch.sum.seconds + window.to - now >= lack.needed;
  if (lack && (!canBeEnough || (isOver && common.note !== null))) return { ...noVerdict, note: lack.words };
  if (common.note !== null)
    return { ...common, remaining_may_average_db: null, will_exceed_at: null, state: isOver ? 'exceeded' : 'ok' };
  const left = indices.budget({
    limit: limit_db,
    exceededFrom: indices.firstAbove(limit_db, rule.decimals),
    windowS: window.to - window.from,
    elapsedS: now - window.from,
    leq: value,
    measuredS: watch.sum.seconds,
    // Only Leq has a forecast.
    goingOn: quantity === 'leq' ? goingOn : null,
  });
  if (lack && left.exceeded) return { ...noVerdict, note: lack.words };
  const { willExceedInS } = left;
  return {
    ...common,
    remaining_may_average_db: rounded(left.remainingMayAverage),
    will_exceed_at: willExceedInS === null ? null : iso(now + willExceedInS),
    state: left.exceeded ? 'exceeded' : willExceedInS === null ? 'ok' : 'warning',
  };
}
