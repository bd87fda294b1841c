/**
 * All settings of a meter in one answer, read one after the other. The line is not held in between: operators get their
 * turn during the eleven seconds and more that this takes. A setting that cannot be read is a text, not an error status.
 */
import {
  type Caller,
  type Clock,
  COMMAND_ERRORS,
  type Command,
  type ErrorCode,
  GatewayError,
  isGatewayError,
  type Meter,
  nl43,
  type Plugin,
  type Schema,
} from '../lib/index.ts';

type Read = (meter: Meter, caller: Caller) => Promise<string>;

const one =
  <T>(command: () => Command<T>, text: (value: T) => string = String): Read =>
  async (meter, caller) =>
    text(await meter.run(command(), caller));

/** Channel weightings are those of the main channel. Order and names of the API. */
const SETTINGS: Readonly<Record<string, Read>> = {
  measurement_state: one(nl43.measureState),
  frequency_weighting: one(() => nl43.frequencyWeighting('Main')),
  time_weighting: one(() => nl43.timeWeighting('Main')),
  measurement_time: (meter, caller) => meter.reserve('read measurement time', nl43.readMeasurementTime, caller),
  leq_interval: (meter, caller) => meter.reserve('read Leq interval', nl43.readLeqInterval, caller),
  lp_interval: one(nl43.lpInterval),
  index_number: one(nl43.storeName),
  battery_level: one(nl43.batteryLevel, ({ percent, word }) => String(percent ?? word)),
  clock: one(nl43.clock, (moment) => moment.replace(' ', ',')),
  sleep_mode: one(nl43.sleepMode),
  ftp_status: one(nl43.ftp),
};

/** After one of these no further setting is asked for: it would fail in the same way, after a wait each. */
const GONE: readonly ErrorCode[] = ['DEVICE_UNREACHABLE', 'DEVICE_WEDGED', 'DEVICE_BUSY', 'QUEUE_TIMEOUT'];

const VALUE: Schema = { type: 'string', description: 'The value as its own GET shows it, or `Error: <message>`.' };
const NAMES = Object.keys(SETTINGS);

const plugin: Plugin = {
  name: 'settings',
  register(host) {
    host.route({
      method: 'GET',
      path: '/{unit_id}/settings/all',
      access: 'viewer',
      summary: 'Read all settings of the meter',
      description: 'At least one second a setting: the meter needs the rest. A setting that cannot be read is a text.',
      answer: {
        settings: {
          type: 'object',
          properties: Object.fromEntries(NAMES.map((name) => [name, VALUE])),
          required: NAMES,
          additionalProperties: false,
        },
      },
      errors: COMMAND_ERRORS,
      async handle({ unitId, caller }) {
        return { settings: await readAll(host.meter(unitId), caller, host.clock) };
      },
    });
  },
};
export default plugin;

async function readAll(meter: Meter, caller: Caller, clock: Clock): Promise<Record<string, string>> {
  const settings: Record<string, string> = {};
  const { deadlineMs = Number.POSITIVE_INFINITY } = caller;
  const began = clock.elapsed();
  let before: GatewayError | undefined;
  let gone: GatewayError | undefined;
  const leftMs = () => Math.ceil(began + deadlineMs - clock.elapsed());
  for (const [name, read] of Object.entries(SETTINGS)) {
    const hurried = Number.isFinite(deadlineMs) ? { ...caller, deadlineMs: leftMs() } : caller;
    const failed = gone ?? (await attempt(name, read, meter, hurried, settings));
    const failure = failed && leftMs() <= 0 ? tooLate(deadlineMs) : failed;
    if (failure) settings[name] = `Error: ${failure.message}`;
    if (failure && ends(failure, before)) gone = failure;
    before = failure;
  }
  return settings;
}

/** The deadline is that of the request, not of each setting. */
const tooLate = (ms: number) => new GatewayError('QUEUE_TIMEOUT', `not read within the ${ms} ms of the request`);

async function attempt(name: string, read: Read, meter: Meter, caller: Caller, settings: Record<string, string>) {
  try {
    settings[name] = await read(meter, caller);
    return undefined;
  } catch (error) {
    // A caller who has gone, or a gateway that stops, has nobody left to answer.
    if (!isGatewayError(error) || error.code === 'STOPPING') throw error;
    return error;
  }
}

/** One reply may get lost on a line that is well; a second one in a row means that nobody is there. */
const ends = (failure: GatewayError, before: GatewayError | undefined): boolean =>
  GONE.includes(failure.code) || (failure.code === 'DEVICE_TIMEOUT' && before?.code === 'DEVICE_TIMEOUT');
