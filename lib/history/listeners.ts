/** Who hears of new levels: of every batch, or only of levels that come after their time. */
import type { Clock } from '../clock.ts';
import { MAIN_CHANNEL } from '../domain/channels.ts';
import type { Batch, Import, Imported, LateSpan } from './contract.ts';

/** Rows of a meter begin less than this time before they come. */
const LATE_S = 3_600;

/** What a history calls. */
export interface HistoryListener {
  /** Gets every batch that was appended, also one that found no room. */
  readonly onAppend?: (batch: Batch) => void;
  /** Hears of late levels: once of a batch that was appended, and once of an import, when all of its rows can be queried. */
  readonly onLate?: (late: LateSpan) => void;
}

/** Remembers the latest time that it was: a clock that is set back does not make late rows new. */
export class HistoryListeners {
  readonly #clock: Clock;
  readonly #listener: HistoryListener;
  #latest = 0;

  constructor(clock: Clock, listener: HistoryListener) {
    this.#clock = clock;
    this.#listener = listener;
  }

  appended(batch: Batch): void {
    this.#listener.onAppend?.(batch);
    const { unitId, channel = MAIN_CHANNEL, source, seconds = [], intervals = [] } = batch;
    this.#latest = Math.max(this.#latest, this.#clock.now() / 1_000);
    let [from, to] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
    for (const { at } of seconds) [from, to] = [Math.min(from, at), Math.max(to, at + 1)];
    for (const { at, duration } of intervals) [from, to] = [Math.min(from, at), Math.max(to, at + duration)];
    const isLate = source === 'card' || from < this.#latest - LATE_S;
    if (isLate && from < to) this.#listener.onLate?.({ unitId, channel, source, from, to });
  }

  imported({ unitId, channel = MAIN_CHANNEL }: Import, { from, to }: Imported): void {
    this.#listener.onLate?.({ unitId, channel, source: 'import', from, to });
  }
}
