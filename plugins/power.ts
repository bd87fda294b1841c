/** The sleep mode: a setting that lets the meter sleep between timer measurements, not a button that sends it to sleep. */
import { COMMAND_ERRORS, nl43, type Plugin } from '../lib/index.ts';

const plugin: Plugin = {
  name: 'power',
  register(host) {
    host.route({
      method: 'POST',
      path: '/{unit_id}/sleep',
      access: 'operator',
      summary: 'Switch the sleep mode on',
      description:
        'The meter sleeps between timer measurements only. While it sleeps its TCP is silent and only a person at the meter can wake it.',
      answer: { message: { type: 'string' } },
      errors: COMMAND_ERRORS,
      async handle({ unitId, caller }) {
        await host.meter(unitId).run(nl43.setSleepMode(true), caller);
        return { message: 'The sleep mode is on: the meter may sleep between timer measurements.' };
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
