/**
 * Every command of the gateway: the text to send and the reader of the reply. Values are checked when the command is
 * made: GatewayError INVALID, before anything is sent.
 */
import { clockMs } from '../../domain/zone.ts';
import {
  type Command,
  DecodeError,
  type Frame,
  type Observation,
  type PercentileSlot,
  type StreamCommand,
} from '../wire/contract.ts';
import {
  type BatteryWord,
  type Display,
  decodeBattery,
  decodeDisplay,
  decodeFrame,
  decodeStatusFrame,
  decodeWholeStatusFrame,
  type Nl43Frame,
  type StatusFrame,
} from './decode.ts';
import { request, setting } from './encode.ts';
import { DRD_STATUS_REQUEST } from './spec/commands.ts';
import { DLC, DOD } from './spec/layouts.ts';
import { factOf, numberOf, textOf, trimSpaces, withoutPrompts } from './values.ts';

export type OnOff = 'On' | 'Off';
export type ChannelName = 'Main' | 'Sub1' | 'Sub2' | 'Sub3';
export const CHANNEL_NAMES: readonly ChannelName[] = Object.freeze(['Main', 'Sub1', 'Sub2', 'Sub3'] as const);
export type FrequencyWeighting = 'A' | 'C' | 'Z';
/** IEC 61672-1; `I` is the impulse weighting. */
export type TimeWeighting = 'F' | 'S' | 'I';
type StoreMode = 'Manual' | 'Auto' | 'Timer Auto';
export type TimeUnit = 's' | 'm' | 'h';

const ask = <T>(name: string, decode: (line: string) => T, tells?: (value: T) => Observation): Command<T> => ({
  text: request(name),
  kind: 'request',
  decode,
  ...(tells && { tells }),
});

/** Its answer changes only with a setting, through the gateway or with the keys of the meter. */
const held = <T>(command: Command<T>): Command<T> => ({ ...command, holds: 'setting' });

const set = (name: string, value?: string | number, observation?: Observation): Command<void> => ({
  text: setting(name, value),
  kind: 'setting',
  decode: () => {},
  ...(observation && { tells: () => observation }),
});

const askWord = <W extends string = string>(name: string, tells?: (value: W) => Observation): Command<W> =>
  ask(name, textOf<W>(name), tells);
/**
 * The words of the meter are expected to be `s`, `m`, `h`; nobody has seen them. The words here are those of its
 * relatives.
 */
const LONG_UNITS: ReadonlyMap<string, TimeUnit> = new Map([
  ['sec', 's'],
  ['min', 'm'],
  ['hour', 'h'],
]);
const askUnit = (name: string): Command<TimeUnit> => {
  const read = textOf<TimeUnit>(name);
  return ask(name, (line) => LONG_UNITS.get(trimSpaces(line)) ?? read(line));
};
const askNumber = (name: string): Command<number> => ask(name, numberOf(name));

// Measurement

/** `Start` while a measurement runs, paused or not; `Stop` otherwise. */
export const measureState = (): Command<'Start' | 'Stop'> =>
  askWord<'Start' | 'Stop'>('Measure', (state) =>
    state === 'Start' ? { measuring: true } : { measuring: false, paused: false },
  );
/** Refused with R+0004 during a measurement. Clears the values of the measurement before. */
export const startMeasurement = (): Command<void> =>
  set('Measure', 'Start', { measuring: true, paused: false, began: true });
/** Refused with R+0004 without a measurement, also after the preset time has run out (field log). */
export const stopMeasurement = (): Command<void> => set('Measure', 'Stop', { measuring: false, paused: false });
export const pauseState = (): Command<OnOff> => askWord<OnOff>('Pause', (state) => ({ paused: state === 'On' }));
export const pause = (): Command<void> => set('Pause', 'On', { measuring: true, paused: true });
export const resume = (): Command<void> => set('Pause', 'Off', { paused: false });
/** Not in the command list of guide 66132: most meters answer R+0001. The measurement begins again. */
export const reset = (): Command<void> => set('Reset', undefined, { began: true });
/** Stores the finished measurement. Refused with R+0004 while measuring and in auto store mode (field log). */
export const manualStore = (): Command<void> => set('Manual Store', 'Start');

// Data

export const display = (): Command<Display> => ask('DOD', (line) => decodeDisplay(line, DOD), lengthOf);
/** The result of the last finished measurement; no Lp. */
export const lastResult = (): Command<Display> => ({
  ...ask('DLC', (line) => decodeDisplay(line, DLC)),
  holds: 'measurement',
});
export const lastResultLine = (): Command<string> => ask('DLC', trimSpaces);
/** One frame every 100 ms until SUB. */
export const frames = (): StreamCommand<Nl43Frame> => ({
  text: request('DRD'),
  decode: (line) => decodeFrame(withoutPrompts(line)),
});
/**
 * The same with battery, power, card and state. The only request with text after its mark (guide 66132, second-hand).
 */
export const statusFrames = (): StreamCommand<StatusFrame> => ({
  text: DRD_STATUS_REQUEST,
  decode: (line) => decodeStatusFrame(withoutPrompts(line)),
});
/**
 * The frames for viewers. The order of the status behind the levels is second-hand: a line whose status is not
 * completely readable counts as unreadable. For a meter that sends such lines, or refuses, `DRD?` is used.
 */
export const liveFrames = (): StreamCommand<Frame> => {
  const whole: StreamCommand<StatusFrame> = {
    text: DRD_STATUS_REQUEST,
    decode: (line) => decodeWholeStatusFrame(withoutPrompts(line)),
    tells: ({ state, time }) => ({
      ...(state && { measuring: state === 'Start' }),
      ...(time && { clock: clockMs(time) }),
    }),
    answers: ({ state, time, supply: { batteryWord, batteryPercent, cardFreeMb } }) => ({
      ...(state && { [measureState().text]: state }),
      ...(time && { [clock().text]: time }),
      ...(batteryWord !== null && { [batteryLevel().text]: { percent: batteryPercent, word: batteryWord } }),
      ...(cardFreeMb !== null && { [sdFreeSize().text]: cardFreeMb }),
    }),
  };
  return { ...whole, fallback: frames() };
};

/** Rounding error of LE and of Leq: both are rounded to a tenth. dB */
const ROUNDING = 0.05;

/** LE - Leq = 10 lg T, T in seconds. */
function lengthOf({ main: { le, leq } }: Display): Observation {
  if (!le || !leq) return {};
  const seconds = (db: number) => 10 ** (db / 10);
  const difference = Number(le) - Number(leq);
  return {
    measuredSeconds: { least: seconds(difference - 2 * ROUNDING), most: seconds(difference + 2 * ROUNDING) },
  };
}

// The meter itself

export const deviceType = (): Command<string> => held(askWord('Type', (model) => ({ model })));
export const serialNumber = (): Command<string> =>
  held(askWord('Serial Number', (digits) => (/^\d{8}$/.test(digits) ? { serialNumber: digits } : {})));
export const systemVersion = (): Command<string> => held(askWord('System Version'));
export const batteryLevel = (): Command<BatteryWord> => ({ ...ask('Battery Level', decodeBattery), holds: 'minutes' });
export const sdFreeSize = (): Command<number> => askNumber('SD Card Free Size');
export const sdTotalSize = (): Command<number> => held(askNumber('SD Card Total Size'));
/** `YYYY/MM/DD HH:MM:SS`, the meter's local time without zone. */
export const clock = (): Command<string> => askWord('Clock', (moment) => ({ clock: clockMs(moment) }));
/** The same form, one space: a comma there is refused with R+0002 (field log). */
export const setClock = (moment: string): Command<void> => set('Clock', moment, { clock: clockMs(moment) });

// Power and services

/** Only the flag: a sleeping meter does not answer at all. */
export const sleepMode = (): Command<OnOff> =>
  held(askWord<OnOff>('Sleep Mode', (flag) => ({ sleepMode: flag === 'On' })));
export const setSleepMode = (on: boolean): Command<void> => set('Sleep Mode', on ? 'On' : 'Off', { sleepMode: on });
export const ftp = (): Command<OnOff> => held(askWord<OnOff>('FTP'));
export const setFtp = (on: boolean): Command<void> => set('FTP', on ? 'On' : 'Off');

// Weightings

/** The session stores the weighting of the main channel in fields of its own, of other channels by channel. */
const weightingOf = (channel: ChannelName, kind: 'frequency' | 'time', word: string, sent?: true): Observation =>
  channel === 'Main'
    ? { [`${kind}Weighting`]: word, ...(sent && { weightingSent: sent }) }
    : { otherWeighting: { channel: channel.toLowerCase(), [kind]: word, ...(sent && { sent }) } };

export const frequencyWeighting = (channel: ChannelName): Command<FrequencyWeighting> =>
  held(
    askWord<FrequencyWeighting>(`Frequency Weighting (${channel})`, (word) => weightingOf(channel, 'frequency', word)),
  );
/** Refused while the meter measures. */
export const setFrequencyWeighting = (channel: ChannelName, weighting: FrequencyWeighting): Command<void> =>
  set(`Frequency Weighting (${channel})`, weighting, weightingOf(channel, 'frequency', weighting, true));
export const timeWeighting = (channel: ChannelName): Command<TimeWeighting> =>
  held(askWord<TimeWeighting>(`Time Weighting (${channel})`, (word) => weightingOf(channel, 'time', word)));
/** Refused while the meter measures. */
export const setTimeWeighting = (channel: ChannelName, weighting: TimeWeighting): Command<void> =>
  set(`Time Weighting (${channel})`, weighting, weightingOf(channel, 'time', weighting, true));

/** Whether a sub channel is on, 1 to 3: a channel that is off has no levels. The spelling is not verified. */
export const subChannel = (place: 1 | 2 | 3): Command<OnOff> => askWord<OnOff>(`Display Sub Channel ${place}`);
/** Refused while the meter measures (inferred). */
export const setSubChannel = (place: 1 | 2 | 3, state: OnOff): Command<void> =>
  set(`Display Sub Channel ${place}`, state);

export const percentile = (slot: PercentileSlot): Command<number> =>
  held(ask(`Percentile ${slot}`, percentOf(slot), (percent) => ({ percentile: { slot, percent } })));

function percentOf(slot: PercentileSlot): (line: string) => number {
  const read = numberOf(`Percentile ${slot}`);
  return (line) => {
    const percent = read(line);
    if (Number.isInteger(percent) && percent >= 1 && percent <= 99) return percent;
    throw new DecodeError(`Percentile ${slot} is not 1 to 99`, line);
  };
}

// Storing and times

export const storeMode = (): Command<StoreMode> => held(askWord<StoreMode>('Store Mode'));
/** Refused while the meter measures. */
export const setStoreMode = (mode: StoreMode): Command<void> => set('Store Mode', mode);
export const storeName = (): Command<string> => held(askWord('Store Name', (name) => ({ storeName: name })));
export const setStoreName = (number: number): Command<void> =>
  set('Store Name', number, { storeName: String(number).padStart(4, '0') });
/** Whether the card has data under the present store mode and name: a start would overwrite it. */
export const overwrite = (): Command<'None' | 'Exist'> => askWord<'None' | 'Exist'>('Overwrite');
/** `Off`, `10ms`, `25ms`, `100ms`, `200ms` or `1s`. */
export const lpInterval = (): Command<string> => held(askWord('Lp Store Interval'));
export const setLpInterval = (interval: string): Command<void> => set('Lp Store Interval', interval);

/** The commands of a time. The meter has it as a preset word; if this is `Manual`, as number and unit. */
export interface TimeCommands {
  readonly presets: readonly string[];
  readonly preset: Command<string>;
  readonly number: Command<number>;
  readonly unit: Command<TimeUnit>;
  setPreset(word: string): Command<void>;
  setNumber(number: number): Command<void>;
  setUnit(unit: TimeUnit): Command<void>;
}

function timeCommands(preset: string, time: string): TimeCommands {
  const { values } = factOf(preset);
  return {
    presets: values.kind === 'word' ? values.words : [],
    preset: held(askWord(preset)),
    number: held(askNumber(`${time} (Num)`)),
    unit: held(askUnit(`${time} (Unit)`)),
    setPreset: (word) => set(preset, word),
    setNumber: (number) => set(`${time} (Num)`, number),
    setUnit: (unit) => set(`${time} (Unit)`, unit),
  };
}

export const MEASUREMENT_TIMES = {
  Manual: timeCommands('Measurement Time Preset Manual', 'Measurement Time Manual'),
  Auto: timeCommands('Measurement Time Preset Auto', 'Measurement Time Auto'),
} as const;
/** The Leq calculation interval; its word may also be `Off`. */
export const LEQ_INTERVAL = timeCommands('Leq Calculation Interval Preset', 'Leq Calculation Interval');
