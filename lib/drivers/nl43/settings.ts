/** The settings of the meter: the words of the API, and the commands that read and set each. */
import { GatewayError, isGatewayError } from '../../errors.ts';
import type { MeterSetting } from '../contract.ts';
import type { Command } from '../wire/contract.ts';
import * as commands from './commands.ts';
import {
  planText,
  planTime,
  readLeqInterval,
  readMeasurementTime,
  writeLeqInterval,
  writeMeasurementTime,
} from './times.ts';

const SPAN = '\\d{1,7}[smh]|\\d{2,4}:\\d{2}:\\d{2}';
const SPANS = '<n>s, <n>m, <n>h or HH:MM:SS, up to 1000 h';

const FREQUENCY = { type: 'string', enum: ['A', 'C', 'Z'] } as const;
const TIME = { type: 'string', enum: ['F', 'S', 'I'], description: 'F 125 ms, S 1 s, I 35 ms.' } as const;
const LP_INTERVAL = { type: 'string', enum: ['Off', '10ms', '25ms', '100ms', '200ms', '1s'] } as const;
const SWITCH = {
  type: 'string',
  enum: ['On', 'Off'],
  description: 'A channel that is off has no levels. The main channel is always on.',
} as const;
const STORE_MODE = {
  type: 'string',
  enum: ['Manual', 'Auto', 'Timer Auto'],
  description: 'Auto stores automatically from start to stop.',
} as const;

type Word = MeterSetting['schema'] & { readonly enum: readonly string[] };

function word<Value extends string>(
  name: string,
  schema: Word,
  read: () => Command<Value>,
  write: (value: Value) => Command<void>,
): MeterSetting {
  return {
    name,
    schema,
    changes: 'stopped',
    normal: (value) => value,
    read: (sender) => sender.send(read()),
    async write(sender, value) {
      await sender.send(write(value as Value));
      return value;
    },
  };
}

const ofChannel = (name: string, channel: commands.ChannelName): string =>
  channel === 'Main' ? name : `${name}_${channel.toLowerCase()}`;

const frequencyWeighting = (channel: commands.ChannelName): MeterSetting =>
  word<commands.FrequencyWeighting>(
    ofChannel('frequency_weighting', channel),
    FREQUENCY,
    () => commands.frequencyWeighting(channel),
    (weighting) => commands.setFrequencyWeighting(channel, weighting),
  );

const timeWeighting = (channel: commands.ChannelName): MeterSetting =>
  word<commands.TimeWeighting>(
    ofChannel('time_weighting', channel),
    TIME,
    () => commands.timeWeighting(channel),
    (weighting) => commands.setTimeWeighting(channel, weighting),
  );

const subChannel = (place: 1 | 2 | 3): MeterSetting =>
  word<commands.OnOff>(
    `channel_sub${place}`,
    SWITCH,
    () => commands.subChannel(place),
    (state) => commands.setSubChannel(place, state),
  );

const storeMode: MeterSetting = word('store_mode', STORE_MODE, commands.storeMode, commands.setStoreMode);

const measurementTime: MeterSetting = {
  name: 'measurement_time',
  schema: { type: 'string', pattern: `^(${SPAN})$`, description: SPANS },
  unit: 's, m, h',
  changes: 'stopped',
  several: 'measurement time',
  normal: normalSpan,
  read: readMeasurementTime,
  write: writeMeasurementTime,
};

const leqInterval: MeterSetting = {
  name: 'leq_interval',
  schema: { type: 'string', pattern: `^(Off|${SPAN})$`, description: `Off, ${SPANS}` },
  unit: 's, m, h',
  changes: 'stopped',
  several: 'Leq interval',
  normal: (value) => (value === 'Off' ? value : normalSpan(value)),
  read: readLeqInterval,
  write: writeLeqInterval,
};

const lpInterval: MeterSetting = {
  ...word('lp_interval', LP_INTERVAL, commands.lpInterval, commands.setLpInterval),
  unit: 'ms, s',
};

/** In the order of setting: the measurement time belongs to the present store mode. */
export const NL43_SETTINGS: readonly MeterSetting[] = Object.freeze([
  storeMode,
  ...([1, 2, 3] as const).map(subChannel),
  ...commands.CHANNEL_NAMES.map(frequencyWeighting),
  ...commands.CHANNEL_NAMES.map(timeWeighting),
  measurementTime,
  leqInterval,
  lpInterval,
]);

function normalSpan(preset: string): string {
  try {
    return planText(planTime(preset, []));
  } catch (error) {
    if (!isGatewayError(error, 'INVALID')) throw error;
    throw new GatewayError('INVALID', `The preset ${error.message}.`, {
      errors: [{ path: '/preset', message: error.message }],
    });
  }
}
