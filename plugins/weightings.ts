/** Frequency and time weighting of each channel. */
import { COMMAND_ERRORS, type Command, type Host, nl43, type Plugin, type Schema } from '../lib/index.ts';

const CHANNEL: Schema = { type: 'string', enum: ['Main', 'Sub1', 'Sub2', 'Sub3'] };
const CHOICE: Schema = { ...CHANNEL, default: 'Main' };
const FREQUENCY: Schema = { type: 'string', enum: ['A', 'C', 'Z'] };
const TIME: Schema = { type: 'string', enum: ['F', 'S', 'I'], description: 'F 125 ms, S 1 s, I 35 ms.' };

interface OfChannel {
  readonly channel: nl43.ChannelName;
}

interface Weighting<W> {
  /** As in the path, the answer and the messages. */
  readonly name: 'frequency' | 'time';
  readonly schema: Schema;
  readonly read: (channel: nl43.ChannelName) => Command<W>;
  readonly set: (channel: nl43.ChannelName, weighting: W) => Command<unknown>;
}

const plugin: Plugin = {
  name: 'weightings',
  register(host) {
    const { frequencyWeighting, setFrequencyWeighting, timeWeighting, setTimeWeighting } = nl43;
    routes(host, { name: 'frequency', schema: FREQUENCY, read: frequencyWeighting, set: setFrequencyWeighting });
    routes(host, { name: 'time', schema: TIME, read: timeWeighting, set: setTimeWeighting });
  },
};
export default plugin;

function routes<W extends string>(host: Host, { name, schema, read, set }: Weighting<W>): void {
  const path = `/{unit_id}/${name}-weighting`;
  const field = `${name}_weighting`;

  host.route<unknown, OfChannel>({
    method: 'GET',
    path,
    access: 'viewer',
    summary: `Read the ${name} weighting of a channel`,
    query: { channel: CHOICE },
    answer: { [field]: schema, channel: CHANNEL },
    errors: COMMAND_ERRORS,
    async handle({ unitId, query: { channel }, caller }) {
      return { [field]: await host.meter(unitId).run(read(channel), caller), channel };
    },
  });

  host.route<OfChannel & { weighting: W }, unknown>({
    method: 'PUT',
    path,
    access: 'operator',
    summary: `Set the ${name} weighting of a channel`,
    body: {
      type: 'object',
      required: ['weighting'],
      additionalProperties: false,
      properties: { weighting: schema, channel: CHOICE },
    },
    answer: { message: { type: 'string' }, [field]: schema, channel: CHANNEL },
    errors: COMMAND_ERRORS,
    async handle({ unitId, body: { channel, weighting }, caller }) {
      await host.meter(unitId).run(set(channel, weighting), caller);
      return { message: `The ${name} weighting of ${channel} is set to ${weighting}.`, [field]: weighting, channel };
    },
  });
}
