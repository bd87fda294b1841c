/** Endpoints for one meter: its state, sound, values, power and card. */
import { asInput, type Fields, fieldsOf, flagOf, isObject, numberOf, textField, WrongInput } from './input.ts';
import type { MeterControl, SoundChoice } from './meter-control.ts';
import { DAY_MS, type Route } from './route.ts';

/** Below `/meters`. */
export const meterRoutes: readonly Route[] = [
  { method: 'GET', path: '/meters/{unit}', about: 'state of one meter', handle: ({ meter }) => meter().state() },
  {
    method: 'PUT',
    path: '/meters/{unit}/sound',
    about:
      '{"scenario": name}, {"steady_db": dB(A)}, or a calibrator, {"calibrator_db": 94 or 114, "error_db": what the meter shows too much}: the sound from now on',
    handle({ body, meter }) {
      asInput(() => meter().play(soundOf(fieldsOf(body, ['scenario', 'steady_db', 'calibrator_db', 'error_db']))));
      return meter().state();
    },
  },
  {
    method: 'GET',
    path: '/meters/{unit}/values/{name}',
    about: 'what the meter shows: Battery Level, Power Source, Clock, Measure, DOD, any setting',
    handle: ({ meter, params: { name = '' } }) => asInput(() => ({ name, value: meter().meter.read(name) })),
  },
  {
    method: 'PUT',
    path: '/meters/{unit}/values',
    about: '{name: value, ...}: sets values as its keys would: Battery Level, Power Source, Measure, any setting',
    handle: ({ body, meter }) => setValues(meter(), body),
  },
  {
    method: 'POST',
    path: '/meters/{unit}/power-cycle',
    about: '{"after_ms": until it is back}: cuts the power; answers at once',
    handle({ body, meter }) {
      const afterMs = numberOf(fieldsOf(body ?? {}, ['after_ms']), 'after_ms', 0, DAY_MS) ?? 0;
      // If a port does not open again, the event log has the error.
      meter()
        .meter.powerCycle(afterMs)
        .catch(() => {});
      return meter().state();
    },
  },
  {
    method: 'PUT',
    path: '/meters/{unit}/card',
    about: '{"inserted": true or false, "free_mb": MB}: the card out or in, and its room',
    handle({ body, meter }) {
      const fields = fieldsOf(body, ['inserted', 'free_mb']);
      const [inserted, freeMb] = [flagOf(fields, 'inserted'), numberOf(fields, 'free_mb', 0, 2 ** 31)];
      meter().card({ ...(inserted !== undefined && { inserted }), ...(freeMb !== undefined && { freeMb }) });
      return meter().state();
    },
  },
  {
    method: 'POST',
    path: '/meters/{unit}/card/exchange',
    about:
      '{"total_mb": MB, "serial": "00999999", "index": 2}: another card; with serial or index it has stores of that meter',
    handle({ body, meter }) {
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
  },
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
