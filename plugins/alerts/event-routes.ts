/** Events: listed, acknowledged; and the budget of a unit. */

import {
  GatewayError,
  type Host,
  type Identity,
  MOMENT,
  momentOf,
  reaches,
  type Tables,
  unknownUnit,
  unlessAborted,
} from '../../lib/index.ts';
import type { EventLog } from './event-log.ts';
import { BUDGET, EVENT, type EventsQuery, NEXT, NOTE, PAGE, PARAMS } from './schemas.ts';
import { shownEvent } from './shown.ts';
import { EVENTS, type EventRow } from './tables.ts';
import type { Watches } from './watches.ts';

export interface EventRouteParts {
  readonly host: Host;
  readonly tables: Tables;
  readonly events: EventLog;
  readonly watches: Watches;
}

export function eventPages({ host, tables, events, watches }: EventRouteParts): void {
  host.route<unknown, EventsQuery>({
    method: 'GET',
    path: '/_alerts/events',
    access: 'viewer',
    filtersUnits: true,
    summary: 'List the events of all rules, the youngest first',
    description: 'Those of units that the API key of the caller reaches. `from` and `to` are about opened_at.',
    query: {
      unit: {
        type: 'string',
        pattern: '^[A-Za-z0-9][A-Za-z0-9._-]{0,63}(,[A-Za-z0-9][A-Za-z0-9._-]{0,63}){0,99}$',
        description: 'units, separated by commas',
      },
      rule: { type: 'string', pattern: '^[1-9][0-9]{0,14}$', description: 'the id of a rule' },
      open: { type: 'boolean', description: 'true: those that are open; false: those that have ended.' },
      from: MOMENT,
      to: MOMENT,
      ...PAGE,
    },
    answer: { data: { type: 'array', items: EVENT }, next: NEXT },
    errors: [],
    async handle({ query, identity }) {
      const units = unitsOf(identity, query.unit?.split(','));
      const found = units?.length === 0 ? [] : await find(tables, query, units);
      const page = found.slice(0, query.limit);
      const next = found.length > page.length ? String(page.at(-1)?.id) : null;
      const openOf = ({ ruleId, unitId }: EventRow) => events.openOf(ruleId, unitId);
      // The worst value in memory is younger than that on the disk.
      const latest = page.map((event) => (openOf(event)?.id === event.id ? (openOf(event) ?? event) : event));
      return { data: latest.map(shownEvent), next };
    },
  });

  host.route<{ readonly note: string }, unknown>({
    method: 'POST',
    path: '/_alerts/events/{id}/ack',
    params: PARAMS,
    access: 'operator',
    filtersUnits: true,
    summary: 'Acknowledge an event',
    description: 'Who did it and when is kept; the first acknowledgement stays. It stops the escalation.',
    body: NOTE,
    answer: { message: { type: 'string' }, data: EVENT },
    errors: ['ALERT_NOT_FOUND'],
    async handle({ params, body, identity, caller }) {
      const event = await events.get(Number(params.id));
      if (!event || !reaches(identity, event.unitId))
        throw new GatewayError('ALERT_NOT_FOUND', `There is no event ${params.id}.`);
      if (event.ack) return { message: `It was acknowledged before, by ${event.ack.by}.`, data: shownEvent(event) };
      const next = { ...event, ack: { by: identity.name, at: host.clock.now(), note: body.note } };
      await unlessAborted(events.change(next, 'acknowledged'), caller.signal);
      return { message: 'The event is acknowledged.', data: shownEvent(next) };
    },
  });

  host.route({
    method: 'GET',
    path: '/{unit_id}/budget',
    access: 'viewer',
    summary: 'Show how much noise each limit still allows',
    description: 'One entry for each level rule of the unit whose window is on now. The meter is not contacted.',
    answer: { data: { type: 'array', items: BUDGET } },
    errors: ['UNIT_NOT_FOUND'],
    handle({ unitId }) {
      if (!host.configs.get(unitId)) throw unknownUnit(unitId);
      return { data: watches.budgets(unitId) };
    },
  });
}

/** Undefined: all. */
function unitsOf(identity: Identity, wanted: readonly string[] | undefined): readonly string[] | undefined {
  if (identity.units === null) return wanted;
  return (wanted ?? identity.units).filter((unitId) => reaches(identity, unitId));
}

/** One more than the page has. */
function find(tables: Tables, query: EventsQuery, units: readonly string[] | undefined): Promise<EventRow[]> {
  const from = query.from === undefined ? undefined : momentOf(query.from, '/from');
  const to = query.to === undefined ? undefined : momentOf(query.to, '/to');
  const where = {
    ...(units && { unitId: units }),
    ...(query.rule !== undefined && { ruleId: Number(query.rule) }),
    ...(query.open !== undefined && { closedAt: query.open ? null : { above: 0 } }),
    ...(query.cursor !== undefined && { id: { below: Number(query.cursor) } }),
    ...((from !== undefined || to !== undefined) && {
      openedAt: { ...(from !== undefined && { atLeast: from }), ...(to !== undefined && { below: to }) },
    }),
  };
  return tables.read((rows) => rows.find(EVENTS, { where, order: { id: 'desc' }, limit: query.limit + 1 }));
}
