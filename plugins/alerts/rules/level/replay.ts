/** Runs a level rule over recorded levels: the same watch, with the times of the history as its clock. */
import type { HistoryParts, Replayed, RuleUnit, SecondsSpan } from '../kind.ts';
import { ClockWatch } from './clock-watch.ts';
import type { LevelRule } from './level-rule.ts';
import { GRACE_S, type LevelWatch, type Step } from './level-sum.ts';
import { piecesBetween } from './refill.ts';
import { SlidingWatch } from './sliding-watch.ts';

/** The watch of a level rule, by the kind of its windows. `zone`: IANA name of the zone of the unit. */
export const levelWatch = (rule: LevelRule, zone: string): LevelWatch =>
  rule.align === 'sliding' ? new SlidingWatch(rule, zone) : new ClockWatch(rule, zone);

/** Up to this length every second is checked, seconds. */
const FINE_S = 2 * 86_400;

/** The events that the rule would have had. Stops with the signal. */
export async function replay(
  rule: LevelRule,
  { unitId, zone }: RuleUnit,
  { from, to }: SecondsSpan,
  parts: HistoryParts,
): Promise<readonly Replayed[]> {
  const watch = levelWatch(rule, zone);
  const events: Replayed[] = [];
  const step = to - from <= FINE_S ? 1 : 60;
  for await (const piece of piecesBetween(parts, { unitId, rule, from, to, step }))
    for (const one of watch.take(piece)) note(events, one);
  for (const one of watch.tick(to + GRACE_S)) note(events, one);
  return events;
}

function note(events: Replayed[], step: Step): void {
  if (step.kind === 'open') {
    const { at, from, value, valueAt, isBound = false } = step;
    events.push({ at, closedAt: undefined, from, value, valueAt, isBound });
    return;
  }
  const last = events.pop();
  if (last) events.push(changed(last, step));
}

function changed(last: Replayed, step: Exclude<Step, { kind: 'open' }>): Replayed {
  const { count = 1, worst } = last.windows ?? {};
  if (step.kind === 'close') return { ...last, closedAt: step.at };
  if (step.kind === 'further') return { ...last, windows: { count: count + 1, to: step.to, worst } };
  const { value, valueAt, isBound = false, window } = step;
  const windows = last.windows ?? (window && { count, to: window.to, worst });
  return { ...last, value, valueAt, isBound, ...(windows && { windows: { ...windows, worst: window ?? worst } }) };
}
