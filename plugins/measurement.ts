/**
 * Control of a measurement. The command is always sent; if the meter refuses it in its present state, the answer is
 * 409.
 */
import type { OperationName } from '../lib/built-in.ts';
import { COMMAND_ERRORS, type Host, type Meter, type Plugin, type Request, type Schema } from '../lib/index.ts';

type Control = (host: Host, request: Request) => Promise<{ message: string; warning?: string }>;

interface Operation {
  readonly path: string;
  readonly summary: string;
  readonly description?: string;
  readonly control: Control;
}

const MESSAGE: Schema = { type: 'string', description: 'The result in words.' };

const OPERATIONS: readonly Operation[] = [
  {
    path: 'start',
    summary: 'Start a measurement',
    description: 'Switches the sleep mode off first. If the meter refuses that, the start goes on with a warning.',
    control: start,
  },
  {
    path: 'stop',
    summary: 'Stop the measurement',
    control: doing('stop', 'The measurement is stopped.'),
  },
  {
    path: 'pause',
    summary: 'Pause the measurement',
    control: doing('pause', 'The measurement is paused.'),
  },
  {
    path: 'resume',
    summary: 'Resume a paused measurement',
    control: doing('resume', 'The measurement is resumed.'),
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
    control: doing('store', 'The measured data is stored on the card of the meter.'),
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
        'A paused measurement is still a measurement. is_paused is the state that this gateway last saw or set; null: unknown.',
      answer: {
        measurement_state: { type: 'string', enum: ['Start', 'Stop'] },
        is_measuring: { type: 'boolean' },
        is_paused: { type: ['boolean', 'null'] },
      },
      errors: COMMAND_ERRORS,
      async handle({ unitId, caller }) {
        const meter = host.meter(unitId);
        const measuring = await meter.perform('measuring', caller);
        publish(host, meter, measuring);
        return {
          measurement_state: measuring ? 'Start' : 'Stop',
          is_measuring: measuring,
          is_paused: meter.deviceState.paused,
        };
      },
    });
  },
};
export default plugin;

function doing(name: OperationName & ('stop' | 'pause' | 'resume' | 'store'), message: string): Control {
  return async (host, { unitId, caller }) => {
    await host.meter(unitId).perform(name, caller);
    return { message };
  };
}

async function start(host: Host, { unitId, caller }: Request) {
  const { warning } = await host.meter(unitId).perform('start', caller);
  return { message: 'The measurement is started.', ...(warning !== undefined && { warning }) };
}

async function reset(host: Host, { unitId, caller }: Request) {
  const { restarted } = await host.meter(unitId).perform('reset', caller);
  if (!restarted) return { message: 'The measurement data is reset.' };
  return { message: 'The meter has no reset command: the measurement is stopped and started again.' };
}

/** The session publishes changes; a state that the meter has confirmed is new as well. */
function publish(host: Host, { unitId, deviceState }: Meter, measuring: boolean) {
  host.publish(unitId, 'reading', {
    values: {
      measurementState: measuring ? 'Measure' : 'Stop',
      measurementStartTime: measuring ? deviceState.startedAt : null,
      measurementStartSource: measuring ? deviceState.startSource : null,
      stateAt: host.clock.now(),
    },
  });
}
