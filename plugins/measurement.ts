/**
 * Control of a measurement: start, stop, pause, resume, reset, store, and its state. The command is always
 * sent; if the meter refuses it in its present state, the answer is 409.
 */
import {
  COMMAND_ERRORS,
  type Command,
  GatewayError,
  type Host,
  isGatewayError,
  type Meter,
  nl43,
  type Plugin,
  type Request,
  type Reservation,
  type Schema,
} from '../lib/index.ts';

type Control = (host: Host, request: Request) => Promise<{ message: string; warning?: string }>;

interface Operation {
  readonly path: string;
  readonly summary: string;
  readonly description?: string;
  readonly control: Control;
}

const MESSAGE: Schema = { type: 'string', description: 'What happened, in words.' };

const OPERATIONS: readonly Operation[] = [
  {
    path: 'start',
    summary: 'Start a measurement',
    description: 'Switches the sleep mode off first. If the meter refuses that, the start goes on with a warning.',
    control: start,
  },
  { path: 'stop', summary: 'Stop the measurement', control: stop },
  {
    path: 'pause',
    summary: 'Pause the measurement',
    control: sending(nl43.pause, 'The measurement is paused.'),
  },
  {
    path: 'resume',
    summary: 'Resume a paused measurement',
    control: sending(nl43.resume, 'The measurement is resumed.'),
  },
  {
    path: 'reset',
    summary: 'Clear the data of the measurement',
    description:
      'A meter that has no reset command is stopped and started again while measuring; while stopped it answers 409, because a new start clears the data.',
    control: reset,
  },
  {
    path: 'store',
    summary: 'Store the measured data on the card',
    control: sending(nl43.manualStore, 'The measured data is stored on the card of the meter.'),
  },
];

const plugin: Plugin = {
  name: 'measurement',
  about: 'Start, stop, pause, resume, reset and store',
  register(host) {
    for (const { path, control, ...texts } of OPERATIONS) {
      host.route({
        method: 'POST',
        path: `/{unit_id}/${path}`,
        access: 'operator',
        operation: `${path}Measurement`,
        ...texts,
        answer: path === 'start' ? { message: MESSAGE, warning: { type: 'string' } } : { message: MESSAGE },
        optional: path === 'start' ? ['warning'] : [],
        errors: COMMAND_ERRORS,
        handle: (request) => control(host, request),
      });
    }

    host.route({
      method: 'GET',
      path: '/{unit_id}/measurement-state',
      access: 'viewer',
      summary: 'Ask the meter whether it measures',
      description:
        'A paused measurement is still a measurement. is_paused is what this gateway last saw or set; null: unknown.',
      answer: {
        measurement_state: { type: 'string', enum: ['Start', 'Stop'] },
        is_measuring: { type: 'boolean' },
        is_paused: { type: ['boolean', 'null'] },
      },
      errors: COMMAND_ERRORS,
      async handle({ unitId, caller }) {
        const meter = host.meter(unitId);
        const state = await meter.run(nl43.measureState(), caller);
        const measuring = state === 'Start';
        publish(host, meter, state);
        return { measurement_state: state, is_measuring: measuring, is_paused: meter.deviceState.paused };
      },
    });
  },
};
export default plugin;

function sending(command: () => Command<void>, message: string): Control {
  return async (host, { unitId, caller }) => {
    await host.meter(unitId).run(command(), caller);
    return { message };
  };
}

async function start(host: Host, { unitId, caller }: Request) {
  const meter = host.meter(unitId);
  const work = async (reservation: Reservation) => {
    const warning = await sleepModeOff(reservation);
    await reservation.send(nl43.startMeasurement());
    return warning;
  };
  const warning = await meter.reserve('start', work, caller);
  return { message: 'The measurement is started.', ...(warning && { warning }) };
}

/** A meter that sleeps loses its TCP. A refusal does not stop the start; its words become the warning. */
async function sleepModeOff(reservation: Reservation): Promise<string | undefined> {
  try {
    await reservation.send(nl43.setSleepMode(false));
    return undefined;
  } catch (error) {
    if (!isGatewayError(error, 'DEVICE_WRONG_STATE', 'DEVICE_REFUSED_COMMAND', 'DEVICE_REFUSED_PARAMETER')) throw error;
    return `the meter did not switch its sleep mode off: ${error.message}`;
  }
}

async function stop(host: Host, { unitId, caller }: Request) {
  const meter = host.meter(unitId);
  await meter.run(nl43.stopMeasurement(), caller);
  return { message: 'The measurement is stopped.' };
}

/** Meters that do not know `Reset`, which no command list of the maker names. Asked once for as long as the session lives. */
const withoutReset = new WeakSet<Meter>();

async function reset(host: Host, { unitId, caller }: Request) {
  const meter = host.meter(unitId);
  const restarted = await meter.reserve('reset', (reservation) => clear(meter, reservation), caller);
  if (!restarted) return { message: 'The measurement data is reset.' };
  return { message: 'The meter has no reset command: the measurement is stopped and started again.' };
}

/** True when the measurement had to be restarted. */
async function clear(meter: Meter, reservation: Reservation): Promise<boolean> {
  if (!withoutReset.has(meter)) {
    try {
      await reservation.send(nl43.reset());
      return false;
    } catch (error) {
      if (!isGatewayError(error, 'DEVICE_REFUSED_COMMAND')) throw error;
      withoutReset.add(meter);
    }
  }
  if ((await reservation.send(nl43.measureState())) === 'Stop') {
    throw new GatewayError(
      'DEVICE_WRONG_STATE',
      'Reset is not possible while stopped: the meter has no reset command, and a new start clears the data.',
    );
  }
  await reservation.send(nl43.stopMeasurement());
  await reservation.send(nl43.startMeasurement());
  return true;
}

/** The session tells what has changed; what the meter has confirmed is new as well. */
function publish(host: Host, { unitId, deviceState }: Meter, state: 'Start' | 'Stop') {
  const measuring = state === 'Start';
  host.publish(unitId, 'reading', {
    values: {
      measurementState: measuring ? 'Measure' : 'Stop',
      measurementStartTime: measuring ? deviceState.startedAt : null,
      stateAt: host.clock.now(),
    },
  });
}
