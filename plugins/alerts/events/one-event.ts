/** One event: what was sent about it, the causes that a person may choose, and the answer of a person. */
import { PLAIN_TEXT, suffices, TIME_OR_NULL, unlessAborted } from '../../../lib/built-in.ts';
import { GatewayError, type Identity, iso, named, orNull, reaches, type Schema, TIME } from '../../../lib/index.ts';
import type { Alerts } from '../parts.ts';
import { ID_PARAM } from '../schemas.ts';
import { DELIVERIES, EVENTS, type EventNote, type EventRow } from '../tables.ts';
import { EVENT } from './event-routes.ts';

const SENT: Schema = named('EventMessage', {
  type: { type: 'string', description: 'opened, critical, closed, revised or escalated.' },
  target: { type: ['string', 'null'], description: 'The name of the target; null: only an admin may know it.' },
  state: { type: 'string', enum: ['waiting', 'done', 'failed'] },
  created_at: TIME,
  ended_at: TIME_OR_NULL,
});

const ANSWER: Schema = {
  type: 'object',
  properties: {
    note: {
      type: 'string',
      maxLength: 500,
      pattern: PLAIN_TEXT,
      default: '',
      description: 'a note without control characters',
    },
    cause: {
      ...orNull({ type: 'string', minLength: 1, maxLength: 80, pattern: `^\\S(.*\\S)?$` }),
      description: 'what the noise was, in a few words; null: not known. Absent: it does not change.',
    },
  },
};

/** Messages about one event, and events with a cause that are read. */
const MOST_SENT = 200;
const MOST_READ = 500;
const MOST_CAUSES = 50;
/** Of further answers to one event; of more, the oldest go. */
const MOST_LATER = 20;

export function addOneEvent(alerts: Alerts): void {
  addShown(alerts);
  addAnswer(alerts);
}

function addShown(alerts: Alerts): void {
  const { host, events, shown } = alerts;
  host.route({
    method: 'GET',
    path: '/_alerts/events/{id}',
    params: ID_PARAM,
    access: 'viewer',
    filtersUnits: true,
    summary: 'Show an event, what was sent about it, and causes to choose from',
    description:
      '`causes`: those of events at this unit and at units with a tag of it, the most frequent first; then those of the setting `causes` of the plugin alerts.',
    answer: {
      data: EVENT,
      messages: { type: 'array', items: SENT, description: 'The oldest first.' },
      causes: { type: 'array', items: { type: 'string' } },
    },
    etag: true,
    errors: ['ALERT_NOT_FOUND'],
    async handle({ params, identity, caller }) {
      // As it is now, which may be newer than on the disk.
      const present = events.change(Number(params.id), 'acknowledged', (one) => one);
      const event = await unlessAborted(present, caller.signal);
      if (!event || !reaches(identity, event.unitId)) throw notFound(params.id);
      return {
        data: shown(event),
        messages: await sentAbout(alerts, event, identity),
        causes: await causesFor(alerts, event, identity),
      };
    },
  });
}

function addAnswer({ host, events, shown }: Alerts): void {
  host.route<{ readonly note: string; readonly cause?: string | null }, unknown>({
    method: 'POST',
    path: '/_alerts/events/{id}/ack',
    params: ID_PARAM,
    access: 'operator',
    filtersUnits: true,
    summary: 'Acknowledge an event, also one that has ended, and say its cause',
    description:
      'The name and the time are kept; the first acknowledgement stays. It stops the escalation. Later the cause may change, and another note is added to `later`.',
    body: ANSWER,
    bodyMayBeAbsent: true,
    answer: { message: { type: 'string' }, data: EVENT },
    errors: ['ALERT_NOT_FOUND'],
    async handle({ params, body, identity, caller }) {
      const given = { by: identity.name, at: host.clock.now(), note: body.note };
      const changed = events.change(Number(params.id), 'acknowledged', (present) => {
        const { ack, cause } = { ack: answeredAgain(present.ack, given), cause: causeOf(body, present) };
        const isSame = ack === present.ack && cause === present.cause;
        return isSame || !reaches(identity, present.unitId) ? present : { ...present, ack, cause };
      });
      const event = await unlessAborted(changed, caller.signal);
      if (!event || !reaches(identity, event.unitId)) throw notFound(params.id);
      const said = body.cause ? ` Its cause is ${body.cause}.` : '';
      const message =
        event.ack === given ? 'The event is acknowledged.' : `The event was acknowledged before, by ${event.ack?.by}.`;
      return { message: `${message}${said}`, data: shown(event) };
    },
  });
}

function answeredAgain(present: EventRow['ack'], given: EventNote): NonNullable<EventRow['ack']> {
  if (!present) return given;
  const later = present.later ?? [];
  if (given.note === '' || [present, ...later].some(({ note }) => note === given.note)) return present;
  return { ...present, later: [...later, given].slice(-MOST_LATER) };
}

const causeOf = ({ cause }: { readonly cause?: string | null }, present: EventRow) =>
  cause === undefined ? present.cause : cause;

const notFound = (id: string | undefined) => new GatewayError('ALERT_NOT_FOUND', `There is no event ${id}.`);

/** Addresses and names of targets are for admins. */
async function sentAbout({ tables, targets }: Alerts, { id }: EventRow, identity: Identity) {
  const found = await tables.read((rows) =>
    rows.find(DELIVERIES, { where: { eventId: id }, order: { id: 'asc' }, limit: MOST_SENT }),
  );
  const mayKnow = suffices(identity.role, 'admin');
  return found.map(({ type, targetId, state, createdAt, endedAt }) => ({
    type,
    target: mayKnow ? (targets.find(String(targetId))?.name ?? null) : null,
    state,
    created_at: iso(createdAt),
    ended_at: iso(endedAt),
  }));
}

async function causesFor({ host, tables }: Alerts, { unitId }: EventRow, identity: Identity) {
  const tags = host.configs.get(unitId)?.tags ?? [];
  const units = host.configs
    .list()
    .filter((unit) => unit.tags.some((tag) => tags.includes(tag)) && reaches(identity, unit.unitId))
    .map((unit) => unit.unitId);
  const where = { unitId: [...new Set([unitId, ...units])], cause: { atLeast: '' } };
  const found = await tables.read((rows) =>
    rows.find(EVENTS, { where, order: { openedAt: 'desc' }, limit: MOST_READ }),
  );
  const byCause = Map.groupBy(found, ({ cause }) => cause ?? '');
  const used = [...byCause].toSorted(([, one], [, other]) => other.length - one.length).map(([cause]) => cause);
  return [...new Set([...used, ...host.settings.causes])].slice(0, MOST_CAUSES);
}
