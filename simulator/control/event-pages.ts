/** Events of one meter as JSON, numbered from 1, with their bytes in words. Events from before the constructor count, too. */
import type { EventLog, MeterEvent } from '../contract.ts';
import { formatBytes } from '../replay/transcript.ts';

export interface NumberedEvent {
  readonly n: number;
  /** ms on the clock of the simulator. */
  readonly at_ms: number;
  readonly kind: MeterEvent['kind'];
  readonly connection?: number;
  /** Address of the client that connects. */
  readonly client?: string;
  /** Text of a command, a reply or a details; bytes in the notation of transcripts, `DOD?<CR><LF>`. */
  readonly text?: string;
  readonly bytes?: string;
}

/** Events from a number on. */
export interface EventPage {
  readonly events: readonly NumberedEvent[];
  /** Give this as `since` next time. */
  readonly next: number;
  /** Events after `since` that are no longer kept. */
  readonly lost: number;
}

/** Events after `since` that are no longer kept. */
export class EventPages {
  readonly #log: EventLog;
  readonly #unfollow: () => void;
  #count: number;

  constructor(log: EventLog) {
    this.#log = log;
    this.#count = log.events.length;
    this.#unfollow = log.follow(() => {
      this.#count += 1;
    });
  }

  /** Events with a number above `since`, oldest first, of these kinds (all kinds by default). */
  page(since: number, kinds: readonly string[], limit: number): EventPage {
    const { events } = this.#log;
    const before = this.#count - events.length;
    const found: NumberedEvent[] = [];
    let next = Math.max(since, before);
    for (const [index, event] of events.slice(Math.max(0, since - before)).entries()) {
      if (found.length >= limit) break;
      next = Math.max(since, before) + index + 1;
      if (kinds.length === 0 || kinds.includes(event.kind)) found.push(numbered(next, event));
    }
    return { events: found, next: Math.min(next, this.#count), lost: Math.max(0, before - since) };
  }

  close(): void {
    this.#unfollow();
  }
}

function numbered(n: number, event: MeterEvent): NumberedEvent {
  return {
    n,
    at_ms: event.at,
    kind: event.kind,
    ...('connection' in event && { connection: event.connection }),
    ...('client' in event && { client: event.client }),
    ...('text' in event && { text: event.text === '\x1a' ? '<SUB>' : event.text }),
    ...('bytes' in event && { bytes: formatBytes(event.bytes) }),
  };
}
