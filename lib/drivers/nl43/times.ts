/**
 * Times in the words of the API, and the times that the meter can have. The settings of timed
 * measurements are read and set here, too.
 *
 * The meter takes a preset word, or a number and a unit (guide 66132 p.60-63). It probably does not take `HH:MM:SS`:
 * nobody has seen it, and its grammar does not have it. Numbers are 1-59 for seconds and minutes and 1-1000 for hours
 * on the NL-42. Whether an NL-43 takes 330 s or 90 m is unknown, so the meter decides.
 */
import { GatewayError, isGatewayError } from '../../errors.ts';
import type { Sender as FullSender } from '../contract.ts';
import { LEQ_INTERVAL, MEASUREMENT_TIMES, storeMode, type TimeCommands, type TimeUnit } from './commands.ts';

type TimePlan =
  | { readonly kind: 'preset'; readonly word: string }
  | { readonly kind: 'manual'; readonly number: number; readonly unit: TimeUnit };

const MINUTE = 60;
const HOUR = 3_600;
const LONGEST = 1_000 * HOUR;
const SECONDS: Readonly<Record<TimeUnit, number>> = { s: 1, m: MINUTE, h: HOUR };

/** The largest number for any unit, and the largest certain number for each unit (NL-42; inferred for the NL-43). */
const LARGEST = 1_000;
const SURE: Readonly<Record<TimeUnit, number>> = { s: 59, m: 59, h: LARGEST };

const COUNTED = /^(\d{1,7})([smh])$/;
const SPELT = /^(\d{2,4}):(\d{2}):(\d{2})$/;

/** `90s`, `5m`, `12h` or `HH:MM:SS` as seconds, 1 s to 1000 h. Throws INVALID. */
export function parseTime(text: string): number {
  const seconds = counted(text) ?? spelt(text);
  if (seconds === undefined) throw invalid(`${quote(text)} is no time: use <n>s, <n>m, <n>h or HH:MM:SS`);
  if (seconds === 0) throw invalid(`${quote(text)} is no time: at least 1 s`);
  if (seconds > LONGEST) throw invalid(`${quote(text)} is too long: at most 1000 h`);
  return seconds;
}

/** The form of GET answers and presets: `45s`, `10m`, `12h`. */
const timeText = (number: number, unit: TimeUnit): string => `${number}${unit}`;

/**
 * `presets`: the meter's words for this setting; `Off` is taken literally. Throws INVALID with the nearest possible
 * times.
 */
export function planTime(text: string, presets: readonly string[]): TimePlan {
  if (text !== 'Manual' && presets.includes(text)) return { kind: 'preset', word: text };
  const seconds = parseTime(text);
  const unit = coarsest(seconds);
  const number = seconds / SECONDS[unit];
  if (number > LARGEST) throw invalid(notHeld(text, seconds));
  const word = timeText(number, unit);
  return presets.includes(word) ? { kind: 'preset', word } : { kind: 'manual', number, unit };
}

export const planText = (plan: TimePlan): string =>
  plan.kind === 'preset' ? plan.word : timeText(plan.number, plan.unit);

/** Whether the meter may refuse the unit after it accepted the number. */
export const isUnsure = ({ number, unit }: TimePlan & { kind: 'manual' }): boolean => number > SURE[unit];

function coarsest(seconds: number): TimeUnit {
  if (seconds % HOUR === 0) return 'h';
  return seconds % MINUTE === 0 ? 'm' : 's';
}

/** Names only times that every meter takes: 61 minutes are not possible. */
function notHeld(text: string, seconds: number): string {
  const unit = seconds < HOUR ? 'm' : 'h';
  const below = Math.floor(seconds / SECONDS[unit]);
  const above = unit === 'm' && below === SURE.m ? timeText(1, 'h') : timeText(below + 1, unit);
  const nearest = `${timeText(below, unit)} and ${above}`;
  return `${quote(text)} cannot be set: the meter counts to ${LARGEST} in whole seconds, minutes or hours; the nearest are ${nearest}`;
}

function counted(text: string): number | undefined {
  const [, number, unit] = COUNTED.exec(text) ?? [];
  return unit === 's' || unit === 'm' || unit === 'h' ? Number(number) * SECONDS[unit] : undefined;
}

function spelt(text: string): number | undefined {
  const match = SPELT.exec(text);
  if (!match) return undefined;
  const [hours = 0, minutes = 0, seconds = 0] = match.slice(1).map(Number);
  if (minutes > 59 || seconds > 59) throw invalid(`${quote(text)} is no time: minutes and seconds go up to 59`);
  return hours * HOUR + minutes * MINUTE + seconds;
}

const quote = (text: string): string => JSON.stringify(text.length > 40 ? `${text.slice(0, 40)}...` : text);
const invalid = (detail: string): GatewayError => new GatewayError('INVALID', detail);

type Sender = Pick<FullSender, 'send'>;

// Several commands each: they need a reservation, so that no other command comes between.

export async function readMeasurementTime(reservation: Sender): Promise<string> {
  return read(reservation, await timeInUse(reservation));
}

/**
 * Sets the measurement time of the present store mode. Returns it as `readMeasurementTime` would. Errors: INVALID
 * before anything is sent.
 */
export async function writeMeasurementTime(reservation: Sender, text: string): Promise<string> {
  const plan = planTime(text, MEASUREMENT_TIMES.Manual.presets);
  return write(reservation, await timeInUse(reservation), plan);
}

export const readLeqInterval = (reservation: Sender): Promise<string> => read(reservation, LEQ_INTERVAL);

/** As `writeMeasurementTime`, and `Off`. */
export async function writeLeqInterval(reservation: Sender, text: string): Promise<string> {
  return write(reservation, LEQ_INTERVAL, planTime(text, LEQ_INTERVAL.presets));
}

/**
 * In auto store mode the meter goes by the times of auto store; the others have no effect then (guide 66132 p.61). Timer Auto
 * is taken for an auto store that begins by the clock (inferred).
 */
async function timeInUse(reservation: Sender): Promise<TimeCommands> {
  return MEASUREMENT_TIMES[(await reservation.send(storeMode())) === 'Manual' ? 'Manual' : 'Auto'];
}

async function read(reservation: Sender, time: TimeCommands): Promise<string> {
  const preset = await reservation.send(time.preset);
  if (preset !== 'Manual') return preset;
  const number = await reservation.send(time.number);
  return timeText(number, await reservation.send(time.unit));
}

/** Number and unit first: while a preset is active they have no effect, so a refusal of one of them does no harm. */
async function write(reservation: Sender, time: TimeCommands, plan: TimePlan): Promise<string> {
  if (plan.kind === 'manual') await (isUnsure(plan) ? writeUnsure : writeSure)(reservation, time, plan);
  await reservation.send(time.setPreset(plan.kind === 'preset' ? plan.word : 'Manual'));
  return planText(plan);
}

type Manual = TimePlan & { readonly kind: 'manual' };

async function writeSure(reservation: Sender, time: TimeCommands, { number, unit }: Manual): Promise<void> {
  await reservation.send(time.setNumber(number));
  await reservation.send(time.setUnit(unit));
}

/** While `Manual` is active a number with the wrong unit would be another time: if the unit is refused, the number is set back. */
async function writeUnsure(reservation: Sender, time: TimeCommands, plan: Manual): Promise<void> {
  const before = await reservation.send(time.number);
  try {
    await writeSure(reservation, time, plan);
  } catch (error) {
    if (isGatewayError(error, 'DEVICE_REFUSED_PARAMETER')) await reservation.send(time.setNumber(before));
    throw error;
  }
}
