/** The last days and the last minutes of all meters, for overviews and lists: one request for any number of meters. */
import { tables, WEIGHTING, zones } from '../../lib/built-in.ts';
import {
  type DeviceConfig,
  type Host,
  iso,
  named,
  orNull,
  type Request,
  reaches,
  type Schema,
  TIME,
} from '../../lib/index.ts';
import {
  type ExcludedTime,
  type ExcludingRow,
  excludedSeconds,
  queryExcluding,
  type WithNotes,
} from '../notes/index.ts';
import type { HistorySettings } from './schemas.ts';

const MOST_DAYS = 31;
const DAY_MS = 86_400_000;
const MINUTE_S = 60;
/** Meters whose rows are read at the same time. */
const AT_ONCE = 8;

const LEVEL: Schema = { type: ['number', 'null'] };
const DAYS: Schema = named('HistoryDays', {
  unit_id: { type: 'string' },
  days: {
    type: 'array',
    description: 'The oldest first; the last is today by the clock of the unit.',
    items: named('HistoryDay', {
      date: { type: 'string', format: 'date', description: 'By the clock of the unit.' },
      from: TIME,
      to: { ...TIME, description: 'For today: the end of the last full minute.' },
      leq: { ...LEVEL, description: 'dB over the measured time that counts; null: no such time.' },
      lmax: { ...LEVEL, description: 'dB, of the time that counts' },
      coverage: {
        type: 'number',
        description: 'Share of the time from `from` to `to` that was measured and counts, 0 to 1.',
      },
      readings: {
        type: 'integer',
        description: 'Single readings in time without measurement. Their levels are not in leq.',
      },
      excluded_s: {
        type: 'integer',
        description: 'Seconds from `from` to `to` that notes exclude. They do not count.',
      },
      leq_all: { ...LEVEL, description: 'dB: leq as it is with the excluded time; null: nothing is excluded.' },
    }),
  },
});

interface DaysQuery {
  readonly days: number;
}
interface Day {
  readonly date: string;
  /** Seconds since 1970 UTC, full minutes. */
  readonly from: number;
  readonly to: number;
}

export function addDays(host: Host & WithNotes): void {
  host.route<unknown, DaysQuery>({
    method: 'GET',
    path: '/_history/days',
    operation: 'getHistoryDays',
    access: 'viewer',
    filtersUnits: true,
    summary: 'Show the last days of all meters',
    description:
      'Leq, Lmax and coverage of each local day of each recorded unit that the API key may see. The last day is today so far. Time that a note excludes counts as not measured, as in GET indices; excluded_s is its length. No meter is contacted. Together with GET /_alerts/days it says which days were too loud.',
    query: { days: { type: 'integer', minimum: 1, maximum: MOST_DAYS, default: 7 } },
    answer: { data: { type: 'array', items: DAYS } },
    cost: ({ query }) => query.days * host.configs.list().length,
    errors: [],
    handle: async (request) => ({ data: await daysOf(host, request) }),
  });
}

/** Of each recorded unit that the API key may see, some at a time. */
async function ofUnits<T>(
  { configs }: Pick<Host, 'configs'>,
  { identity }: Pick<Request, 'identity'>,
  of: (config: DeviceConfig) => Promise<T>,
): Promise<T[]> {
  const own = configs.list().filter(({ unitId, history }) => history !== 'off' && reaches(identity, unitId));
  const all: T[] = [];
  for (let first = 0; first < own.length; first += AT_ONCE)
    all.push(...(await Promise.all(own.slice(first, first + AT_ONCE).map(of))));
  return all;
}

function daysOf(host: Host & WithNotes, { identity, caller, query }: Request<unknown, DaysQuery>) {
  const { history, notes } = host;
  const now = host.clock.now();
  const calendars = new Map<string, readonly Day[]>();
  return ofUnits(host, { identity }, async ({ unitId, timezone }) => {
    const days = calendars.get(timezone) ?? lastDays(timezone, now, query.days);
    calendars.set(timezone, days);
    const ranges = days.map(({ from, to }) => ({ from, to }));
    const excluded = notes.excluded(unitId, { from: now - (query.days + 1) * DAY_MS, to: now });
    const { rows } = await queryExcluding(history, { unitId, over: { ranges } }, excluded, caller.signal);
    const found: ExcludingRow[] = [];
    for await (const page of rows) found.push(...page);
    return { unit_id: unitId, days: days.map((day, index) => shownDay(day, found[index], excluded)) };
  });
}

/** By the clock of a place, the last is today. A day that began less than a minute ago is left out. */
function lastDays(zone: string, now: number, count: number): readonly Day[] {
  const span = { from: now - count * DAY_MS, to: now };
  const end = Math.floor(now / 1_000 / MINUTE_S) * MINUTE_S;
  return zones
    .calendarSpans(zone, span, 'day')
    .slice(-count)
    .map(({ name, from, to }) => ({ date: name, from: from / 1_000, to: Math.min(to / 1_000, end) }))
    .filter(({ from, to }) => to > from);
}

const shownDay = ({ date, from, to }: Day, row: ExcludingRow | undefined, excluded: ExcludedTime) => ({
  date,
  from: iso(from * 1_000),
  to: iso(to * 1_000),
  leq: tables.decibels(row?.leq),
  lmax: tables.decibels(row?.lmax),
  coverage: Math.round(Math.min(1, (row?.measured ?? 0) / (to - from)) * 1e4) / 1e4,
  readings: row?.readings ?? 0,
  excluded_s: excludedSeconds(excluded, { from, to }),
  leq_all: tables.decibels(row?.leqAll),
});

const STEP_S = 10;
const MINUTES = 10;

const LINES: Schema = named('HistoryLines', {
  from: { ...TIME, description: 'Beginning of the first level of each line.' },
  step_s: { type: 'integer', description: 'Seconds from one level to the next.' },
  units: {
    type: 'array',
    description: 'Units that are recorded.',
    items: named('HistoryLine', {
      unit_id: { type: 'string' },
      levels: {
        type: 'array',
        items: { type: ['number', 'null'] },
        description: 'dB: Leq, or the mean of single readings if nothing was measured; null: no data.',
      },
      quantity: {
        type: 'string',
        enum: ['leq', 'lp', 'mixed'],
        description: 'The kind of the levels: Leq, means of single readings, or some of both.',
      },
      weighting: { ...orNull(WEIGHTING), description: 'Of all levels of the line.' },
    }),
  },
});

/** Small lines in a list. */
export function addLines(host: Host<HistorySettings>): void {
  host.route({
    method: 'GET',
    path: '/_history/lines',
    operation: 'getHistoryLines',
    access: 'viewer',
    filtersUnits: true,
    summary: `Show the last ${MINUTES} minutes of all meters`,
    description: `Levels of ${STEP_S} s of each unit that the API key may see and that is recorded. No meter is contacted.`,
    answer: { data: LINES },
    errors: [],
    handle: async (request) => ({ data: await linesOf(host, request) }),
  });
}

async function linesOf(host: Host<HistorySettings>, { identity, caller }: Request) {
  const to = Math.floor(host.clock.now() / 1_000 / STEP_S) * STEP_S;
  const from = to - MINUTES * 60;
  const lines = await ofUnits(host, { identity }, async ({ unitId }) => {
    const answer = await host.history.query({ unitId, over: { from, to, step: STEP_S } }, caller.signal);
    return lineOf(unitId, answer);
  });
  const units = lines.filter(({ levels }) => levels.some((level) => level !== null));
  return { from: iso(from * 1_000), step_s: STEP_S, units };
}

async function lineOf(unitId: string, { rows, weighting }: Awaited<ReturnType<Host['history']['query']>>) {
  const levels: (number | null)[] = [];
  let [means, readings] = [0, 0];
  for await (const page of rows)
    for (const { leq, lp } of page) {
      const level = leq ?? lp;
      levels.push(level === null ? null : tables.shownTenths(level));
      if (leq !== null) means += 1;
      else if (lp !== null) readings += 1;
    }
  const quantity = readings === 0 ? 'leq' : means === 0 ? 'lp' : 'mixed';
  return { unit_id: unitId, levels, quantity, weighting };
}
