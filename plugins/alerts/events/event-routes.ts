/** Routes to list and acknowledge events. */
import {
  EXPORT_COST,
  tables as forSpreadsheets,
  GatewayError,
  type Host,
  type Identity,
  listQuery,
  MOMENT,
  mapInParts,
  NEXT,
  openSpanOf,
  pageOf,
  reaches,
  rest,
  stream,
  type Tables,
  unitIds,
  unlessAborted,
  type Where,
} from '../../../lib/index.ts';
import { SEVERITIES } from '../rules/rule.ts';
import { ID_PARAM } from '../schemas.ts';
import type { ShowEvent } from '../shown.ts';
import { EVENTS, type EventRow } from '../tables.ts';
import type { EventLog } from './event-log.ts';
import { EVENT, EVENT_NOTE, type EventsQuery } from './event-schemas.ts';
import { eventsCsv, eventsWorkbook } from './event-table.ts';

export interface EventRouteParts {
  readonly host: Host;
  readonly tables: Tables;
  readonly events: EventLog;
  readonly shown: ShowEvent;
}

/** The routes below `/_alerts/events`. */
export function addEventRoutes(parts: EventRouteParts): void {
  addList(parts);
  addAcknowledgement(parts);
}

function addList({ host, tables, events, shown }: EventRouteParts): void {
  host.route<unknown, EventsQuery>({
    method: 'GET',
    path: '/_alerts/events',
    access: 'viewer',
    filtersUnits: true,
    summary: 'List the events of all rules, the newest first',
    description: 'Events of units that the API key may see. `from` and `to` are about opened_at.',
    query: listQuery(
      {
        unit: {
          type: 'string',
          pattern: unitIds(100),
          description: 'units, separated by commas',
        },
        rule: { type: 'string', pattern: '^[1-9][0-9]{0,14}$', description: 'the id of a rule' },
        severity: { type: 'string', enum: [...SEVERITIES] },
        open: { type: 'boolean', description: 'true: open events; false: events that have ended.' },
        from: MOMENT,
        to: MOMENT,
        format: {
          type: 'string',
          enum: ['json', 'csv', 'csv-de', 'xlsx'],
          default: 'json',
          description: 'CSV and XLSX have all matching events and no `next`. XLSX: times are dates in UTC.',
        },
      },
      { type: 'string', pattern: '^[0-9]{1,15}-[1-9][0-9]{0,14}$' },
    ),
    answer: { data: { type: 'array', items: EVENT }, next: NEXT },
    etag: true,
    contentTypes: ['text/csv', forSpreadsheets.XLSX_TYPE],
    cost: ({ query }) => (query.format === 'json' ? 0 : EXPORT_COST),
    errors: [],
    async handle({ query, identity }) {
      const units = unitsOf(identity, query.unit?.split(','));
      if (query.format !== 'json') {
        const rows = units?.length === 0 ? [] : all(tables, query, units);
        const name = `events_${new Date(host.clock.now()).toISOString().slice(0, 10)}`;
        const latest: ShowEvent = (event) => shown(events.latest(event));
        if (query.format === 'xlsx')
          return stream({
            stream: await eventsWorkbook(rows, latest),
            contentType: forSpreadsheets.XLSX_TYPE,
            name: `${name}.xlsx`,
          });
        return stream({
          stream: eventsCsv(rows, latest, query.format),
          contentType: 'text/csv; charset=utf-8',
          name: `${name}.csv`,
        });
      }
      const found = units?.length === 0 ? [] : await find(tables, query, units);
      const { page, next } = pageOf(found, query.limit, cursorOf);
      return { data: await mapInParts(page, (event) => shown(events.latest(event))), next };
    },
  });
}

function addAcknowledgement({ host, events, shown }: EventRouteParts): void {
  host.route<{ readonly note: string }, unknown>({
    method: 'POST',
    path: '/_alerts/events/{id}/ack',
    params: ID_PARAM,
    access: 'operator',
    filtersUnits: true,
    summary: 'Acknowledge an event',
    description: 'The name and the time are kept; the first acknowledgement stays. It stops the escalation.',
    body: EVENT_NOTE,
    bodyMayBeAbsent: true,
    answer: { message: { type: 'string' }, data: EVENT },
    errors: ['ALERT_NOT_FOUND'],
    async handle({ params, body, identity, caller }) {
      const ack = { by: identity.name, at: host.clock.now(), note: body.note };
      const changed = events.change(Number(params.id), 'acknowledged', (present) =>
        present.ack || !reaches(identity, present.unitId) ? present : { ...present, ack },
      );
      const event = await unlessAborted(changed, caller.signal);
      if (!event || !reaches(identity, event.unitId))
        throw new GatewayError('ALERT_NOT_FOUND', `There is no event ${params.id}.`);
      const message =
        event.ack === ack ? 'The event is acknowledged.' : `The event was acknowledged before, by ${event.ack?.by}.`;
      return { message, data: shown(event) };
    },
  });
}

/** Undefined: all units. */
function unitsOf(identity: Identity, wanted: readonly string[] | undefined): readonly string[] | undefined {
  if (identity.units === null) return wanted;
  return (wanted ?? identity.units).filter((unitId) => reaches(identity, unitId));
}

/**
 * Returns one event more than the page has. Events that came from another gateway are older than their ids say. The
 * database filters by its indexes, some events at a time; the rest is filtered here. In the worst case this reads half
 * a million events to find the first that fits.
 */
async function find(tables: Tables, query: EventsQuery, units: readonly string[] | undefined): Promise<EventRow[]> {
  const { from = Number.MIN_SAFE_INTEGER, to = Number.MAX_SAFE_INTEGER } = openSpanOf(query);
  const isWanted = wantedBy(query, units);
  const [first = Number.MAX_SAFE_INTEGER, id = 0] = query.cursor?.split('-').map(Number) ?? [];
  const indexed = query.open === true ? { closedAt: null } : units?.length === 1 ? { unitId: units[0] } : {};
  const found: EventRow[] = [];
  for (let last = { openedAt: first, id }; ; ) {
    const { openedAt } = last;
    const tied = { ...indexed, openedAt, id: { below: last.id } };
    const earlier = { ...indexed, openedAt: { atLeast: from, below: Math.min(to, openedAt) } };
    await rest();
    const page = await tables.read(async (rows) => {
      const among = (where: Where<EventRow>, limit: number) =>
        rows.find(EVENTS, { where, order: { openedAt: 'desc', id: 'desc' }, limit });
      const same = await among(tied, AT_ONCE);
      return same.length === AT_ONCE ? same : [...same, ...(await among(earlier, AT_ONCE - same.length))];
    });
    for (const event of page) {
      if (isWanted(event)) found.push(event);
      if (found.length > query.limit) return found;
    }
    const end = page.at(-1);
    if (!end || page.length < AT_ONCE) return found;
    last = end;
  }
}

function wantedBy({ rule, severity, open }: EventsQuery, units: readonly string[] | undefined) {
  const among = units && new Set(units);
  return (event: EventRow): boolean =>
    (among?.has(event.unitId) ?? true) &&
    (rule === undefined || event.ruleId === Number(rule)) &&
    (severity === undefined || event.severity === severity) &&
    (open === undefined || (event.closedAt === null) === open);
}

const cursorOf = ({ openedAt, id }: EventRow): string => `${openedAt}-${id}`;

/** Page by page, so that other requests can read in between. */
async function* all(
  tables: Tables,
  { cursor: first, ...query }: EventsQuery,
  units: readonly string[] | undefined,
): AsyncGenerator<EventRow> {
  for (let cursor = first; ; ) {
    const found = await find(tables, { ...query, limit: AT_ONCE, ...(cursor !== undefined && { cursor }) }, units);
    const { page } = pageOf(found, AT_ONCE, cursorOf);
    yield* page;
    const last = page.at(-1);
    if (!last || found.length <= AT_ONCE) return;
    cursor = cursorOf(last);
  }
}

/** Events that are read at once; other requests can read in between. */
const AT_ONCE = 250;
