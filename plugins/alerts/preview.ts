/** A level rule tried on what was recorded: the same watch, with the times of the history as its clock. */
import { type DeviceConfig, type History, iso } from '../../lib/index.ts';
import { LevelWatch, type Step } from './level-watch.ts';
import { piecesBetween } from './refill.ts';
import type { LevelRule } from './rule.ts';

/** Up to here every second is looked at, ms. */
const FINE_MS = 2 * 86_400_000;

interface Previewed {
  readonly unit_id: string;
  readonly opened_at: string | null;
  closed_at: string | null;
  readonly window_from: string | null;
  worst: number;
  worst_at: string | null;
}

/** `from` and `to` in ms since 1970 UTC. */
export async function preview(
  history: History,
  rule: LevelRule,
  { unitId, timezone }: Pick<DeviceConfig, 'unitId' | 'timezone'>,
  span: { readonly from: number; readonly to: number },
  signal: AbortSignal,
): Promise<Previewed[]> {
  const watch = new LevelWatch(rule, timezone);
  const events: Previewed[] = [];
  const [from, to] = [Math.floor(span.from / 1_000), Math.floor(span.to / 1_000)];
  const step = span.to - span.from <= FINE_MS ? 1 : 60;
  for await (const piece of piecesBetween(history, { unitId, rule, from, to, step }, signal))
    for (const one of watch.take(piece)) note(events, one, unitId);
  for (const one of watch.tick(to)) note(events, one, unitId);
  return events;
}

function note(events: Previewed[], step: Step, unit_id: string): void {
  const last = events.at(-1);
  if (step.kind === 'open') {
    const times = { opened_at: moment(step.at), closed_at: null, window_from: moment(step.from) };
    events.push({ unit_id, ...times, worst: rounded(step.value), worst_at: moment(step.valueAt) });
  } else if (last && step.kind === 'worse') {
    last.worst = rounded(step.value);
    last.worst_at = moment(step.valueAt);
  } else if (last && step.kind === 'close') last.closed_at = moment(step.at);
}

const moment = (seconds: number) => iso(Math.round(seconds * 1_000));
const rounded = (level: number): number => Math.round(level * 100) / 100;
