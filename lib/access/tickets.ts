/**
 * Tickets for WebSockets: a browser cannot send a header with a handshake. A key in an address would be stored in logs
 * and browser histories. A ticket works once, within half a minute, for the streams of one unit, with the rights of its
 * caller.
 */
import { randomBytes } from 'node:crypto';
import type { Clock } from '../clock.ts';
import { reaches, UNIT_ID } from '../domain/ids.ts';
import { GatewayError } from '../errors.ts';
import type { Identity, Route } from '../http/contract.ts';
import { hashOf } from './key-text.ts';
import { BoundedMap } from './tries.ts';

const TICKET_S = 30;
/** Above it the oldest is forgotten. */
export const MOST_TICKETS = 20_000;

interface Ticket {
  readonly identity: Identity;
  readonly unitId: string;
  readonly until: number;
}

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

export function ticketRoute(tickets: Tickets): Route<{ readonly unit_id?: string }> {
  return {
    method: 'POST',
    path: '/_tickets',
    access: 'viewer',
    operation: 'createTicket',
    filtersUnits: true,
    summary: 'Get a ticket for a WebSocket',
    description:
      'For browsers, which cannot send a key with a handshake: append `?ticket=` to the address of the WebSocket. A ticket works once, within 30 s, for the unit named here, with the role of the key. Without unit_id it is for the streams of all units.',
    body: { type: 'object', properties: { unit_id: { type: 'string', pattern: UNIT_ID, description: 'a unit_id' } } },
    bodyMayBeAbsent: true,
    answer: { ticket: { type: 'string' }, expires_in_s: { type: 'integer', 'x-unit': 's' } },
    errors: [],
    handle({ body: { unit_id = '' }, identity }) {
      if (unit_id !== '' && !reaches(identity, unit_id)) {
        throw new GatewayError('FORBIDDEN', 'This API key is not valid for this unit.');
      }
      return { ticket: tickets.issue(identity, unit_id), expires_in_s: TICKET_S };
    },
  };
}
