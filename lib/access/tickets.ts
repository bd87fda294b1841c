/**
 * Tickets for WebSockets: a browser cannot send a header with a handshake, and a key in an address ends up in logs and
 * histories. A ticket is good once, for half a minute, for the streams of one unit, with the rights of whoever fetched it.
 */
import { randomBytes } from 'node:crypto';
import type { Clock } from '../clock.ts';
import type { Identity } from '../http/contract.ts';
import { BoundedMap } from './bounded-map.ts';
import { hashOf } from './key-text.ts';

export const TICKET_S = 30;
const MOST_TICKETS = 20_000;

interface Ticket {
  readonly identity: Identity;
  readonly unitId: string;
  readonly until: number;
}

export class Tickets {
  readonly #clock: Clock;
  /** By hash, so that a look-up takes no longer for a text that is nearly right. */
  readonly #tickets = new BoundedMap<Ticket>(MOST_TICKETS);

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** `unitId` empty: for streams that concern no single unit. */
  issue(identity: Identity, unitId: string): string {
    const text = `slt_${randomBytes(32).toString('base64url')}`;
    this.#tickets.set(hashOf(text), { identity, unitId, until: this.#clock.elapsed() + TICKET_S * 1_000 });
    return text;
  }

  /** Whose it is. A ticket is spent by being shown, also in the wrong place. */
  redeem(text: string, unitId: string): Identity | undefined {
    const ticket = this.#tickets.take(hashOf(text));
    if (!ticket || ticket.until <= this.#clock.elapsed() || ticket.unitId !== unitId) return undefined;
    return ticket.identity.stillValid() ? ticket.identity : undefined;
  }
}
