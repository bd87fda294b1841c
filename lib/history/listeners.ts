/** Listeners for new levels: for every batch, or only for late levels. */
import type { Clock } from '../clock.ts';
import { MAIN_CHANNEL } from '../domain/ids.ts';
import type { Batch, Import, Imported, LateSpan } from './contract.ts';

/** Rows of a meter that begin more than this time ago are late. */
const LATE_S = 3_600;

/** Listeners of a history. */
export interface HistoryListener {
  /** Gets every appended batch, also a batch that was lost for lack of space. */
  readonly onAppend?: (batch: Batch) => void;
  /** Gets the span of late levels: for a batch when it is appended, for an import when all its rows can be queried. */
  readonly onLate?: (late: LateSpan) => void;
}

/** Remembers the latest time: a clock that is set back does not make late rows new. */
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
