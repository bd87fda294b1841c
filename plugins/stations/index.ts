/** Causes of noise beside people: wind, rain, traffic. Stations send observations; rules propose which levels do not count. */
import { forgetRemoved, type Host, type Plugin } from '../../lib/index.ts';
import notes from '../notes/index.ts';
import { addRules, type InTurn } from './rule-routes.ts';
import { StationSilence } from './silence.ts';
import { addObservations, addStations } from './station-routes.ts';
import { StationStore } from './store.ts';
import { OBSERVATION_RULES, OBSERVATIONS, STATION_MIGRATIONS, STATIONS } from './tables.ts';

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;

interface StationSettings {
  readonly keep_days: number;
}

const plugin: Plugin<StationSettings> = {
  name: 'stations',
  uses: ['notes'],
  about: 'Observations of stations: wind, rain, traffic; and levels to exclude because of them',
  settings: {
    type: 'object',
    additionalProperties: false,
    properties: {
      keep_days: {
        type: 'integer',
        title: 'Days that observations are kept',
        description: 'Older observations are removed. Their exclusions stay.',
        minimum: 1,
        maximum: 36_500,
        default: 1_095,
      },
    },
  },
  async register(given) {
    const host = { ...given, notes: given.use(notes) };
    const tables = await host.tables([STATIONS, OBSERVATIONS, OBSERVATION_RULES], STATION_MIGRATIONS);
    const store = new StationStore(tables, host.clock);
    await store.load();
    host.onStop(() => store.close());
    const oldest = () => host.clock.now() - host.settings.keep_days * DAY_MS;
    forgetOld(host, store);
    await forgetRemoved(host, tables, {
      unitTables: [OBSERVATION_RULES],
      forget: (unitId) => store.forgetRules(unitId),
    });
    const silence = new StationSilence(host, store);
    addStations(host, store, silence);
    let turn: Promise<unknown> = Promise.resolve();
    const inTurn: InTurn = (work) => {
      const done = turn.then(work);
      turn = done.catch(() => {});
      return done;
    };
    addObservations(host, store, { oldest, inTurn, heard: ({ body }) => silence.look(body.units ?? undefined) });
    addRules(host, store, inTurn);
    void silence.run();
  },
};
export default plugin;

/** Each hour. A failed removal is tried again an hour later. */
function forgetOld(host: Host<StationSettings>, store: StationStore): void {
  let cancel = () => {};
  const next = () => {
    cancel = host.clock.after(HOUR_MS, () => void forget());
  };
  const forget = async () => {
    const keptMs = host.settings.keep_days * DAY_MS;
    await store.forget(keptMs).catch((error) => host.log.warn({ err: error }, 'old observations are not removed'));
    if (!host.signal.aborted) next();
  };
  next();
  host.onStop(() => cancel());
}
