/**
 * The exposure and the loudest moment of an event, stored once it is over: from the first window above the limit to its
 * end. They are read from the history, one event after the other: a thousand rules that end together delay nobody.
 */
import { MAIN_CHANNEL } from '../../../lib/built-in.ts';
import { type History, type Host, messageOf, type Tables } from '../../../lib/index.ts';
import { isOfLevels } from '../rules/kinds.ts';
import { EVENTS, type EventRow, type EventSound } from '../tables.ts';
import type { Changed, EventLog } from './event-log.ts';

interface EventSoundParts extends Pick<Host, 'clock' | 'log' | 'signal'> {
  readonly history: Pick<History, 'flush' | 'query'>;
  readonly events: Pick<EventLog, 'change'>;
  readonly tables: Pick<Tables, 'read'>;
}

/** Beyond this number the oldest events that wait get no values. */
const MOST_WAITING = 10_000;
/** At a start, events that ended within this time are looked at again, ms. */
const RECENT_MS = 2 * 86_400_000;
const MOST_AT_START = 1_000;

export class EventSounds {
  readonly #parts: EventSoundParts;
  readonly #waiting = new Map<number, EventRow>();
  #working: Promise<void> | undefined;

  constructor(parts: EventSoundParts) {
    this.#parts = parts;
  }

  /** Events that ended while the gateway was not running. */
  async start(): Promise<void> {
    const { tables, clock } = this.#parts;
    const where = { closedAt: { above: clock.now() - RECENT_MS } };
    const ended = await tables.read((rows) =>
      rows.find(EVENTS, { where, order: { id: 'desc' }, limit: MOST_AT_START }),
    );
    for (const event of ended.toReversed()) if (event.sound === null) this.changed({ change: 'closed', event });
  }

  changed({ change, event }: Changed): void {
    const isOver = (change === 'closed' || change === 'revised') && event.closedAt !== null;
    if (isOver && isOfLevels(event.kind)) this.#add(event);
  }

  async settled(): Promise<void> {
    await this.#working;
  }

  #add(event: EventRow): void {
    this.#waiting.delete(event.id);
    this.#waiting.set(event.id, event);
    const [oldest] = this.#waiting.keys();
    if (this.#waiting.size > MOST_WAITING && oldest !== undefined) this.#waiting.delete(oldest);
    this.#working ??= this.#work().finally(() => {
      this.#working = undefined;
    });
  }

  async #work(): Promise<void> {
    const { events, log, signal } = this.#parts;
    for (const [id, event] of this.#waiting) {
      this.#waiting.delete(id);
      if (signal.aborted) return;
      try {
        const sound = await this.#measure(event);
        if (sound) await events.change(id, 'measured', (present) => ({ ...present, sound }));
      } catch (error) {
        if (signal.aborted) return;
        log.warn(
          { event: id, unit_id: event.unitId, reason: messageOf(error) },
          'the exposure of an event is not known',
        );
      }
    }
  }

  async #measure(event: EventRow): Promise<EventSound | undefined> {
    const { unitId, windowFrom, openedAt, closedAt } = event;
    const { history, signal } = this.#parts;
    const [from, to] = [Math.floor((windowFrom ?? openedAt) / 1_000), Math.ceil((closedAt ?? openedAt) / 1_000)];
    if (to <= from) return undefined;
    // The history may not have written the last second yet.
    await history.flush();
    const { rows, weighting } = await history.query(
      { unitId, channel: event.channel ?? MAIN_CHANNEL, over: { ranges: [{ from, to }] } },
      signal,
    );
    for await (const [row] of rows) {
      if (!row || row.leq === null || row.measured <= 0) return undefined;
      const exposure = row.leq + 10 * Math.log10(row.measured);
      return {
        lae: weighting?.frequency === 'A' ? Math.round(exposure * 100) / 100 : null,
        measuredS: Math.round(row.measured * 10) / 10,
        loudest:
          row.lmax === null || row.lmaxAt === null
            ? null
            : { level: Math.round(row.lmax * 100) / 100, at: row.lmaxAt * 1_000 },
      };
    }
    return undefined;
  }
}
