/** The sleep mode: a setting that lets the meter fall silent while it does not measure, not a button that sends it to sleep. */
import { COMMAND_ERRORS, nl43, type Plugin } from '../lib/index.ts';

const SILENCE = 'The meter may fall silent whenever it does not measure; then only somebody at the meter wakes it.';

const plugin: Plugin = {
  name: 'power',
  register(host) {
    host.route({
      method: 'POST',
      path: '/{unit_id}/sleep',
      access: 'operator',
      summary: 'Switch the sleep mode on',
      description: SILENCE,
      answer: { message: { type: 'string' } },
      errors: COMMAND_ERRORS,
      async handle({ unitId, caller }) {
        await host.meter(unitId).run(nl43.setSleepMode(true), caller);
        return { message: `The sleep mode is on. ${SILENCE}` };
      },
    });

    host.route({
      method: 'POST',
      path: '/{unit_id}/wake',
      access: 'operator',
      summary: 'Switch the sleep mode off',
      answer: { message: { type: 'string' } },
      errors: COMMAND_ERRORS,
      async handle({ unitId, caller }) {
        await host.meter(unitId).run(nl43.setSleepMode(false), caller);
        return { message: 'The sleep mode is off.' };
      },
    });

    host.route({
      method: 'GET',
      path: '/{unit_id}/sleep/status',
      access: 'viewer',
      summary: 'Read the sleep mode',
      answer: { sleep_mode: { type: 'string', enum: ['On', 'Off'] } },
      errors: COMMAND_ERRORS,
      async handle({ unitId, caller }) {
        return { sleep_mode: await host.meter(unitId).run(nl43.sleepMode(), caller) };
      },
    });
  },
};
export default plugin;
