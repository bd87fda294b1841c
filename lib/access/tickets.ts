/**
 * Tickets for WebSockets: a browser cannot send a header with a handshake. A key in an address would be stored in logs
 * and browser histories. A ticket works once, within half a minute, for the streams of one unit, with the rights of its
 * caller.
 */
import { randomBytes } from 'node:crypto';
import type { Clock } from '../clock.ts';
import type { Identity } from '../http/contract.ts';
import { BoundedMap } from './bounded-map.ts';
import { hashOf } from './key-text.ts';

/** How long a ticket can be used, seconds. */
export const TICKET_S = 30;
/** Most unused tickets; above it the oldest is forgotten. */
export const MOST_TICKETS = 20_000;

interface Ticket {
  readonly identity: Identity;
  readonly unitId: string;
  readonly until: number;
}

/** Issued and unused tickets. */
export class Tickets {
  readonly #clock: Clock;
  /** By hash, so that the time of a look-up does not show whether a text is nearly right. */
  readonly #tickets = new BoundedMap<Ticket>(MOST_TICKETS);

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** `unitId` empty: for streams that are not about a single unit. */
  issue(identity: Identity, unitId: string): string {
    const text = `slt_${randomBytes(32).toString('base64url')}`;
    this.#tickets.set(hashOf(text), { identity, unitId, until: this.#clock.elapsed() + TICKET_S * 1_000 });
    return text;
  }

  /** The caller of the ticket. Any use consumes it, also a use for another unit. */
  redeem(text: string, unitId: string): Identity | undefined {
    const ticket = this.#tickets.take(hashOf(text));
    if (!ticket || ticket.until <= this.#clock.elapsed() || ticket.unitId !== unitId) return undefined;
    return ticket.identity.stillValid() ? ticket.identity : undefined;
  }
}
