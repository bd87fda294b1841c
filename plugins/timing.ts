/** How long a measurement runs, how often values are stored, and the number that names the series on the card. */
import {
  COMMAND_ERRORS,
  GatewayError,
  type Host,
  isGatewayError,
  nl43,
  type Plugin,
  type Schema,
} from '../lib/index.ts';

const TIME = '\\d{1,7}[smh]|\\d{2,4}:\\d{2}:\\d{2}';
const FORMS = '<n>s, <n>m, <n>h or HH:MM:SS, up to 1000 h';
const LP_PRESET: Schema = { type: 'string', enum: ['Off', '10ms', '25ms', '100ms', '200ms', '1s'] };
const MESSAGE: Schema = { type: 'string' };
const INDEX: Schema = { type: 'string', pattern: '^\\d{4}$' };

const one = (name: string, schema: Schema): Schema => ({
  type: 'object',
  required: [name],
  additionalProperties: false,
  properties: { [name]: schema },
});

interface Preset {
  readonly preset: string;
}

const plugin: Plugin = {
  name: 'timing',
  register(host) {
    measurementTime(host);
    leqInterval(host);
    lpInterval(host);
    indexNumber(host);
  },
};
export default plugin;

function measurementTime(host: Host) {
  host.route({
    method: 'GET',
    path: '/{unit_id}/measurement-time',
    access: 'viewer',
    summary: 'Read the measurement time',
    description: 'Of the store mode that the meter is in.',
    answer: { measurement_time: { type: 'string' } },
    errors: COMMAND_ERRORS,
    async handle({ unitId, caller }) {
      const time = await host.meter(unitId).reserve('read measurement time', nl43.readMeasurementTime, caller);
      return { measurement_time: time };
    },
  });
  host.route<Preset, unknown>({
    method: 'PUT',
    path: '/{unit_id}/measurement-time',
    access: 'operator',
    summary: 'Set the measurement time',
    description: 'Of the store mode that the meter is in.',
    body: one('preset', { type: 'string', pattern: `^(${TIME})$`, description: FORMS }),
    answer: { message: MESSAGE, measurement_time: { type: 'string' } },
    errors: COMMAND_ERRORS,
    async handle({ unitId, body: { preset }, caller }) {
      const meter = host.meter(unitId);
      checkTime(preset);
      const time = await meter.reserve(
        'set measurement time',
        (line) => nl43.writeMeasurementTime(line, preset),
        caller,
      );
      return { message: `The measurement time is set to ${time}.`, measurement_time: time };
    },
  });
}

function leqInterval(host: Host) {
  host.route({
    method: 'GET',
    path: '/{unit_id}/leq-interval',
    access: 'viewer',
    summary: 'Read the Leq calculation interval',
    answer: { leq_interval: { type: 'string' } },
    errors: COMMAND_ERRORS,
    async handle({ unitId, caller }) {
      return { leq_interval: await host.meter(unitId).reserve('read Leq interval', nl43.readLeqInterval, caller) };
    },
  });
  host.route<Preset, unknown>({
    method: 'PUT',
    path: '/{unit_id}/leq-interval',
    access: 'operator',
    summary: 'Set the Leq calculation interval',
    body: one('preset', { type: 'string', pattern: `^(Off|${TIME})$`, description: `Off, ${FORMS}` }),
    answer: { message: MESSAGE, leq_interval: { type: 'string' } },
    errors: COMMAND_ERRORS,
    async handle({ unitId, body: { preset }, caller }) {
      const meter = host.meter(unitId);
      if (preset !== 'Off') checkTime(preset);
      const interval = await meter.reserve('set Leq interval', (line) => nl43.writeLeqInterval(line, preset), caller);
      return { message: `The Leq interval is set to ${interval}.`, leq_interval: interval };
    },
  });
}

function lpInterval(host: Host) {
  host.route({
    method: 'GET',
    path: '/{unit_id}/lp-interval',
    access: 'viewer',
    summary: 'Read the Lp store interval',
    answer: { lp_interval: LP_PRESET },
    errors: COMMAND_ERRORS,
    async handle({ unitId, caller }) {
      return { lp_interval: await host.meter(unitId).run(nl43.lpInterval(), caller) };
    },
  });
  host.route<Preset, unknown>({
    method: 'PUT',
    path: '/{unit_id}/lp-interval',
    access: 'operator',
    summary: 'Set the Lp store interval',
    body: one('preset', LP_PRESET),
    answer: { message: MESSAGE, lp_interval: LP_PRESET },
    errors: COMMAND_ERRORS,
    async handle({ unitId, body: { preset }, caller }) {
      await host.meter(unitId).run(nl43.setLpInterval(preset), caller);
      return { message: `The Lp store interval is set to ${preset}.`, lp_interval: preset };
    },
  });
}

/** The API's index number is the meter's `Store Name`, the series number; its `Index Number` names the meter itself. */
function indexNumber(host: Host) {
  host.route({
    method: 'GET',
    path: '/{unit_id}/index-number',
    access: 'viewer',
    summary: 'Read the number of the measurement series',
    description: 'The series number in folder and file names on the card: the Store Name of the meter.',
    answer: { index_number: INDEX },
    errors: COMMAND_ERRORS,
    async handle({ unitId, caller }) {
      return { index_number: await host.meter(unitId).run(nl43.storeName(), caller) };
    },
  });
  host.route<{ index: number }, unknown>({
    method: 'PUT',
    path: '/{unit_id}/index-number',
    access: 'operator',
    summary: 'Set the number of the measurement series',
    body: one('index', { type: 'integer', minimum: 0, maximum: 9_999 }),
    answer: { message: MESSAGE, index_number: INDEX },
    errors: COMMAND_ERRORS,
    async handle({ unitId, body: { index }, caller }) {
      await host.meter(unitId).run(nl43.setStoreName(index), caller);
      const number = String(index).padStart(4, '0');
      return { message: `The index number is set to ${number}.`, index_number: number };
    },
  });
}

/** Before the request takes a place in the meter's queue; the words of the presets are times too. */
function checkTime(preset: string): void {
  try {
    nl43.planTime(preset, []);
  } catch (error) {
    if (!isGatewayError(error, 'INVALID')) throw error;
    throw new GatewayError('INVALID', error.message, { errors: [{ path: '/preset', message: error.message }] });
  }
}
