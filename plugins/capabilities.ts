/** The abilities of a meter by its family, so that a page or a program offers only these. From memory: the meter is not contacted. */
import { channelNames, type MeterSetting, snakeCase } from '../lib/built-in.ts';
import { type Family, type Host, named, orNull, type Plugin, type Schema, whole } from '../lib/index.ts';

const TEXT: Schema = { type: 'string' };
const NAMES: Schema = { type: 'array', items: TEXT };
const PERHAPS_TEXT: Schema = { type: ['string', 'null'] };

const SETTING: Schema = named(
  'SettingCapability',
  {
    name: { ...TEXT, description: 'As in settings/all and in profiles.' },
    type: {
      type: 'string',
      enum: ['word', 'text'],
      description: 'word: one of `values`. text: of the form of `range`.',
    },
    values: { ...orNull(NAMES), description: 'The words; null: any text of the form.' },
    unit: {
      ...TEXT,
      description: 'The unit of its number. `s, m, h`: its text names one of them. Absent: it is no number.',
    },
    range: { ...PERHAPS_TEXT, description: 'The allowed values, in words.' },
    changes: {
      type: 'string',
      enum: ['always', 'stopped'],
      description: 'stopped: only while the meter does not measure.',
    },
  },
  ['unit'],
);

const DATA: Schema = named('Capabilities', {
  unit_id: TEXT,
  family: TEXT,
  title: { ...TEXT, description: 'The family in words.' },
  model: {
    ...PERHAPS_TEXT,
    description: 'The type of the meter, as it last said; null: not asked since the gateway started.',
  },
  channels: { ...NAMES, description: 'The first channel is the main channel.' },
  history_channels: {
    ...NAMES,
    description: 'The same as `history_channels` of the config and `channel` of queries name them.',
  },
  quantities: { ...NAMES, description: 'Levels that it shows, by their names in live and status.' },
  stream: orNull(
    whole(
      { frame_ms: { type: 'integer', description: 'The length of a frame.' }, quantities: NAMES },
      { description: 'The fast stream; null: no stream.' },
    ),
  ),
  files: orNull(
    whole({ roots: NAMES }, { description: 'Folders of measurements on its card; null: its files cannot be fetched.' }),
  ),
  settings: { type: 'array', items: SETTING },
  operations: {
    ...NAMES,
    description:
      'The operations of the meter; others are refused with NOT_SUPPORTED before a byte is sent: `start`, `set_clock`, `battery` ...',
  },
});

const plugin: Plugin = {
  name: 'capabilities',
  about: 'The abilities of a meter',
  register(host) {
    host.route({
      method: 'GET',
      path: '/{unit_id}/capabilities',
      access: 'viewer',
      summary: 'Show the abilities of a meter',
      description: 'By the family of its config. From memory: the meter is not contacted.',
      answer: { data: DATA },
      errors: ['UNIT_NOT_FOUND', 'NOT_SUPPORTED'],
      etag: true,
      handle({ unitId }) {
        const family = host.families.get(host.configs.of(unitId).family);
        return { data: { unit_id: unitId, ...shown(family), model: modelOf(host, unitId) } };
      },
    });
  },
};
export default plugin;

const modelOf = (host: Host, unitId: string): string | null => host.report(unitId)?.identity.model ?? null;

const shown = ({ name, title, channels, quantities, stream, card, settings, operations }: Family) => ({
  family: name,
  title,
  channels,
  history_channels: channelNames(channels),
  quantities,
  stream: stream ? { frame_ms: stream.frameMs, quantities: stream.quantities } : null,
  files: card ? { roots: card.roots } : null,
  settings: settings.map(shownSetting),
  operations: Object.keys(operations).map(snakeCase).sort(),
});

function shownSetting({ name, schema, unit, changes }: MeterSetting) {
  const { enum: words, description } = schema;
  const values = Array.isArray(words) ? words.map(String) : null;
  const range = typeof description === 'string' ? description : null;
  return { name, type: values ? 'word' : 'text', values, ...(unit && { unit }), range, changes };
}
