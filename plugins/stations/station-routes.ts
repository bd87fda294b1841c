/** Routes of stations: `_stations` and `_stations/{id}`. */
import { GatewayError, type Host, type Identity, invalid, json, reaches, settable } from '../../lib/index.ts';
import { STATION, STATION_BODY, STATION_FIXED, STATION_ID, type StationInput, shownStation } from './schemas.ts';
import { type StationSilence, silentAfter } from './silence.ts';
import type { StationStore } from './store.ts';
import type { StationBody, StationRow } from './tables.ts';

const FRESH: StationBody = { title: '', zone: 'UTC', place: '', units: null, intervalS: 600, silentAfterS: null };

export function addStations(host: Host, store: StationStore, silence: StationSilence): void {
  const shown = (station: StationRow) =>
    shownStation(station, {
      lastAt: store.newest(station.id)?.at,
      now: host.clock.now(),
      silent: silence.of(station),
      silentAfter: silentAfter(store, station),
    });
  host.route({
    method: 'GET',
    path: '/_stations',
    access: 'viewer',
    operation: 'listStations',
    filtersUnits: true,
    summary: 'List the stations that observe weather and traffic',
    description: 'Stations of the units that the API key may see.',
    answer: { data: { type: 'array', items: STATION } },
    errors: [],
    handle({ identity }) {
      const seen = store.list().filter((station) => isSeen(station, identity));
      return { data: seen.map(shown) };
    },
  });
  host.route({
    method: 'GET',
    path: '/_stations/{id}',
    params: STATION_ID,
    access: 'viewer',
    operation: 'showStation',
    filtersUnits: true,
    summary: 'Show a station',
    answer: { data: STATION },
    errors: ['STATION_NOT_FOUND'],
    handle: ({ params, identity }) => ({ data: shown(stationSeen(store, params.id, identity)) }),
  });
  addChanges(host, store, shown, () => silence.look());
}

function addChanges(
  host: Host,
  store: StationStore,
  shown: (station: StationRow) => object,
  changed: () => void,
): void {
  host.route<StationInput, unknown>({
    method: 'PUT',
    path: '/_stations/{id}',
    params: STATION_ID,
    access: 'admin',
    operation: 'changeStation',
    summary: 'Create or change a station',
    description: 'An absent field does not change. The data of a GET may be sent back.',
    body: STATION_BODY,
    answer: { message: { type: 'string' }, data: STATION },
    statuses: [200, 201],
    errors: ['STORAGE_FULL', 'STORAGE_FAILED'],
    async handle({ params: { id = '' }, body, before }) {
      const present = store.find(id);
      before(present ? shown(present) : null);
      const station = await store.put(id, bodyOf(host, present?.body ?? FRESH, settable(body, STATION_FIXED, id)));
      changed();
      const message = `The station ${id} is ${present ? 'changed' : 'created'}.`;
      const data = shown(station);
      return json({ message, data }, present ? {} : { status: 201, location: `/_stations/${id}` });
    },
  });
  host.route({
    method: 'DELETE',
    path: '/_stations/{id}',
    params: STATION_ID,
    access: 'admin',
    operation: 'removeStation',
    summary: 'Remove a station with all its observations',
    description: 'Exclusions from its observations stay.',
    answer: { message: { type: 'string' } },
    errors: ['STATION_NOT_FOUND', 'STORAGE_FULL', 'STORAGE_FAILED'],
    async handle({ params: { id = '' }, identity, before }) {
      before(shown(stationSeen(store, id, identity)));
      await store.remove(id);
      changed();
      return { message: `The station ${id} is removed.` };
    },
  });
}

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
export function stationSeen(store: StationStore, id = '', identity: Identity): StationRow {
  const station = store.find(id);
  if (!station || !isSeen(station, identity)) throw new GatewayError('STATION_NOT_FOUND', `There is no station ${id}.`);
  return station;
}

/** A caller that writes for a station can change what counts at all of its units. Errors: STATION_NOT_FOUND, FORBIDDEN. */
export function stationWritten(store: StationStore, id: string | undefined, identity: Identity): StationRow {
  const station = stationSeen(store, id, identity);
  const { units } = station.body;
  if (identity.units !== null && (units === null || !units.every((unit) => reaches(identity, unit))))
    throw new GatewayError('FORBIDDEN', `The station ${station.id} is also for units that this API key is not for.`);
  return station;
}
