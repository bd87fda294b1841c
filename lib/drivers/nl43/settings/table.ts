/** Every setting of a meter that is read and set by one rule, wherever it is: paths of the API, profiles, campaigns. */

import { GatewayError, isGatewayError } from '../../../errors.ts';
import type { Command } from '../../contract.ts';
import * as nl43 from '../index.ts';
import type { MeterSetting } from './contract.ts';

const SPAN = '\\d{1,7}[smh]|\\d{2,4}:\\d{2}:\\d{2}';
const SPANS = '<n>s, <n>m, <n>h or HH:MM:SS, up to 1000 h';

const FREQUENCY = { type: 'string', enum: ['A', 'C', 'Z'] } as const;
const TIME = { type: 'string', enum: ['F', 'S', 'I'], description: 'F 125 ms, S 1 s, I 35 ms.' } as const;
const LP_INTERVAL = { type: 'string', enum: ['Off', '10ms', '25ms', '100ms', '200ms', '1s'] } as const;
const STORE_MODE = {
  type: 'string',
  enum: ['Manual', 'Auto', 'Timer Auto'],
  description: 'Auto stores from start to stop by itself.',
} as const;

type Word = MeterSetting['schema'] & { readonly enum: readonly string[] };

/** One command reads it and one sets it. */
function word<Value extends string>(
  name: string,
  schema: Word,
  read: () => Command<Value>,
  write: (value: Value) => Command<void>,
): MeterSetting {
  return {
    name,
    schema,
    normal: (value) => value,
    read: (sender) => sender.send(read()),
    async write(sender, value) {
      await sender.send(write(value as Value));
      return value;
    },
  };
}

const ofChannel = (name: string, channel: nl43.ChannelName): string =>
  channel === 'Main' ? name : `${name}_${channel.toLowerCase()}`;

export const frequencyWeighting = (channel: nl43.ChannelName): MeterSetting =>
  word<nl43.FrequencyWeighting>(
    ofChannel('frequency_weighting', channel),
    FREQUENCY,
    () => nl43.frequencyWeighting(channel),
    (weighting) => nl43.setFrequencyWeighting(channel, weighting),
  );

export const timeWeighting = (channel: nl43.ChannelName): MeterSetting =>
  word<nl43.TimeWeighting>(
    ofChannel('time_weighting', channel),
    TIME,
    () => nl43.timeWeighting(channel),
    (weighting) => nl43.setTimeWeighting(channel, weighting),
  );

export const storeMode: MeterSetting = word('store_mode', STORE_MODE, nl43.storeMode, nl43.setStoreMode);

/** Of the store mode that the meter is in. */
export const measurementTime: MeterSetting = {
  name: 'measurement_time',
  schema: { type: 'string', pattern: `^(${SPAN})$`, description: SPANS },
  normal: normalSpan,
  read: nl43.readMeasurementTime,
  write: nl43.writeMeasurementTime,
};

export const leqInterval: MeterSetting = {
  name: 'leq_interval',
  schema: { type: 'string', pattern: `^(Off|${SPAN})$`, description: `Off, ${SPANS}` },
  normal: (value) => (value === 'Off' ? value : normalSpan(value)),
  read: nl43.readLeqInterval,
  write: nl43.writeLeqInterval,
};

export const lpInterval: MeterSetting = word('lp_interval', LP_INTERVAL, nl43.lpInterval, nl43.setLpInterval);

const CHANNELS: readonly nl43.ChannelName[] = ['Main', 'Sub1', 'Sub2', 'Sub3'];

/** In the order in which they are set: the measurement time is that of the store mode in force. */
export const METER_SETTINGS: readonly MeterSetting[] = Object.freeze([
  storeMode,
  ...CHANNELS.map(frequencyWeighting),
  ...CHANNELS.map(timeWeighting),
  measurementTime,
  leqInterval,
  lpInterval,
]);

/** Errors: INVALID, a sentence about the preset. */
function normalSpan(preset: string): string {
  try {
    return nl43.planText(nl43.planTime(preset, []));
  } catch (error) {
    if (!isGatewayError(error, 'INVALID')) throw error;
    throw new GatewayError('INVALID', `The preset ${error.message}.`, {
      errors: [{ path: '/preset', message: error.message }],
    });
  }
}
