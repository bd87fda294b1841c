/** The list of events. */
import {
  tables as forSpreadsheets,
  listQuery,
  MOMENT,
  mapInParts,
  NEXT,
  openSpanOf,
  type PageQuery,
  pageOf,
  TIME_OR_NULL,
  tables,
  unitIds,
  type Where,
} from '../../../lib/built-in.ts';
import {
  EXPORT_COST,
  type Identity,
  named,
  orNull,
  reaches,
  rest,
  type Schema,
  stream,
  type Tables,
  TIME,
  whole,
} from '../../../lib/index.ts';
import type { Alerts } from '../parts.ts';
import { SEVERITIES } from '../rules/rule.ts';
import { ID, IS_BOUND, SENTENCES, VALUE } from '../schemas.ts';
import type { ShowEvent } from '../shown.ts';
import { EVENTS, type EventRow } from '../tables.ts';

const NOTE = { by: { type: 'string' }, at: TIME, note: { type: 'string' } } as const;

export const EVENT: Schema = named('AlertEvent', {
  id: ID,
  rule: {
    type: 'string',
    pattern: '^(0|[1-9][0-9]{0,14})$',
    description: '0: an event of a gateway that was replaced.',
  },
  rule_name: { type: 'string' },
  unit_id: { type: 'string' },
  severity: { type: 'string', enum: [...SEVERITIES] },
  kind: { type: 'string', description: 'The kind of its rule, such as level or device.' },
  what: { type: 'string', description: 'The quantity or the condition.' },
  channel: {
    type: ['string', 'null'],
    description: 'Channel of the meter whose level it is about: main, sub1 ...; null: it is about no level.',
  },
  unit: { type: ['string', 'null'], description: 'Of limit, worst and revised: dB, %, s; null: they have none.' },
  limit: { ...VALUE, description: 'dB for a level rule, the threshold for a condition.' },
  window_from: TIME_OR_NULL,
  window_to: { ...TIME_OR_NULL, description: 'The end of the last window that it covers.' },
  windows: {
    type: ['integer', 'null'],
    description: 'How many windows in a row it covers, from window_from to window_to; null: its rule has no windows.',
  },
  opened_at: TIME,
  closed_at: { ...TIME_OR_NULL, description: 'null: it is open.' },
  worst: VALUE,
  worst_at: TIME_OR_NULL,
  worst_is_bound: IS_BOUND,
  duration_s: {
    type: ['integer', 'null'],
    description: 'From window_from, or opened_at where it has no window, to closed_at; null: it is open.',
  },
  lae: {
    ...VALUE,
    description:
      'dB: sound exposure of this time, as far as it was measured; null: it is open, has no levels, or they are not A-weighted.',
  },
  measured_s: { type: ['number', 'null'], description: 'Seconds of this time with levels; null as for lae.' },
  loudest: {
    ...orNull(whole({ at: TIME, level: { type: 'number', description: 'dB' } })),
    description: 'The loudest moment of this time (Lmax), to the second.',
  },
  recordings: {
    type: ['string', 'null'],
    description:
      'Path and query below the base path that list the recordings of sound of this time, of GET /_recordings; null: it has no levels.',
  },
  excluded_s: {
    type: ['integer', 'null'],
    description:
      'Seconds of this time that notes exclude, of its channel. The event stays; null: it is about no level.',
  },
  detail: { type: 'string' },
  sentences: SENTENCES,
  escalated_at: TIME_OR_NULL,
  cause: { type: ['string', 'null'], description: 'What the noise was, as a person said; null: not said.' },
  page: { type: ['string', 'null'], description: 'Its page in the dashboard; null: the setting public_url is empty.' },
  ack: orNull(
    whole({
      ...NOTE,
      later: {
        type: 'array',
        items: named('EventNote', NOTE),
        description: 'Notes of further answers, the oldest first.',
      },
    }),
  ),
  revised: orNull(whole({ value: { type: 'number' }, was: VALUE, at: TIME })),
});

interface EventsQuery extends PageQuery {
  readonly unit?: string;
  readonly rule?: string;
  readonly severity?: string;
  readonly open?: boolean;
  readonly from?: string;
  readonly to?: string;
  readonly format: 'json' | 'csv' | 'csv-de' | 'xlsx';
}

/** Fields as in the answer of the API; `loudest` and `ack` have columns of their own. */
const PLAIN = [
  ...['id', 'unit_id', 'rule_name', 'severity', 'kind', 'what', 'limit', 'unit', 'opened_at', 'closed_at'],
  ...['window_from', 'window_to', 'windows', 'duration_s', 'worst', 'worst_at', 'worst_is_bound', 'lae', 'measured_s'],
] as const;
const HEAD = [
  ...PLAIN,
  ...['loudest_at', 'loudest', 'revised', 'seen_by', 'seen_at', 'note', 'detail', 'channel', 'excluded_s', 'cause'],
] as const;
const NUMBERS = ['limit', 'windows', 'duration_s', 'worst', 'lae', 'measured_s', 'loudest', 'revised', 'excluded_s'];
const COLUMNS: readonly tables.SheetColumn[] = HEAD.map((title) => ({
  title,
  offset: `${title} offset`,
  kind: /_(at|from|to)$/.test(title) ? 'time' : NUMBERS.includes(title) ? 'number' : 'text',
}));

type Events = AsyncIterable<EventRow> | Iterable<EventRow>;

async function* eventsCsv(events: Events, shown: ShowEvent, format: tables.CsvFormat): AsyncGenerator<string> {
  yield tables.csvHead(HEAD, format);
  for await (const cells of rowsOf(events, shown)) yield tables.csvLine(cells, format);
}

const eventsWorkbook = (events: Events, shown: ShowEvent) =>
  tables.workbookStream('Events', COLUMNS, rowsOf(events, shown));

async function* rowsOf(events: Events, shown: ShowEvent): AsyncGenerator<readonly tables.Cell[]> {
  for await (const event of events) {
    const fields = shown(event);
    const { loudest } = event.sound ?? { loudest: null };
    const at = (ms: number | undefined) => (ms === undefined ? null : new Date(ms).toISOString());
    yield [
      ...PLAIN.map((name) => cellOf(fields[name])),
      ...[at(loudest?.at), loudest?.level ?? null, event.revised?.value ?? null],
      ...[event.ack?.by ?? null, at(event.ack?.at), notesOf(event), event.detail],
      ...[cellOf(fields.channel), cellOf(fields.excluded_s), event.cause],
    ];
  }
}

const notesOf = ({ ack }: EventRow): string | null =>
  ack && [ack, ...(ack.later ?? [])].flatMap(({ note }) => note || []).join('; ');

const cellOf = (value: unknown): tables.Cell =>
  typeof value === 'number' || typeof value === 'string' ? value : value === true ? 'yes' : null;

export function addEventRoutes({ host, tables, events, shown }: Alerts): void {
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
        rule: { ...ID, description: 'the id of a rule' },
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
