/**
 * The messages that wait for one client, in front of its connection. Messages that must not be lost wait in order. Only
 * the newest reading and frame of each unit wait; an older message that is replaced counts as missed.
 *
 *   room     -> sent at once
 *   no room  -> kept, and tried again: first messages that must not be lost, then readings, then frames
 *               (a reading goes before a message about its unit that came after it)
 *   no room for too long -> tooSlow, once
 *
 * While there is no room it checks regularly whether the client has drained: a feed that falls silent would otherwise
 * leave the last frame there for ever.
 */
import type { Clock } from '../../clock.ts';

interface MailboxParts<Message> {
  readonly clock: Clock;
  /** `missed`: messages that this client did not get since its last message. */
  readonly send: (message: Message, missed: number) => void;
  readonly buffered: () => number;
  /** Called once; nothing is sent afterwards. */
  readonly tooSlow: () => void;
  readonly fullBytes: number;
  /** Longest time without room, ms. */
  readonly slowMs: number;
}

/** How often a full client is checked, ms. */
const LOOK_MS = 50;
/** A client with this many unread messages is too slow, even within the time limit. */
const MOST_KEPT = 10_000;

export class Mailbox<Message extends object = object> {
  readonly #parts: MailboxParts<Message>;
  readonly #kept: Message[] = [];
  readonly #readings = new Map<string, Message>();
  readonly #frames = new Map<string, Message>();
  #missed = 0;
  #fullSince: number | undefined;
  #cancelLook = () => {};
  #closed = false;

  constructor(parts: MailboxParts<Message>) {
    this.#parts = parts;
  }

  /** The message reaches the client, or the client is closed. A waiting reading of the unit goes first: it is older. */
  keep(message: Message, unitId = ''): void {
    if (this.#closed) return;
    const older = this.#readings.get(unitId);
    if (older) this.#kept.push(older);
    this.#readings.delete(unitId);
    this.#kept.push(message);
    this.#flush();
    if (this.#kept.length > MOST_KEPT) this.#giveUp();
  }

  /** While there is no room, a newer message of the unit replaces this one. */
  offer(kind: 'reading' | 'frame', unitId: string, message: Message): void {
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

function taken<Message>(waiting: Map<string, Message>): Message | undefined {
  for (const [unitId, message] of waiting) {
    waiting.delete(unitId);
    return message;
  }
  return undefined;
}
