/** POST {base_url}/_tickets: changes a key for a ticket. */

import { reaches, UNIT_ID } from '../domain/ids.ts';
import { GatewayError } from '../errors.ts';
import type { Route } from '../http/contract.ts';
import { TICKET_S, type Tickets } from './tickets.ts';

/** POST /_tickets: exchanges a key for a ticket that opens one WebSocket. */
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
