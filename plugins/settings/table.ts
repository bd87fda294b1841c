/** Every setting of a meter that the API has, in the order in which the list of all shows them. */
import { type Families, invalid, isClockText, type MeterSetting, type OperationName } from '../../lib/built-in.ts';
import type { Meter, Schema } from '../../lib/index.ts';
import { row, type SettingRow } from './setting.ts';

const CHANNELS = ['Main', 'Sub1', 'Sub2', 'Sub3'] as const;
const CHANNEL: Schema = { type: 'string', enum: [...CHANNELS] };
const CHOICE: Schema = { ...CHANNEL, default: 'Main' };
const CLOCK: Schema = {
  type: 'string',
  pattern: '^\\d{4}/\\d{2}/\\d{2},\\d{2}:\\d{2}:\\d{2}$',
  description: 'YYYY/MM/DD,HH:MM:SS, local time of the meter, no zone.',
};

interface OfChannel {
  readonly channel: (typeof CHANNELS)[number];
}
interface Preset {
  readonly preset: string;
}
const NONE = {};
const itself = (text: string): string => text;

function weighting(kind: 'frequency' | 'time', families: Families): SettingRow {
  const what = `${kind} weighting`;
  const nameOf = ({ channel }: OfChannel) =>
    channel === 'Main' ? `${kind}_weighting` : `${kind}_weighting_${channel.toLowerCase()}`;
  const { schema } = ofFamilies(families, `${kind}_weighting`);
  return row<string, OfChannel, OfChannel & { readonly weighting: string }>({
    name: `${kind}_weighting`,
    path: `${kind}-weighting`,
    what: `${what} of a channel`,
    query: { channel: CHOICE },
    usual: { channel: 'Main' },
    answer: { [`${kind}_weighting`]: schema, channel: CHANNEL },
    isIn: (meter) => hasSetting(meter, `${kind}_weighting`),
    read: (meter, query, caller) => meter.readSetting(nameOf(query), caller),
    shown: (value, { channel }) => ({ [`${kind}_weighting`]: value, channel }),
    text: itself,
    nameFor: nameOf,
    change: {
      body: { weighting: schema, channel: CHOICE },
      required: ['weighting'],
      write: (meter, body, caller) => meter.writeSetting(nameOf(body), body.weighting, caller),
      query: ({ channel }) => ({ channel }),
      message: (value, { channel }) => `The ${what} of ${channel} is set to ${value}.`,
    },
  });
}

const SUB_CHANNEL: Schema = { type: 'string', enum: CHANNELS.slice(1) };

/** Whether a sub channel is on. Not in the list of all: three more commands would make each reading longer. */
function subChannel(families: Families): SettingRow {
  const nameOf = ({ channel }: OfChannel) => `channel_${channel.toLowerCase()}`;
  const { schema } = ofFamilies(families, 'channel_sub1');
  return row<string, OfChannel, OfChannel & { readonly state: string }>({
    name: 'channel',
    path: 'channel',
    what: 'state of a sub channel',
    description: 'A channel that is off has no levels: nothing of it is shown or recorded.',
    query: { channel: { ...SUB_CHANNEL, default: 'Sub1' } },
    usual: { channel: 'Sub1' },
    answer: { state: schema, channel: SUB_CHANNEL },
    isIn: () => false,
    read: (meter, query, caller) => meter.readSetting(nameOf(query), caller),
    shown: (state, { channel }) => ({ state, channel }),
    text: itself,
    nameFor: nameOf,
    change: {
      body: { channel: SUB_CHANNEL, state: schema },
      required: ['channel', 'state'],
      write: (meter, body, caller) => meter.writeSetting(nameOf(body), body.state, caller),
      query: ({ channel }) => ({ channel }),
      message: (state, { channel }) => `The channel ${channel} is switched ${state === 'On' ? 'on' : 'off'}.`,
    },
  });
}

interface PresetRow {
  readonly name: string;
  readonly path: string;
  readonly what: string;
  readonly description?: string;
  readonly words: string;
}

/** A setting whose PUT has a `preset`. `answer`: the field of GET; default: any text. */
function preset({ words, ...given }: PresetRow, families: Families, answer: Schema = { type: 'string' }): SettingRow {
  const { name } = given;
  const { schema } = ofFamilies(families, name);
  return row<string, object, Preset>({
    ...given,
    usual: NONE,
    answer: { [name]: answer },
    isIn: (meter) => hasSetting(meter, name),
    read: (meter, _query, caller) => meter.readSetting(name, caller),
    shown: (value) => ({ [name]: value }),
    text: itself,
    change: {
      body: { preset: schema },
      required: ['preset'],
      check: ({ preset }, meter) => void meter.setting(name).normal(preset),
      write: (meter, { preset }, caller) => meter.writeSetting(name, preset, caller),
      query: () => NONE,
      message: (value) => `The ${words} is set to ${value}.`,
    },
  });
}

const MEASUREMENT_TIME: PresetRow = {
  name: 'measurement_time',
  path: 'measurement-time',
  what: 'measurement time',
  description: 'For the present store mode of the meter.',
  words: 'measurement time',
};

const LEQ_INTERVAL: PresetRow = {
  name: 'leq_interval',
  path: 'leq-interval',
  what: 'Leq calculation interval',
  words: 'Leq interval',
};

const LP_INTERVAL: PresetRow = {
  name: 'lp_interval',
  path: 'lp-interval',
  what: 'Lp store interval',
  words: 'Lp store interval',
};

/** The routes are the same for all families, so their schema allows the values of every family. */
function ofFamilies({ settings }: Families, name: string): MeterSetting {
  const setting = settings.find((each) => each.name === name);
  if (!setting) throw new Error(`No family of meters has the setting ${name}.`);
  return setting;
}

const hasSetting = (meter: Meter, name: string): boolean =>
  meter.family.settings.some((setting) => setting.name === name);

/** The API's index number is the meter's `Store Name`, the series number; its `Index Number` names the meter itself. */
const indexNumber = row<string, object, { readonly index: number }>({
  name: 'index_number',
  path: 'index-number',
  what: 'number of the measurement series',
  description: 'The series number in folder and file names on the card: the Store Name of the meter.',
  usual: NONE,
  answer: { index_number: { type: 'string', pattern: '^\\d{4}$' } },
  isIn: (meter) => meter.can('storeName'),
  read: (meter, _query, caller) => meter.perform('storeName', caller),
  shown: (number) => ({ index_number: number }),
  text: itself,
  change: {
    body: { index: { type: 'integer', minimum: 0, maximum: 9_999 } },
    required: ['index'],
    async write(meter, { index }, caller) {
      await meter.perform('setStoreName', caller, index);
      return String(index).padStart(4, '0');
    },
    query: () => NONE,
    message: (number) => `The index number is set to ${number}.`,
  },
});

const percentOf = (percent: number | null): string | null => (percent === null ? null : String(percent));

const battery = row<{ readonly percent: number | null; readonly word: string | null }, object, never>({
  name: 'battery_level',
  path: 'battery',
  what: 'battery level',
  description:
    'The meter answers a word; battery_level is its value in per cent: Full 100, Middle 60, Low 30, Dead 5, Empty 0.',
  usual: NONE,
  answer: {
    battery_level: {
      type: ['string', 'null'],
      pattern: '^\\d{1,3}$',
      description: 'Per cent; null for a word without a known percentage.',
    },
    battery_state: { type: ['string', 'null'], description: 'The word of the meter; null when it gave a number.' },
  },
  isIn: (meter) => meter.can('battery'),
  read: (meter, _query, caller) => meter.perform('battery', caller),
  shown: ({ percent, word }) => ({ battery_level: percentOf(percent), battery_state: word }),
  text: ({ percent, word }) => String(percent ?? word),
  learned(host, unitId, { percent, word }) {
    const values = { batteryLevel: percentOf(percent), batteryState: word, batteryAt: host.clock.now() };
    host.publish(unitId, 'reading', { values });
  },
});

const withComma = (moment: string): string => moment.replace(' ', ',');
const withSpace = (moment: string): string => moment.replace(',', ' ');

const clock = row<string, object, { readonly datetime: string }>({
  name: 'clock',
  path: 'clock',
  what: 'clock of the meter',
  usual: NONE,
  answer: { clock: CLOCK },
  isIn: (meter) => meter.can('clock'),
  read: (meter, _query, caller) => meter.perform('clock', caller),
  shown: (moment) => ({ clock: withComma(moment) }),
  text: withComma,
  change: {
    body: {
      datetime: {
        type: 'string',
        pattern: '^\\d{4}/\\d{2}/\\d{2}[, ]\\d{2}:\\d{2}:\\d{2}$',
        description: 'YYYY/MM/DD,HH:MM:SS, or with a space instead of the comma; a time that exists',
      },
    },
    required: ['datetime'],
    check({ datetime }) {
      if (!isClockText(withSpace(datetime))) throw invalid([{ path: '/datetime', message: NO_SUCH_TIME }]);
    },
    async write(meter, { datetime }, caller) {
      await meter.perform('setClock', caller, withSpace(datetime));
      return withSpace(datetime);
    },
    query: () => NONE,
    message: (moment) => `The clock is set to ${moment}.`,
  },
});

type OnOff = 'On' | 'Off';
const onOff = (on: boolean): OnOff => (on ? 'On' : 'Off');

const sleepMode = row<OnOff, object, never>({
  name: 'sleep_mode',
  path: 'sleep/status',
  what: 'sleep mode',
  usual: NONE,
  answer: { sleep_mode: { type: 'string', enum: ['On', 'Off'] } },
  isIn: (meter) => meter.can('sleepMode'),
  read: async (meter, _query, caller) => onOff(await meter.perform('sleepMode', caller)),
  shown: (mode) => ({ sleep_mode: mode }),
  text: itself,
});

/** Only in the list: other plugins have the paths. */
const listed = (
  name: string,
  operation: OperationName & ('measuring' | 'fileServer'),
  word: (value: boolean) => string,
): SettingRow =>
  row<string, object, never>({
    name,
    what: name,
    usual: NONE,
    answer: {},
    isIn: (meter) => meter.can(operation),
    read: async (meter, _query, caller) => word(await meter.perform(operation, caller)),
    shown: () => NONE,
    text: itself,
  });

export const settingRows = (families: Families): readonly SettingRow[] => [
  listed('measurement_state', 'measuring', (measuring) => (measuring ? 'Start' : 'Stop')),
  weighting('frequency', families),
  weighting('time', families),
  subChannel(families),
  preset(MEASUREMENT_TIME, families),
  preset(LEQ_INTERVAL, families),
  preset(LP_INTERVAL, families, ofFamilies(families, LP_INTERVAL.name).schema),
  indexNumber,
  battery,
  clock,
  sleepMode,
  listed('ftp_status', 'fileServer', onOff),
];

const NO_SUCH_TIME = 'must be a date and time that exist';
