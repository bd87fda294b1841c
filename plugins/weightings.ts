/** Frequency and time weighting of each channel. */
import { COMMAND_ERRORS, nl43, type Plugin, type Schema } from '../lib/index.ts';

const CHANNEL: Schema = { type: 'string', enum: ['Main', 'Sub1', 'Sub2', 'Sub3'] };
const CHOICE: Schema = { ...CHANNEL, default: 'Main' };
const FREQUENCY: Schema = { type: 'string', enum: ['A', 'C', 'Z'] };
const TIME: Schema = { type: 'string', enum: ['F', 'S', 'I'], description: 'F 125 ms, S 1 s, I 35 ms.' };

const body = (weighting: Schema): Schema => ({
  type: 'object',
  required: ['weighting'],
  additionalProperties: false,
  properties: { weighting, channel: CHOICE },
});

interface OfChannel {
  readonly channel: nl43.ChannelName;
}

const plugin: Plugin = {
  name: 'weightings',
  register(host) {
    host.route<unknown, OfChannel>({
      method: 'GET',
      path: '/{unit_id}/frequency-weighting',
      access: 'viewer',
      summary: 'Read the frequency weighting of a channel',
      query: { channel: CHOICE },
      answer: { frequency_weighting: FREQUENCY, channel: CHANNEL },
      errors: COMMAND_ERRORS,
      async handle({ unitId, query: { channel }, caller }) {
        return { frequency_weighting: await host.meter(unitId).run(nl43.frequencyWeighting(channel), caller), channel };
      },
    });

    host.route<OfChannel & { weighting: nl43.FrequencyWeighting }, unknown>({
      method: 'PUT',
      path: '/{unit_id}/frequency-weighting',
      access: 'operator',
      summary: 'Set the frequency weighting of a channel',
      body: body(FREQUENCY),
      answer: { message: { type: 'string' }, frequency_weighting: FREQUENCY, channel: CHANNEL },
      errors: COMMAND_ERRORS,
      async handle({ unitId, body: { channel, weighting }, caller }) {
        await host.meter(unitId).run(nl43.setFrequencyWeighting(channel, weighting), caller);
        const message = `The frequency weighting of ${channel} is set to ${weighting}.`;
        return { message, frequency_weighting: weighting, channel };
      },
    });

    host.route<unknown, OfChannel>({
      method: 'GET',
      path: '/{unit_id}/time-weighting',
      access: 'viewer',
      summary: 'Read the time weighting of a channel',
      query: { channel: CHOICE },
      answer: { time_weighting: TIME, channel: CHANNEL },
      errors: COMMAND_ERRORS,
      async handle({ unitId, query: { channel }, caller }) {
        return { time_weighting: await host.meter(unitId).run(nl43.timeWeighting(channel), caller), channel };
      },
    });

    host.route<OfChannel & { weighting: nl43.TimeWeighting }, unknown>({
      method: 'PUT',
      path: '/{unit_id}/time-weighting',
      access: 'operator',
      summary: 'Set the time weighting of a channel',
      body: body(TIME),
      answer: { message: { type: 'string' }, time_weighting: TIME, channel: CHANNEL },
      errors: COMMAND_ERRORS,
      async handle({ unitId, body: { channel, weighting }, caller }) {
        await host.meter(unitId).run(nl43.setTimeWeighting(channel, weighting), caller);
        return {
          message: `The time weighting of ${channel} is set to ${weighting}.`,
          time_weighting: weighting,
          channel,
        };
      },
    });
  },
};
export default plugin;
