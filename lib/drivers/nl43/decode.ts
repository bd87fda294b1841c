/**
 * Reads the lines with many values: DOD, DLC, DRD and `DRD?status`. By position from the layout: nothing is filtered
 * out, nothing guessed; a line of another shape is a DecodeError. Levels stay the text that the meter formatted.
 */
import { countOf } from '../../domain/figures.ts';
import { POSSIBLE_DB } from '../../domain/level-checks.ts';
import type { DisplayQuantity, LevelsOf } from '../../domain/quantities.ts';
import { isClockText } from '../../domain/zone.ts';
import type { ShownChannel } from '../contract.ts';
import {
  DecodeError,
  type Frame,
  type FrameChannel,
  type Implausible,
  type Level,
  type Supply,
  UnknownLayoutError,
} from '../wire/contract.ts';
import { COMMANDS } from './spec/commands.ts';
import { CHANNELS, DOD, DRD, DRD_STATUS_TAIL } from './spec/layouts.ts';
import { trimSpaces } from './values.ts';

const BATTERY_PERCENT: Readonly<Record<string, number>> = Object.freeze(
  Object.assign(Object.create(null) as Record<string, number>, { Full: 100, Middle: 60, Low: 30, Dead: 5, Empty: 0 }),
);

export interface BatteryWord {
  /** 0-100; null for an unknown word. */
  readonly percent: number | null;
  /** The word of the meter; null when it answered a number. */
  readonly word: string | null;
}

const NUMBER = /^\d{1,3}$/;
const WORD = /^[A-Za-z]{1,16}$/;
/** A reply to another command is not a battery level. */
const FOREIGN: ReadonlySet<string> = new Set(
  COMMANDS.flatMap(({ name, values }) => (name !== 'Battery Level' && values.kind === 'word' ? values.words : [])),
);

/**
 * A word, or a whole number 0-100. The percentages are a convention of this gateway: no manual states the range of a
 * word. On a real meter only `Full` was seen (field log). Another word is passed on without a percentage: a refusal would
 * cost the connection at each reading.
 */
export function decodeBattery(line: string): BatteryWord {
  const text = trimSpaces(line);
  if (WORD.test(text) && !FOREIGN.has(text)) return { percent: BATTERY_PERCENT[text] ?? null, word: text };
  if (NUMBER.test(text) && Number(text) <= 100) return { percent: Number(text), word: null };
  throw new DecodeError('the reply to Battery Level? cannot be read', line);
}

/** The four channels. A channel that is switched off is null as a whole. */
export interface Channels<C> {
  readonly main: C;
  readonly sub1: C | null;
  readonly sub2: C | null;
  readonly sub3: C | null;
  readonly others: readonly (C | null)[];
}

export type DisplayChannel = LevelsOf<DisplayQuantity, Level> & Omit<ShownChannel, DisplayQuantity>;

export type Display = Channels<DisplayChannel>;

/** Fields of a `DRD?status` line after the levels. An unreadable field is null: its position is not verified. */
interface StatusTail {
  /** The meter's own clock, `YYYY/MM/DD HH:MM:SS`, no zone. */
  readonly time: string | null;
  readonly power: 'Battery' | 'External' | 'USB' | null;
  readonly battery: 'Full' | 'Middle' | 'Low' | 'Dead' | 'Empty' | null;
  readonly sd_free_mb: number | null;
  /** In the words of `Measure?`. */
  readonly state: 'Start' | 'Stop' | null;
}

export type Nl43Frame = Frame & Channels<FrameChannel>;

export type StatusFrame = Nl43Frame & StatusTail & Required<Pick<Frame, 'supply'>>;

const { lowest, highest } = POSSIBLE_DB;
/** LE is above Leq by ten times the logarithm of the measured seconds: 66 dB after the longest measurement, 1000 h. */
const HIGHEST_LE_DB = highest + 66;

/**
 * The range of these meters is assumed to be 25 to 138 dB (A) (unverified); values beyond it are marked as over or
 * under range and stay near it. The wide limits here are only for impossible numbers, such as 999.9. The meter pads
 * with spaces, so a leading zero (`045.1`) is not from a meter.
 */
function isPlausible(name: string, text: string): boolean {
  const db = Number(text);
  return !/^-?0\d/.test(text) && db >= lowest && db <= (name === 'le' ? HIGHEST_LE_DB : highest);
}

/** One channel. A parameter of the readers, so that a test can change it. */
export interface Layout<F extends string> {
  readonly fields: readonly F[];
  readonly flags: readonly F[];
  readonly channels: number;
}
export type ChannelNames = readonly (typeof CHANNELS)[number][];
type TailLayout = Omit<typeof DRD_STATUS_TAIL, 'fields' | 'evidence'> & {
  readonly fields: readonly (keyof StatusTail)[];
};

/** Five characters, one decimal (captured). The sign is for a level below 20 uPa, which no capture shows. */
const LEVEL = /^-?\d{1,3}\.\d$/;
/** `-.-` (captured) or `--.-` (NL-42 manual, same family). */
const MISSING = /^-{1,2}\.-$/;
const COUNTER = /^\d{1,3}$/;
/** Longer than any field in a capture. So a very long field never reaches the regular expressions. */
const WIDEST_FIELD = 12;
/** A line with fewer levels and flags is not of another layout, but incomplete. */
const LEAST_FIELDS = 16;

/** `DOD?` and `DLC?`: 64 fields. An RT meter sends a longer line, whose layout nobody has seen: DecodeError. */
export function decodeDisplay(
  line: string,
  layout: Layout<keyof DisplayChannel> = DOD,
  names: ChannelNames = CHANNELS,
): Display {
  const fields = split(line);
  expectCount(line, fields, layout.channels * layout.fields.length);
  return readChannels(line, fields, layout, names);
}

/** A line of `DRD?`: the counter and 32 fields. Any counter of three digits is accepted: its range is not captured. */
export function decodeFrame(
  line: string,
  layout: Layout<keyof FrameChannel> = DRD,
  names: ChannelNames = CHANNELS,
): Nl43Frame {
  const fields = split(line);
  expectCount(line, fields, 1 + layout.channels * layout.fields.length);
  return readFrame(line, fields, layout, names);
}

/**
 * `DRD?status`: a DRD line and a tail whose order is second-hand. A tail of another length, or an unreadable field, is
 * null.
 */
export function decodeStatusFrame(line: string, tail: TailLayout = DRD_STATUS_TAIL): StatusFrame {
  const fields = split(line);
  const head = 1 + DRD.channels * DRD.fields.length;
  if (fields.length < head)
    throw new DecodeError(`${countOf(fields.length, 'field')} instead of ${head} and a tail`, line);
  const frame = readFrame(line, fields.slice(0, head), DRD, CHANNELS);
  const status = readTail(fields.slice(head), tail);
  return { ...frame, ...status, supply: supplyOf(status) };
}

export function decodeWholeStatusFrame(line: string): StatusFrame {
  const frame = decodeStatusFrame(line);
  const missing = DRD_STATUS_TAIL.fields.find((name) => frame[name] === null);
  if (missing) throw new DecodeError(`the status behind the frame cannot be read: ${missing}`, line);
  return frame;
}

const supplyOf = ({ power, battery, sd_free_mb }: StatusTail): Supply => ({
  powerSource: power,
  batteryWord: battery,
  batteryPercent: battery === null ? null : (BATTERY_PERCENT[battery] ?? null),
  cardFreeMb: sd_free_mb,
});

const split = (line: string): string[] => line.split(',');

function expectCount(line: string, fields: readonly string[], count: number): void {
  if (fields.length === count) return;
  const what = `${countOf(fields.length, 'field')} instead of ${count}`;
  // An option board may have added fields of another kind.
  const isRow = fields.filter((field) => isLevelOrFlag(trimSpaces(field))).length >= LEAST_FIELDS;
  throw isRow ? new UnknownLayoutError(what, line) : new DecodeError(what, line);
}

const isLevelOrFlag = (text: string): boolean =>
  text.length <= WIDEST_FIELD && (LEVEL.test(text) || MISSING.test(text) || /^[01-]$/.test(text));

function readFrame(
  line: string,
  [counter = '', ...rest]: readonly string[],
  layout: Layout<keyof FrameChannel>,
  names: ChannelNames,
): Nl43Frame {
  const text = trimSpaces(counter);
  if (counter.length > WIDEST_FIELD || !COUNTER.test(text))
    throw new DecodeError('the frame counter is no number', line);
  return { counter: Number(text), ...readChannels(line, rest, layout, names) };
}

function readChannels<C, F extends keyof C & string>(
  line: string,
  fields: readonly string[],
  layout: Layout<F>,
  names: ChannelNames,
): Channels<C> {
  const width = layout.fields.length;
  const channels = names.map((name, index) => {
    const channel = readChannel<F>(line, fields.slice(index * width, (index + 1) * width), layout);
    return [name, name !== 'main' && isOff(channel) ? null : channel];
  });
  const found = Object.fromEntries(channels);
  return { ...found, others: names.slice(1).map((name) => found[name]) };
}

type Row<F extends string> = { readonly [K in F]: Level | boolean };

function readChannel<F extends string>(line: string, fields: readonly string[], layout: Layout<F>): Row<F> {
  const row: Record<string, Level | boolean | Implausible> = {};
  const implausible: Record<string, string> = {};
  for (const [index, name] of layout.fields.entries()) {
    const text = fields[index] ?? '';
    const value = layout.flags.includes(name) ? readFlag(line, name, text) : readLevel(line, name, text);
    const isPossible = typeof value !== 'string' || isPlausible(name, value);
    row[name] = isPossible ? value : null;
    if (!isPossible) implausible[name] = String(value);
  }
  if (Object.keys(implausible).length > 0) row.implausible = implausible;
  return row as Row<F>;
}

/** `-` for both flags and no level. A level beside `-` flags was never seen; it is passed on, not dropped. */
const isOff = (row: Row<string>): boolean => Object.values(row).every((value) => value === null);

function readLevel(line: string, name: string, field: string): Level {
  const text = field.length <= WIDEST_FIELD ? trimSpaces(field) : field;
  if (text.length <= WIDEST_FIELD && LEVEL.test(text)) return text;
  if (MISSING.test(text)) return null;
  throw new DecodeError(`${name} is no level`, line);
}

function readFlag(line: string, name: string, field: string): boolean | null {
  const text = field.length <= WIDEST_FIELD ? trimSpaces(field) : field;
  if (text === '0' || text === '1') return text === '1';
  if (text === '-') return null;
  throw new DecodeError(`${name} is no flag`, line);
}

const NO_TAIL: StatusTail = Object.freeze({ time: null, power: null, battery: null, sd_free_mb: null, state: null });

function readTail(fields: readonly string[], layout: TailLayout): StatusTail {
  if (fields.length !== layout.fields.length) return NO_TAIL;
  const at = (name: keyof StatusTail): string => trimSpaces(fields[layout.fields.indexOf(name)] ?? '');
  return {
    time: isClockText(at('time')) ? at('time') : null,
    power: letter(layout.power, at('power')),
    battery: letter(layout.battery, at('battery')),
    sd_free_mb: /^\d{1,7}(?:\.\d{1,3})?$/.test(at('sd_free_mb')) ? Number(at('sd_free_mb')) : null,
    state: letter(layout.state, at('state')),
  };
}

const letter = <V>(table: Readonly<Record<string, V>>, text: string): V | null =>
  Object.hasOwn(table, text) ? (table[text] ?? null) : null;
