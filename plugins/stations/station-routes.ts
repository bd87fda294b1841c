/** Routes of stations and of their observations: `_stations`, `_stations/{id}` and `_stations/{id}/observations`. */
import { countOf, invalid, mapInParts, tables } from '../../lib/built-in.ts';
import {
  addNamedRoutes,
  daysIn,
  GatewayError,
  type Host,
  type Identity,
  iso,
  json,
  reaches,
  spanOf,
  stream,
  TIME,
  whole,
} from '../../lib/index.ts';
import type { WithNotes } from '../notes/index.ts';
import { excludeNew } from './auto-exclude.ts';
import { MOST_SENT_BYTES, readObservations } from './read.ts';
import type { InTurn } from './rule-routes.ts';
import {
  CSV_HEADER,
  csvCells,
  OBSERVATIONS_QUERY,
  OBSERVED_ROW,
  type ObservationsQuery,
  STATION,
  STATION_BODY,
  STATION_FIXED,
  STATION_ID,
  type StationInput,
  shownObserved,
} from './schemas.ts';
import { type StationSilence, silentAfter } from './silence.ts';
import { readSpans, stepsOf } from './span.ts';
import type { StationStore } from './store.ts';
import { asSent, type ObservedRow, StepSums } from './sum.ts';
import type { StationBody, StationRow } from './tables.ts';

const FRESH: StationBody = { title: '', zone: 'UTC', place: '', units: null, intervalS: 600, silentAfterS: null };

export function addStations(host: Host, store: StationStore, silence: StationSilence): void {
  const shown = (station: StationRow) => {
    const { id, body, changedAt } = station;
    const { intervalS, silentAfterS, ...rest } = body;
    const lastAt = store.newest(id)?.at;
    return {
      id,
      ...rest,
      interval_s: intervalS,
      silent_after_s: silentAfterS,
      changed_at: iso(changedAt),
      last_at: lastAt === undefined ? null : iso(lastAt),
      age_s: lastAt === undefined ? null : Math.max(0, Math.round((host.clock.now() - lastAt) / 1_000)),
      silent: silence.of(station),
      silent_limit_s: Math.round(silentAfter(store, station) / 1_000),
    };
  };
  addNamedRoutes<StationInput>(host, {
    path: '/_stations',
    param: STATION_ID,
    noun: 'station',
    notFound: 'STATION_NOT_FOUND',
    schema: STATION,
    body: { body: STATION_BODY },
    fixed: STATION_FIXED,
    reading: { filtersUnits: true },
    words: STATION_WORDS,
    list: (identity) =>
      store
        .list()
        .filter((station) => isSeen(station, identity))
        .map(shown),
    async put(id, given) {
      const station = await store.put(id, bodyOf(host, store.find(id)?.body ?? FRESH, given));
      silence.look();
      return shown(station);
    },
    async remove(id) {
      await store.remove(id);
      silence.look();
    },
  });
}

const STATION_WORDS = {
  list: {
    operation: 'listStations',
    summary: 'List the stations that observe weather and traffic',
    description: 'Stations of the units that the API key may see.',
  },
  show: { operation: 'showStation', summary: 'Show a station' },
  put: {
    operation: 'changeStation',
    summary: 'Create or change a station',
    description: 'An absent field does not change. The data of a GET may be sent back.',
  },
  remove: {
    operation: 'removeStation',
    summary: 'Remove a station with all its observations',
    description: 'Exclusions from its observations stay.',
  },
};

/** Errors: INVALID with the first unknown unit. */
function bodyOf({ configs }: Host, present: StationBody, given: StationInput): StationBody {
  const {
    interval_s: intervalS = present.intervalS,
    silent_after_s: silentAfterS = present.silentAfterS,
    ...rest
  } = given;
  const unknown = given.units?.findIndex((unit) => !configs.get(unit) && !present.units?.includes(unit)) ?? -1;
  if (unknown >= 0) throw invalid([{ path: `/units/${unknown}`, message: 'is no unit of this gateway' }]);
  return { ...present, ...rest, intervalS, silentAfterS };
}

const isSeen = ({ body: { units } }: StationRow, identity: Identity): boolean =>
  units === null || units.some((unit) => reaches(identity, unit));

/** Errors: STATION_NOT_FOUND, also for a station of units that the caller may not see. */
function stationSeen(store: StationStore, id = '', identity: Identity): StationRow {
  const station = store.find(id);
  if (!station || !isSeen(station, identity)) throw new GatewayError('STATION_NOT_FOUND', `There is no station ${id}.`);
  return station;
}

/** A caller that writes for a station can change what counts at all of its units. Errors: STATION_NOT_FOUND, FORBIDDEN. */
function stationWritten(store: StationStore, id: string | undefined, identity: Identity): StationRow {
  const station = stationSeen(store, id, identity);
  const { units } = station.body;
  if (identity.units !== null && (units === null || !units.every((unit) => reaches(identity, unit))))
    throw new GatewayError('FORBIDDEN', `The station ${station.id} is also for units that this API key is not for.`);
  return station;
}

/** The most rows of an answer: four months of ten minutes. */
const MOST_ROWS = 20_000;

interface ObservationParts {
  /** Older observations are not kept, ms since 1970 UTC. */
  readonly oldest: () => number;
  readonly inTurn: InTurn;
  /** Called after each delivery. */
  readonly heard: (station: StationRow) => void;
}

/** Routes of observations: `_stations/{id}/observations`. */
export function addObservations(
  host: Host & WithNotes,
  store: StationStore,
  { oldest, inTurn, heard }: ObservationParts,
): void {
  host.route({
    method: 'POST',
    path: '/_stations/{id}/observations',
    params: STATION_ID,
    access: 'operator',
    operation: 'addObservations',
    filtersUnits: true,
    summary: 'Send observations of a station',
    description:
      'CSV with a header, or JSON with one object a line: `time` (the end of the observation), `duration_s`, and values. An observation may be sent again: values of the same time are replaced. All lines are kept, or none.',
    upload: { contentType: ['text/csv', 'application/x-ndjson', 'application/json'], limit: MOST_SENT_BYTES },
    answer: {
      message: { type: 'string' },
      observations: { type: 'integer' },
      from: TIME,
      to: TIME,
      exclusions: {
        type: 'array',
        items: whole({ unit_id: { type: 'string' }, id: { type: 'string' } }),
        description: 'Ids of the exclusions that the rules of units (`auto_exclude`) have written after this delivery.',
      },
    },
    errors: ['STATION_NOT_FOUND', 'STORAGE_FULL', 'STORAGE_FAILED'],
    async handle({ params, identity, upload }) {
      const station = stationWritten(store, params.id, identity);
      const { id, body } = station;
      const found = await readObservations(upload, { now: host.clock.now(), oldest: oldest() });
      await store.keep(id, found);
      heard(station);
      const [first, last] = [found[0], found.at(-1)];
      const [from, to] = [iso(first?.at ?? 0), iso(last?.at ?? 0)];
      const lasts = first?.duration ?? body.intervalS * 1_000;
      const exclusions = await excludeNew(host, store, inTurn, { station: id, from: (first?.at ?? 0) - lasts });
      const message = `${countOf(found.length, 'observation is', 'observations are')} kept.`;
      return json({ message, observations: found.length, from, to, exclusions });
    },
  });
  host.route<unknown, ObservationsQuery>({
    method: 'GET',
    path: '/_stations/{id}/observations',
    params: STATION_ID,
    access: 'viewer',
    operation: 'listObservations',
    filtersUnits: true,
    summary: 'Show observations of a station',
    description:
      'Means of speeds, temperatures and the like, the direction of the mean wind, the strongest gust, sums of rain and counts. A quantity without observations is null, with coverage 0.',
    query: OBSERVATIONS_QUERY,
    answer: { zone: { type: 'string' }, data: { type: 'array', items: OBSERVED_ROW } },
    contentTypes: ['text/csv'],
    cost: ({ query }) => daysIn(query),
    errors: ['STATION_NOT_FOUND'],
    async handle({ params, identity, query }) {
      const station = stationSeen(store, params.id, identity);
      const rows = await rowsOf(store, station, query);
      if (query.format === 'json') return { zone: zoneOf(station, query), data: await mapInParts(rows, shownObserved) };
      return csv(rows, query.format, station.id);
    },
  });
}

const zoneOf = ({ body }: StationRow, { zone = body.zone }: ObservationsQuery): string => zone;

/** Errors: INVALID, where there would be too many rows. */
async function rowsOf(store: StationStore, station: StationRow, query: ObservationsQuery): Promise<ObservedRow[]> {
  const span = spanOf(query);
  const tooMany = () =>
    invalid([{ path: '/from', message: `is too early: at most ${MOST_ROWS} rows, or take a longer step` }]);
  if (query.step === 'raw') {
    const found: ObservedRow[] = [];
    for await (const spans of readSpans(store, station, { after: span.from, upTo: span.to })) {
      found.push(...spans.map(asSent));
      if (found.length > MOST_ROWS) throw tooMany();
    }
    return found;
  }
  if (tables.rowCount(span, query.step) > MOST_ROWS) throw tooMany();
  const steps = stepsOf(span, query.step, zoneOf(station, query));
  const [after, upTo] = [steps[0]?.from ?? span.from, steps.at(-1)?.to ?? span.to];
  const sums = new StepSums(steps);
  for await (const spans of readSpans(store, station, { after, upTo }, true)) for (const one of spans) sums.add(one);
  return mapInParts(sums.rows(), (row) => row);
}

function csv(rows: readonly ObservedRow[], format: tables.CsvFormat, id: string): object {
  async function* lines() {
    yield tables.csvHead(CSV_HEADER, format);
    for (const row of rows) yield tables.csvLine(csvCells(row), format);
  }
  return stream({ contentType: 'text/csv; charset=utf-8', stream: lines(), name: `${id}.csv` });
}
