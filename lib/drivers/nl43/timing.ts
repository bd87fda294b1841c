/**
 * Reads and writes the settings that take several commands: the measurement time (two of them, one for each store mode)
 * and the Leq interval. They need a reservation, so that no other command comes between.
 */

import { isGatewayError } from '../../errors.ts';
import type { Sender as FullSender } from '../contract.ts';
import type { Command } from '../wire/contract.ts';
import * as commands from './commands.ts';
import { factOf } from './dialect.ts';
import { isUnsure, planText, planTime, type TimePlan, timeText } from './times.ts';

type Sender = Pick<FullSender, 'send'>;

/** The commands of one time setting: a preset word, and number and unit for when that word is `Manual`. */
interface TimeSetting {
  readonly presets: readonly string[];
  readonly preset: () => Command<string>;
  readonly number: () => Command<number>;
  readonly unit: () => Command<commands.TimeUnit>;
  readonly setPreset: (word: string) => Command<void>;
  readonly setNumber: (number: number) => Command<void>;
  readonly setUnit: (unit: commands.TimeUnit) => Command<void>;
}

const wordsOf = (name: string): readonly string[] => {
  const { values } = factOf(name);
  return values.kind === 'word' ? values.words : [];
};

const measurementTime = (of: commands.TimeOf): TimeSetting => ({
  presets: wordsOf(`Measurement Time Preset ${of}`),
  preset: () => commands.measurementTimePreset(of),
  number: () => commands.measurementTimeNumber(of),
  unit: () => commands.measurementTimeUnit(of),
  setPreset: (word) => commands.setMeasurementTimePreset(of, word),
  setNumber: (number) => commands.setMeasurementTimeNumber(of, number),
  setUnit: (unit) => commands.setMeasurementTimeUnit(of, unit),
});

const leqInterval: TimeSetting = {
  presets: wordsOf('Leq Calculation Interval Preset'),
  preset: commands.leqIntervalPreset,
  number: commands.leqIntervalNumber,
  unit: commands.leqIntervalUnit,
  setPreset: commands.setLeqIntervalPreset,
  setNumber: commands.setLeqIntervalNumber,
  setUnit: commands.setLeqIntervalUnit,
};

/** The measurement time of the store mode that the meter is in: `10m`, `45s`, `12h`. Errors: as `Sender.send`. */
export async function readMeasurementTime(reservation: Sender): Promise<string> {
  return read(reservation, await timeInUse(reservation));
}

/**
 * Sets the measurement time of the store mode that the meter is in, and returns it as `readMeasurementTime` would.
 * `text`: `<n>s`, `<n>m`, `<n>h` or `HH:MM:SS`. Errors: INVALID before anything is sent; as `Sender.send`.
 */
export async function writeMeasurementTime(reservation: Sender, text: string): Promise<string> {
  const plan = planTime(text, measurementTime('Manual').presets);
  return write(reservation, await timeInUse(reservation), plan);
}

/** The Leq calculation interval: `Off`, `10m`, `45s`. Errors: as `Sender.send`. */
export const readLeqInterval = (reservation: Sender): Promise<string> => read(reservation, leqInterval);

/** Sets the Leq calculation interval; as `writeMeasurementTime`, and `Off`. */
export async function writeLeqInterval(reservation: Sender, text: string): Promise<string> {
  return write(reservation, leqInterval, planTime(text, leqInterval.presets));
}

/**
 * In auto store mode the meter goes by the times of auto store; the others have no effect then (guide 66132 p.61). Timer Auto
 * is taken for an auto store that begins by the clock (inferred).
 */
async function timeInUse(reservation: Sender): Promise<TimeSetting> {
  return measurementTime((await reservation.send(commands.storeMode())) === 'Manual' ? 'Manual' : 'Auto');
}

async function read(reservation: Sender, time: TimeSetting): Promise<string> {
  const preset = await reservation.send(time.preset());
  if (preset !== 'Manual') return preset;
  const number = await reservation.send(time.number());
  return timeText(number, await reservation.send(time.unit()));
}

/** Number and unit first: while a preset is active they have no effect, so a refusal of one of them does no harm. */
async function write(reservation: Sender, time: TimeSetting, plan: TimePlan): Promise<string> {
  if (plan.kind === 'manual') await (isUnsure(plan) ? writeUnsure : writeSure)(reservation, time, plan);
  await reservation.send(time.setPreset(plan.kind === 'preset' ? plan.word : 'Manual'));
  return planText(plan);
}

type Manual = TimePlan & { readonly kind: 'manual' };

async function writeSure(reservation: Sender, time: TimeSetting, { number, unit }: Manual): Promise<void> {
  await reservation.send(time.setNumber(number));
  await reservation.send(time.setUnit(unit));
}

/** While `Manual` is active a number with the wrong unit would be another time: if the unit is refused, the number is set back. */
async function writeUnsure(reservation: Sender, time: TimeSetting, plan: Manual): Promise<void> {
  const before = await reservation.send(time.number());
  try {
    await writeSure(reservation, time, plan);
  } catch (error) {
    if (isGatewayError(error, 'DEVICE_REFUSED_PARAMETER')) await reservation.send(time.setNumber(before));
    throw error;
  }
}
