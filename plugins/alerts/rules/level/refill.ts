/** Reads the levels of a window from before the watch began from the history: after a restart, and for a new rule. */
import { type HistoryQuery, messageOf } from '../../../../lib/index.ts';
import type { HistoryParts, RuleWatch, SecondsSpan, WatchParts } from '../kind.ts';
import { type Piece, pieceOf } from '../pieces.ts';
import { windowAt } from './clock-watch.ts';
import { channelOf, type LevelRule, leavesOut, percentOf, windowSeconds } from './level-rule.ts';

/** Up to this length a window is filled by the second, a longer window by the minute. Seconds. */
const FINE_S = 300;

interface Refill {
  readonly unitId: string;
  readonly rule: Pick<LevelRule, 'quantity' | 'channel' | 'align' | 'window' | 'schedule' | 'exclusions'>;
  readonly from: number;
  readonly to: number;
  /** Seconds of a piece; default by the window of the rule. */
  readonly step?: number | undefined;
}

export async function* piecesBetween(
  parts: HistoryParts,
  { unitId, rule, from, to, step }: Refill,
): AsyncGenerator<Piece> {
  const counts = percentOf(rule.quantity) !== undefined;
  const seconds = step ?? stepOf(rule);
  const begin = Math.floor(from / seconds) * seconds;
  const end = Math.floor(to / seconds) * seconds;
  if (end <= begin) return;
  const over = { from: begin, to: end, step: seconds };
  const query = { unitId, channel: channelOf(rule), over, counts, ...leftOut(parts, { unitId, rule, ...over }) };
  const answer = await parts.history.query(query, parts.signal);
  for await (const page of answer.rows) {
    for (const row of page) {
      const piece = pieceOf(row);
      if (piece) yield piece;
    }
  }
  // The rest of the last minute.
  if (end < to) yield* piecesBetween(parts, { unitId, rule, from: end, to, step: 1 });
}

/** The time within a span of seconds that a query of the history leaves out for a rule. */
export function leftOut(
  { notes }: Pick<HistoryParts, 'notes'>,
  {
    unitId,
    rule,
    from,
    to,
  }: SecondsSpan & { readonly unitId: string; readonly rule: Pick<LevelRule, 'channel' | 'exclusions'> },
): Pick<HistoryQuery, 'excluded'> {
  if (!leavesOut(rule)) return {};
  return { excluded: notes.excluded(unitId, { from: from * 1_000, to: to * 1_000 }, channelOf(rule)).ranges };
}

/** A sliding window moves by seconds, so that a restart changes no value. */
function stepOf({ align, window }: Refill['rule']): number {
  return align === 'sliding' || windowSeconds(window) <= FINE_S ? 1 : 60;
}

/**
 * The time from which a watch that begins at `now` needs the levels. With windows of the clock, the watch judges the
 * window before, too: it may have ended while the gateway was down. The window in which a rule was created counts as a
 * whole, earlier windows do not.
 */
export function refillFrom(rule: Refill['rule'] & { readonly changedAt: number }, zone: string, now: number): number {
  if (rule.align === 'sliding') return Math.floor((now - windowSeconds(rule.window)) / 60) * 60;
  const present = windowAt(zone, rule, now * 1_000);
  const before = windowAt(zone, rule, present.from - 1);
  const made = windowAt(zone, rule, rule.changedAt);
  return Math.floor(Math.max(before.from, made.from) / 60_000) * 60;
}

/** A watch that begins with the levels of the history. New levels wait until these are read. */
export abstract class RefilledWatch implements RuleWatch {
  protected readonly parts: WatchParts;
  /** Undefined: the history has been read. */
  #held: Piece[] | undefined = [];
  #isStopped = false;

  constructor(parts: WatchParts) {
    this.parts = parts;
  }

  protected abstract fill(piece: Piece): void;
  protected abstract take(piece: Piece): void;
  protected abstract pass(now: number): void;
  protected filled(): void {}

  protected get isFilled(): boolean {
    return this.#held === undefined;
  }

  level(piece: Piece): void {
    if (this.#held) this.#held.push(piece);
    else this.take(piece);
  }

  tick(now: number): void {
    if (this.isFilled) this.pass(now);
  }

  /** Levels that wait do not count. */
  protected dropHeld(): void {
    if (this.#held) this.#held = [];
  }

  stop(): void {
    this.#isStopped = true;
  }

  /** If the history cannot be read, the rule goes on with new levels only. */
  protected async refill(id: string, rule: Refill['rule'], from: number): Promise<void> {
    const { clock, log, signal, unitId } = this.parts;
    const to = Math.floor(clock.now() / 1_000);
    try {
      for await (const piece of piecesBetween(this.parts, { unitId, rule, from, to })) {
        if (this.#isStopped) return;
        this.fill(piece);
      }
    } catch (error) {
      const about = { unit_id: unitId, rule: id, reason: messageOf(error) };
      if (!signal.aborted) log.warn(about, 'a window begins without its earlier levels');
    }
    const held = this.#held ?? [];
    this.#held = undefined;
    if (this.#isStopped) return;
    this.filled();
    for (const piece of held) if (piece.at >= to) this.take(piece);
  }
}
