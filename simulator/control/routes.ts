/**
 * All endpoints of the control API: for one meter its state, sound, values, power, card, faults and event log; and the time of the
 * simulator. No HTTP here.
 */
import { scenarioNames } from '../acoustics/scenario.ts';
import type { When } from '../contract.ts';
import { CATALOGUE } from '../faults/catalogue.ts';
import { range } from '../faults/define.ts';
import type { MeterControl, SoundChoice } from './meter-control.ts';
import { FASTEST } from './paced-clock.ts';
import {
  asInput,
  DAY_MS,
  type Fields,
  fieldsOf,
  flagOf,
  isObject,
  type Movable,
  NotHere,
  NotPossible,
  numberOf,
  type Route,
  textField,
  WrongInput,
  wholeOf,
} from './route.ts';

const route =
  (method: Route['method']) =>
  (path: string, about: string, handle: Route['handle']): Route => ({ method, path, about, handle });
const [get, put, post, del] = [route('GET'), route('PUT'), route('POST'), route('DELETE')] as const;

export const routesOf = (clock: Movable, meters: readonly MeterControl[]): Route[] => [
  get('/meters', 'state of every meter', () => meters.map((meter) => meter.state())),
  ...meterRoutes,
  ...faultRoutes,
  ...logRoutes,
  get('/scenarios', 'names of the scenarios', () => scenarioNames()),
  ...timeRoutes(clock),
];

const meterRoutes: readonly Route[] = [
  get('/meters/{unit}', 'state of one meter', ({ meter }) => meter().state()),
  put(
    '/meters/{unit}/sound',
    '{"scenario": name}, {"steady_db": dB(A)}, or a calibrator, {"calibrator_db": 94 or 114, "error_db": what the meter shows too much}: the sound from now on',
    ({ body, meter }) => {
      asInput(() => meter().play(soundOf(fieldsOf(body, ['scenario', 'steady_db', 'calibrator_db', 'error_db']))));
      return meter().state();
    },
  ),
  get(
    '/meters/{unit}/values/{name}',
    'what the meter shows: Battery Level, Power Source, Clock, Measure, DOD, any setting',
    ({ meter, params: { name = '' } }) => asInput(() => ({ name, value: meter().meter.read(name) })),
  ),
  put(
    '/meters/{unit}/values',
    '{name: value, ...}: sets values as its keys would: Battery Level, Power Source, Measure, any setting',
    ({ body, meter }) => setValues(meter(), body),
  ),
  post(
    '/meters/{unit}/power-cycle',
    '{"after_ms": until it is back}: cuts the power; answers at once',
    ({ body, meter }) => {
      const afterMs = numberOf(fieldsOf(body ?? {}, ['after_ms']), 'after_ms', 0, DAY_MS) ?? 0;
      // If a port does not open again, the event log has the error.
      meter()
        .meter.powerCycle(afterMs)
        .catch(() => {});
      return meter().state();
    },
  ),
  put(
    '/meters/{unit}/card',
    '{"inserted": true or false, "free_mb": MB}: the card out or in, and its room',
    ({ body, meter }) => {
      const fields = fieldsOf(body, ['inserted', 'free_mb']);
      const [inserted, freeMb] = [flagOf(fields, 'inserted'), numberOf(fields, 'free_mb', 0, 2 ** 31)];
      const { card } = meter().meter;
      if (inserted === true) card.insert();
      if (inserted === false) card.eject();
      if (freeMb !== undefined) card.fill(freeMb);
      return meter().state();
    },
  ),
  post(
    '/meters/{unit}/card/exchange',
    '{"total_mb": MB, "serial": "00999999", "index": 2}: another card; with serial or index it has stores of that meter',
    ({ body, meter }) => {
      const fields = fieldsOf(body ?? {}, ['total_mb', 'serial', 'index']);
      const [totalMb, serial, index] = [
        numberOf(fields, 'total_mb', 1, 2 ** 31),
        textField(fields, 'serial'),
        numberOf(fields, 'index', 0, 9_999),
      ];
      if (serial !== undefined && !/^\d{8}$/.test(serial)) throw new WrongInput('serial takes eight digits');
      const stores = {
        ...(serial !== undefined && { serial }),
        ...(index !== undefined && { index: Math.floor(index) }),
      };
      meter().meter.card.exchange({
        ...(totalMb !== undefined && { totalMb }),
        ...(Object.keys(stores).length > 0 && { stores }),
      });
      return meter().state();
    },
  ),
];

function soundOf(fields: Fields): SoundChoice {
  const [scenario, steadyDb] = [textField(fields, 'scenario'), numberOf(fields, 'steady_db', 0, 150)];
  const [calibratorDb, errorDb] = [numberOf(fields, 'calibrator_db', 0, 150), numberOf(fields, 'error_db', -10, 10)];
  if (calibratorDb !== undefined && scenario === undefined && steadyDb === undefined) {
    if (calibratorDb !== 94 && calibratorDb !== 114) throw new WrongInput('a calibrator has 94 or 114 dB');
    return { calibratorDb, ...(errorDb !== undefined && { errorDb }) };
  }
  if (calibratorDb !== undefined || errorDb !== undefined)
    throw new WrongInput('a calibrator_db, perhaps with its error_db, stands alone');
  if (scenario !== undefined && steadyDb === undefined) return { scenario };
  if (steadyDb !== undefined && scenario === undefined) return { steadyDb };
  throw new WrongInput('a sound is either a scenario or a steady_db');
}

/** All names and values are checked before the first is set. Only the state of the meter can refuse a later one. */
function setValues({ meter }: MeterControl, body: unknown) {
  if (!isObject(body) || Object.keys(body).length === 0) throw new WrongInput('the body is {"name": "value", ...}');
  const values = Object.keys(body).map((name) => [name, textField(body, name) ?? ''] as const);
  for (const [name, value] of values) asInput(() => meter.check(name, value));
  const done: string[] = [];
  for (const [name, value] of values) {
    try {
      asInput(() => meter.set(name, value));
      done.push(name);
    } catch (error) {
      if (error instanceof WrongInput && done.length > 0) error.message += `; set before it: ${done.join(', ')}`;
      throw error;
    }
  }
  return { ok: true };
}

const faultRoutes: readonly Route[] = [
  get('/faults', 'the catalogue: every kind of fault with its settings', () => catalogue()),
  get('/meters/{unit}/faults', 'faults that are on', ({ meter }) => active(meter())),
  post(
    '/meters/{unit}/faults',
    '{"kind": name, "settings": {...}, "when": {commands, matching, from_ms, until_ms, probability, times}}: switches on',
    ({ body, meter }) => switchOn(meter(), body),
  ),
  del('/meters/{unit}/faults', 'switches all faults off', ({ meter }) => {
    meter().meter.faults.clear();
    return active(meter());
  }),
  del('/meters/{unit}/faults/{id}', 'switches one fault off', ({ meter, params: { id = '' } }) => {
    if (!meter().meter.faults.off(id)) throw new NotHere(`no fault ${JSON.stringify(id)} is on`);
    return active(meter());
  }),
];

const WHEN = {
  commands: 'commands',
  matching: 'matching',
  from_ms: 'fromMs',
  until_ms: 'untilMs',
  probability: 'probability',
  times: 'times',
} as const;

function switchOn({ meter }: MeterControl, body: unknown) {
  const fields = fieldsOf(body, ['kind', 'settings', 'when']);
  const kind = textField(fields, 'kind');
  if (kind === undefined) throw new WrongInput('kind is missing; GET /faults lists them');
  const { settings = {}, when = {} } = fields;
  if (!isObject(settings)) throw new WrongInput('settings is a JSON object');
  const said = Object.entries(fieldsOf(when, Object.keys(WHEN), 'when'));
  const schedule = Object.fromEntries(said.map(([name, value]) => [WHEN[name as keyof typeof WHEN], value]));
  return { id: asInput(() => meter.faults.on(kind, settings, schedule as When)) };
}

const active = ({ meter }: MeterControl) =>
  meter.faults.active.map(({ when, ...one }) => ({
    ...one,
    when: Object.fromEntries(
      Object.entries(WHEN).flatMap(([name, own]) => (when[own] === undefined ? [] : [[name, when[own]]])),
    ),
  }));

const catalogue = () =>
  Object.values(CATALOGUE).map(({ name, summary, works, evidence, settings }) => ({
    name,
    summary,
    works,
    settings: Object.fromEntries(
      Object.entries(settings).map(([key, one]) => [
        key,
        { default: one.default, takes: range(one), about: one.about },
      ]),
    ),
    evidence,
  }));

const KINDS = 'connect disconnect refused held in out command reply ftp state fault power'.split(' ');

const logRoutes: readonly Route[] = [
  get(
    '/meters/{unit}/events',
    `?since=n&kind=${KINDS.join(',')}&limit=1000: what happened after event n, with times and bytes`,
    ({ meter, query }) => {
      const kinds = query.get('kind')?.split(',') ?? [];
      const stranger = kinds.find((kind) => !KINDS.includes(kind));
      if (stranger !== undefined)
        throw new WrongInput(`kind takes ${KINDS.join(', ')}, not ${JSON.stringify(stranger)}`);
      return meter().events(wholeOf(query, 'since', 0, 2 ** 50), kinds, wholeOf(query, 'limit', 1_000, 10_000));
    },
  ),
  del('/meters/{unit}/events', 'forgets all events and counts', ({ meter }) => {
    meter().meter.log.clear();
    return { ok: true };
  }),
  get(
    '/meters/{unit}/counts',
    '?rest_ms=1000: connections, commands, and commands that came too soon after a reply',
    ({ meter, query }) => meter().counts(wholeOf(query, 'rest_ms', 1_000, DAY_MS)),
  ),
];

const timeRoutes = (clock: Movable): Route[] => [
  get('/time', 'time of the simulator and how fast it runs', () => timeOf(clock)),
  put('/time', `{"speed": 0 to ${FASTEST}}: how fast time runs; 0 is a standstill`, ({ body }) => {
    const speed = numberOf(fieldsOf(body, ['speed']), 'speed', 0, FASTEST);
    if (speed === undefined) throw new WrongInput('speed is missing');
    if (clock.speed === undefined) throw new NotPossible('the speed of this clock is fixed');
    clock.speed = speed;
    return timeOf(clock);
  }),
  post(
    '/time/advance',
    '{"ms": up to a day}: moves time on at once; answers when it is there. Clients live in real time meanwhile',
    async ({ body }) => {
      const ms = numberOf(fieldsOf(body, ['ms']), 'ms', 0, DAY_MS);
      if (ms === undefined) throw new WrongInput('ms is missing');
      if (!clock.advance) throw new NotPossible('this clock cannot be moved');
      await clock.advance(ms);
      return timeOf(clock);
    },
  ),
];

const timeOf = (clock: Movable) => ({
  now: new Date(clock.now()).toISOString(),
  elapsed_ms: clock.elapsed(),
  speed: clock.speed ?? null,
});
