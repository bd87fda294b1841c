/**
 * The messages that wait for one client of many meters. Events that must not be lost wait in order. Only the newest
 * reading and frame of each unit wait; an older message that is replaced counts as missed.
 *
 *   room     -> sent at once
 *   no room  -> kept, and tried again: first events that must not be lost, then readings, then frames
 *               (a reading goes before an event of its unit that came after it)
 *   no room for too long -> tooSlow, once
 */
import type { Clock } from '../../lib/index.ts';

/** How to send, and when a client counts as too slow. */
export interface OutboxParts {
  readonly clock: Clock;
  /** `missed`: messages that this client did not get since its last message. */
  readonly send: (message: object, missed: number) => void;
  /** Bytes that the network has not taken yet. */
  readonly buffered: () => number;
  /** Called once; nothing is sent afterwards. */
  readonly tooSlow: () => void;
  readonly fullBytes: number;
  readonly slowMs: number;
}

/** How often a full client is checked, ms. */
const LOOK_MS = 50;
/** A client with this many unread events is too slow, even within the time limit. */
const MOST_KEPT = 10_000;

/** The messages for one client. */
export class Outbox {
  readonly #parts: OutboxParts;
  readonly #kept: object[] = [];
  readonly #readings = new Map<string, object>();
  readonly #frames = new Map<string, object>();
  #missed = 0;
  #fullSince: number | undefined;
  #cancelLook = () => {};
  #closed = false;

  constructor(parts: OutboxParts) {
    this.#parts = parts;
  }

  /** The message reaches the client, or the client is closed. A waiting reading of the unit goes first: it is older. */
  keep(message: object, unitId?: string): void {
    if (this.#closed) return;
    const older = this.#readings.get(unitId ?? '');
    if (older) this.#kept.push(older);
    this.#readings.delete(unitId ?? '');
    this.#kept.push(message);
    this.#flush();
    if (this.#kept.length > MOST_KEPT) this.#giveUp();
  }

  /** While there is no room, a newer message of the unit replaces this one. */
  offer(kind: 'reading' | 'frame', unitId: string, message: object): void {
    if (this.#closed) return;
    const waiting = kind === 'reading' ? this.#readings : this.#frames;
    if (waiting.has(unitId)) this.#missed += 1;
    waiting.set(unitId, message);
    this.#flush();
  }

  /** The present status of all units follows, so waiting readings and frames are dropped. */
  skip(): void {
    this.#missed += this.#readings.size + this.#frames.size;
    this.#readings.clear();
    this.#frames.clear();
  }

  /** The client has disconnected. May be called twice. */
  close(): void {
    this.#closed = true;
    this.#cancelLook();
    this.#kept.length = 0;
    this.#readings.clear();
    this.#frames.clear();
  }

  #flush(): void {
    this.#cancelLook();
    while (this.#parts.buffered() <= this.#parts.fullBytes) {
      this.#fullSince = undefined;
      const message = this.#kept.shift() ?? taken(this.#readings) ?? taken(this.#frames);
      if (!message) return;
      const missed = this.#missed;
      this.#missed = 0;
      this.#parts.send(message, missed);
    }
    this.#fullSince ??= this.#parts.clock.elapsed();
    if (this.#parts.clock.elapsed() - this.#fullSince >= this.#parts.slowMs) this.#giveUp();
    else this.#cancelLook = this.#parts.clock.after(LOOK_MS, () => this.#flush());
  }

  #giveUp(): void {
    this.close();
    this.#parts.tooSlow();
  }
}

/** Takes out the message that has waited longest. */
function taken(waiting: Map<string, object>): object | undefined {
  for (const [unitId, message] of waiting) {
    waiting.delete(unitId);
    return message;
  }
  return undefined;
}
