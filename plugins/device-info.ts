/** The meter itself: its battery and its clock. */
import { COMMAND_ERRORS, GatewayError, isClockText, nl43, type Plugin, type Schema } from '../lib/index.ts';

const CLOCK: Schema = {
  type: 'string',
  pattern: '^\\d{4}/\\d{2}/\\d{2},\\d{2}:\\d{2}:\\d{2}$',
  description: 'YYYY/MM/DD,HH:MM:SS, local time of the meter, no zone.',
};

const plugin: Plugin = {
  name: 'device-info',
  register(host) {
    host.route({
      method: 'GET',
      path: '/{unit_id}/battery',
      access: 'viewer',
      summary: 'Read the battery level',
      description:
        'The meter answers a word; battery_level is what it stands for: Full 100, Middle 60, Low 30, Dead 5, Empty 0.',
      answer: {
        battery_level: {
          type: ['string', 'null'],
          pattern: '^\\d{1,3}$',
          description: 'Per cent; null for a word without a known percentage.',
        },
        battery_state: { type: ['string', 'null'], description: 'The word of the meter; null when it gave a number.' },
      },
      errors: COMMAND_ERRORS,
      async handle({ unitId, caller }) {
        const { percent, word } = await host.meter(unitId).run(nl43.batteryLevel(), caller);
        const batteryLevel = percent === null ? null : String(percent);
        host.publish(unitId, 'reading', {
          values: { batteryLevel, batteryState: word, batteryAt: host.clock.now() },
        });
        return { battery_level: batteryLevel, battery_state: word };
      },
    });

    host.route({
      method: 'GET',
      path: '/{unit_id}/clock',
      access: 'viewer',
      summary: 'Read the clock of the meter',
      answer: { clock: CLOCK },
      errors: COMMAND_ERRORS,
      async handle({ unitId, caller }) {
        return { clock: shown(await host.meter(unitId).run(nl43.clock(), caller)) };
      },
    });

    host.route<{ datetime: string }, unknown>({
      method: 'PUT',
      path: '/{unit_id}/clock',
      access: 'operator',
      summary: 'Set the clock of the meter',
      body: {
        type: 'object',
        required: ['datetime'],
        additionalProperties: false,
        properties: {
          datetime: {
            type: 'string',
            pattern: '^\\d{4}/\\d{2}/\\d{2}[, ]\\d{2}:\\d{2}:\\d{2}$',
            description: 'YYYY/MM/DD,HH:MM:SS, or with a blank instead of the comma; a moment that exists',
          },
        },
      },
      answer: { message: { type: 'string' }, clock: CLOCK },
      errors: COMMAND_ERRORS,
      async handle({ unitId, body, caller }) {
        const meter = host.meter(unitId);
        // The meter refuses its own comma with R+0002: its form has a blank (field log of an NL-43).
        const moment = body.datetime.replace(',', ' ');
        if (!isClockText(moment)) throw impossible(body.datetime);
        await meter.run(nl43.setClock(moment), caller);
        return { message: `The clock is set to ${moment}.`, clock: shown(moment) };
      },
    });
  },
};
export default plugin;

const shown = (moment: string) => moment.replace(' ', ',');

const impossible = (datetime: string) =>
  new GatewayError('INVALID', `/datetime ${datetime} does not exist`, {
    errors: [{ path: '/datetime', message: 'must be a date and time that exist' }],
  });
