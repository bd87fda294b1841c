/** Counts exceeded limits on each local day of each unit, with the highest excess: for calendars and overviews. */

import type { AlertDay } from '../../../client/schemas.ts';
import { invalid, unitIds, type Where, zones } from '../../../lib/built-in.ts';
import { daysIn, named, reaches, rest, SPAN, spanOf, type Tables } from '../../../lib/index.ts';
import type { Alerts } from '../parts.ts';
import type { SecondsSpan } from '../rules/kind.ts';
import { SENTENCES, VALUE } from '../schemas.ts';
import { excludedOfEvent, timeOfEvent } from '../shown.ts';
import { EVENTS, type EventRow } from '../tables.ts';

const MOST_DAYS = 100;
const DAY_MS = 86_400_000;
const OF_LEVELS = 'level';
/** Rows that are read at once; other requests can read in between. */
const AT_ONCE = 500;

const ALERT_DAY = named('AlertDay', {
  unit_id: { type: 'string' },
  date: { type: 'string', format: 'date', description: 'By the clock of the unit.' },
  count: { type: 'integer', minimum: 1, description: 'Events of level rules that were open on this day.' },
  excluded: {
    type: 'integer',
    minimum: 0,
    description: 'Events among `count` whose whole time notes exclude: a calendar may leave them out.',
  },
  without_cause: {
    type: 'integer',
    minimum: 0,
    description: 'Events among `count` that began on this day, have no cause, and are not excluded.',
  },
  first_without_cause: { type: ['string', 'null'], description: 'The id of the first of them.' },
  worst: {
    ...VALUE,
    description:
      'dB: of the event that is furthest above its limit. Excluded events count only if the day has no others.',
  },
  limit: { ...VALUE, description: 'dB: the limit of this event.' },
  rule_name: { type: 'string', description: 'Of this event.' },
  sentences: SENTENCES,
});

interface DaysQuery {
  readonly from: string;
  readonly to: string;
  readonly unit?: string;
}

type Exceeded = Pick<AlertDay, 'worst' | 'limit' | 'rule_name' | 'sentences'>;

interface Counted extends Omit<AlertDay, 'first_without_cause'> {
  readonly first: Pick<EventRow, 'id' | 'openedAt'> | null;
}

export function addEventDays({ host, tables }: Alerts): void {
  host.route<unknown, DaysQuery>({
    method: 'GET',
    path: '/_alerts/days',
    operation: 'getAlertDays',
    access: 'viewer',
    filtersUnits: true,
    summary: 'Count the exceeded limits of each local day',
    description: `Units that the API key may see, at most ${MOST_DAYS} days. A day without an event is left out; an event counts on each day on which it was open.`,
    query: {
      ...SPAN,
      unit: { type: 'string', pattern: unitIds(100), description: 'units, separated by commas' },
    },
    answer: { data: { type: 'array', items: ALERT_DAY } },
    errors: [],
    cost: ({ query }) => daysIn(query),
    async handle({ query, identity }) {
      const span = spanOf(query);
      if (span.to - span.from > MOST_DAYS * DAY_MS)
        throw invalid([{ path: '/to', message: `is more than ${MOST_DAYS} days after from` }]);
      const wanted = query.unit?.split(',');
      const units = host.configs
        .list()
        .filter(({ unitId }) => reaches(identity, unitId) && (wanted?.includes(unitId) ?? true));
      const zoneOf = new Map(units.map(({ unitId, timezone }) => [unitId, timezone]));
      const now = host.clock.now();
      const days = new DayCounts(zoneOf, span, now);
      const isExcluded = (event: EventRow) => {
        const { from, to } = timeOfEvent(event, now);
        return excludedOfEvent(host, event) >= to - from;
      };
      for await (const events of levelEvents(tables, span))
        for (const event of events) {
          if (zoneOf.has(event.unitId)) days.add(event, isExcluded(event));
          await rest();
        }
      return { data: days.all };
    },
  });
}

/** Events of level rules that were open within the span, some at a time. The query uses an index alone; the rest is filtered here. */
async function* levelEvents(tables: Tables, { from, to }: SecondsSpan): AsyncGenerator<readonly EventRow[]> {
  const order = { closedAt: 'asc', id: 'asc' } as const;
  const pageOf = (where: Where<EventRow>) => tables.read((rows) => rows.find(EVENTS, { where, order, limit: AT_ONCE }));
  const isWanted = ({ kind, openedAt }: EventRow) => kind === OF_LEVELS && openedAt < to;
  async function* endedAt(closedAt: number | null, after = 0) {
    for (let above = after; ; ) {
      const page = await pageOf({ closedAt, id: { above } });
      yield page.filter(isWanted);
      const last = page.at(-1);
      if (!last || page.length < AT_ONCE) return;
      above = last.id;
    }
  }
  yield* endedAt(null);
  for (let above = from; ; ) {
    const page = await pageOf({ closedAt: { above } });
    yield page.filter(isWanted);
    const last = page.at(-1);
    if (!last || page.length < AT_ONCE) return;
    // Further events may have ended at the same moment as the last event of the page.
    yield* endedAt(last.closedAt, last.id);
    above = last.closedAt ?? above;
  }
}

class DayCounts {
  readonly #days = new Map<string, Counted>();
  readonly #calendars = new Map<string, ReturnType<typeof zones.calendarSpans>>();

  readonly #zoneOf: ReadonlyMap<string, string>;
  readonly #span: SecondsSpan;
  readonly #now: number;

  /** `zoneOf`: the units that count, each with its zone. */
  constructor(zoneOf: ReadonlyMap<string, string>, span: SecondsSpan, now: number) {
    this.#zoneOf = zoneOf;
    this.#span = span;
    this.#now = now;
  }

  add(event: EventRow, isExcluded: boolean): void {
    const { id, unitId, openedAt, closedAt, worst, limitValue, ruleName, cause } = event;
    const zone = this.#zoneOf.get(unitId);
    if (zone === undefined) return;
    const end = Math.max(openedAt + 1, closedAt ?? this.#now);
    for (const { name, from, to } of this.#calendar(zone)) {
      if (from >= end || to <= openedAt) continue;
      const key = `${unitId} ${name}`;
      const before = this.#days.get(key);
      const { rule_name } = event.sentences ?? {};
      const own = { worst, limit: limitValue, rule_name: ruleName, sentences: rule_name ? { rule_name } : {} };
      const excluded = (before?.excluded ?? 0) + (isExcluded ? 1 : 0);
      const isWithout = cause === null && !isExcluded && openedAt >= from;
      this.#days.set(key, {
        ...(before && !isWorse(own, isExcluded, before) ? before : own),
        unit_id: unitId,
        date: name,
        count: (before?.count ?? 0) + 1,
        excluded,
        without_cause: (before?.without_cause ?? 0) + (isWithout ? 1 : 0),
        first: isWithout ? earlier(before?.first ?? null, { id, openedAt }) : (before?.first ?? null),
      });
    }
  }

  get all(): readonly AlertDay[] {
    const keyOf = ({ unit_id, date }: AlertDay) => `${unit_id} ${date}`;
    return [...this.#days.values()]
      .map(({ first, ...day }) => ({ ...day, first_without_cause: first && String(first.id) }))
      .sort((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1));
  }

  #calendar(zone: string) {
    const known = this.#calendars.get(zone) ?? zones.calendarSpans(zone, this.#span, 'day');
    this.#calendars.set(zone, known);
    return known;
  }
}

const earlier = (one: Counted['first'], other: NonNullable<Counted['first']>) =>
  one && (one.openedAt < other.openedAt || (one.openedAt === other.openedAt && one.id < other.id)) ? one : other;

/** An event that counts is worse than all excluded events. */
function isWorse(own: Exceeded, isExcluded: boolean, before: Counted): boolean {
  const areExcluded = before.count === before.excluded;
  return isExcluded === areExcluded ? excess(own) > excess(before) : areExcluded;
}

/** How far above its limit, dB. */
const excess = ({ worst, limit }: Exceeded): number => (worst ?? 0) - (limit ?? 0);
