/** How far the clocks of the two instances are apart, and whether the other one still answers. */
import type { Clock } from '../clock.ts';
import { type GatewayMessage, LINK_VERSION } from './messages.ts';

/** What it needs of the link. */
export interface LinkTimeParts {
  readonly clock: Clock;
  readonly send: (message: GatewayMessage) => void;
  /** The clocks are known: the link may begin. */
  readonly onKnown: () => void;
  /** The other instance has answered after what was sent by `onKnown`: it has understood that. */
  readonly onTaken: () => void;
  /** The other instance has not answered in time. */
  readonly onSilent: () => void;
}

/** Before the link begins; the shortest way counts. */
const FIRST_PINGS = 5;
const PING_MS = 15_000;
const SILENT_MS = 30_000;
/** A way that is so much longer than the shortest says nothing about the clocks, ms. */
const LONGER_MS = 10;

/** Of one link, from its opening. */
export class LinkTime {
  /** What the monotonic clock of the other instance shows, plus this, is that of this one, ms. It stays as it is while the link lasts. */
  offset = 0;
  readonly #parts: LinkTimeParts;
  #pings = 0;
  #sentAt = 0;
  #shortest = Number.POSITIVE_INFINITY;
  #disarm = () => {};

  constructor(parts: LinkTimeParts) {
    this.#parts = parts;
  }

  /** Asks. Answered by `pong`, or `onSilent`. */
  ping(): void {
    const { clock, send, onSilent } = this.#parts;
    this.#pings += 1;
    this.#sentAt = clock.elapsed();
    this.#disarm();
    this.#disarm = clock.after(SILENT_MS, onSilent);
    send({ kind: 'ping', id: this.#pings });
  }

  /** `elapsed`: what the clock of the other instance showed. */
  pong(id: number, elapsed: number): void {
    if (id !== this.#pings) return;
    const { clock, onKnown, onTaken } = this.#parts;
    const now = clock.elapsed();
    const way = now - this.#sentAt;
    const middle = this.#sentAt + way / 2;
    const isFirst = this.#pings <= FIRST_PINGS;
    if (isFirst && way < this.#shortest) this.offset = middle - elapsed;
    const isShort = way <= this.#shortest + LONGER_MS;
    const isLastOfFirst = this.#pings === FIRST_PINGS;
    this.#shortest = Math.min(this.#shortest, way);
    this.#disarm();
    if (this.#pings < FIRST_PINGS) {
      this.ping();
      return;
    }
    // The wall clock of this computer may have been set meanwhile.
    if (isLastOfFirst) this.#greet(elapsed, now - elapsed - this.offset);
    else if (isShort) this.#greet(elapsed, now - middle);
    if (isLastOfFirst) {
      onKnown();
      this.ping();
      return;
    }
    this.#disarm = clock.after(PING_MS, () => this.ping());
    if (this.#pings === FIRST_PINGS + 1) onTaken();
  }

  end(): void {
    this.#disarm();
  }

  /** `sinceMs`: how long ago the other clock showed `elapsed`. */
  #greet(elapsed: number, sinceMs: number): void {
    const { clock, send } = this.#parts;
    send({ kind: 'hello', version: LINK_VERSION, at: elapsed, now: clock.now() - sinceMs });
  }
}
