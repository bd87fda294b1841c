/** Endpoints for the event log of one meter. */
import type { MeterEvent } from '../contract.ts';
import { WrongInput, wholeOf } from './input.ts';
import { DAY_MS, type Route } from './route.ts';

const KINDS: readonly MeterEvent['kind'][] = [
  'connect',
  'disconnect',
  'refused',
  'held',
  'in',
  'out',
  'command',
  'reply',
  'ftp',
  'state',
  'fault',
  'power',
];

/** The events of one meter, and their counts. */
export const logRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/meters/{unit}/events',
    about: `?since=n&kind=${KINDS.join(',')}&limit=1000: what happened after event n, with times and bytes`,
    handle({ meter, query }) {
      const kinds = query.get('kind')?.split(',') ?? [];
      const stranger = kinds.find((kind) => !KINDS.some((one) => one === kind));
      if (stranger !== undefined)
        throw new WrongInput(`kind takes ${KINDS.join(', ')}, not ${JSON.stringify(stranger)}`);
      return meter().events(wholeOf(query, 'since', 0, 2 ** 50), kinds, wholeOf(query, 'limit', 1_000, 10_000));
    },
  },
  {
    method: 'DELETE',
    path: '/meters/{unit}/events',
    about: 'forgets all events and counts',
    handle({ meter }) {
      meter().meter.log.clear();
      return { ok: true };
    },
  },
  {
    method: 'GET',
    path: '/meters/{unit}/counts',
    about: '?rest_ms=1000: connections, commands, and commands that came too soon after a reply',
    handle: ({ meter, query }) => meter().counts(wholeOf(query, 'rest_ms', 1_000, DAY_MS)),
  },
];
