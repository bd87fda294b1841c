/** A level rule tried on what was recorded: the same watch, with the times of the history as its clock. */
import type { DeviceConfig, History } from '../../../lib/index.ts';
import { GRACE_S, LevelWatch, type Step } from './level-watch.ts';
import { piecesBetween } from './refill.ts';
import type { LevelRule } from './rule.ts';

/** Up to this length every second is checked, seconds. */
const FINE_S = 2 * 86_400;

/** An event as it would have been. Times in seconds. */
export interface Replayed {
  readonly at: number;
  /** Undefined: it had not ended. */
  closedAt: number | undefined;
  readonly from: number;
  value: number;
  valueAt: number;
}

/** `span` in seconds. */
export async function replay(
  history: Pick<History, 'query'>,
  rule: LevelRule,
  { unitId, timezone }: Pick<DeviceConfig, 'unitId' | 'timezone'>,
  { from, to }: { readonly from: number; readonly to: number },
  signal: AbortSignal,
): Promise<Replayed[]> {
  const watch = new LevelWatch(rule, timezone);
  const events: Replayed[] = [];
  const step = to - from <= FINE_S ? 1 : 60;
  for await (const piece of piecesBetween(history, { unitId, rule, from, to, step }, signal))
    for (const one of watch.take(piece)) note(events, one);
  for (const one of watch.tick(to + GRACE_S)) note(events, one);
  return events;
}

function note(events: Replayed[], step: Step): void {
  const last = events.at(-1);
  if (step.kind === 'open') {
    const { at, from, value, valueAt } = step;
    events.push({ at, closedAt: undefined, from, value, valueAt });
  } else if (last && step.kind === 'worse') {
    last.value = step.value;
    last.valueAt = step.valueAt;
  } else if (last && step.kind === 'close') last.closedAt = step.at;
}
