/**
 * State becomes bytes. Widths, order and marks are written from the captured lines of a real NL-43 and from nothing that a
 * reader of these lines uses, so that a mistake there cannot hide here.
 */
import { CHANNELS } from '../lib/drivers/nl43/spec/layouts.ts';
import type { Answer, Data } from './answer.ts';
import type { BlockValues, DisplayValues, PerChannel } from './contract.ts';
import { formatDeviceTime } from './device-time.ts';
import type { Profile } from './profile.ts';

/** Right-aligned in five characters, one decimal: ` 43.7`, `104.2`. */
function level(db: number | null): string {
  if (db === null || !Number.isFinite(db)) return '  -.-';
  // Rounded first, so that a value slightly below zero does not show as -0.0.
  return (Math.round(db * 10) / 10 + 0).toFixed(1).padStart(5);
}

const flag = (raised: boolean) => (raised ? '1' : '0');

const absent = (levels: number) => `${Array(levels).fill('  -.-').join(',')},-,-`;

export const dataLine = (data: Data, profile: Profile): string =>
  data.kind === 'text' ? data.text : displayLine(data.values, profile);

/** One data line of `DOD?` or `DLC?`: 4 channels x 16 fields. */
function displayLine(values: PerChannel<DisplayValues>, profile: Profile): string {
  const additional = profile.additional_values === 'on';
  return CHANNELS.map((name) => {
    const one = values[name];
    return one ? displayChannel(one, additional) : absent(14);
  }).join(',');
}

function displayChannel(one: DisplayValues, additional: boolean): string {
  const extra = additional ? [one.lieq, one.leqMov, one.ltm5] : [null, null, null];
  const levels = [one.lp, one.leq, one.le, one.lmax, one.lmin, ...one.ln, one.lpeak, ...extra];
  return [...levels.map(level), flag(one.over), flag(one.under)].join(',');
}

/** One line of a DRD stream: the counter in three characters, 4 channels x 8 fields. */
export function frameLine(counter: number, frame: PerChannel<BlockValues>, profile: Profile): string {
  const additional = profile.additional_values === 'on';
  const channels = CHANNELS.map((name) => {
    const one = frame[name];
    return one ? frameChannel(one, additional) : absent(6);
  });
  return [String(counter).padStart(3), ...channels].join(',');
}

function frameChannel(one: BlockValues, additional: boolean): string {
  const levels = [one.lp, one.leq, one.lmax, one.lmin, one.lpeak, additional ? one.lieq : null];
  return [...levels.map(level), flag(one.over), flag(one.under)].join(',');
}

export interface Status {
  /** Device time, ms. */
  readonly time: number;
  readonly power: Profile['power_source'];
  /** Word of `Battery Level?`. */
  readonly battery: string;
  readonly sdFreeMb: number;
  readonly measuring: boolean;
}

/** I, E, U: internal battery, external, USB (summary of the guide). */
const POWER = { Battery: 'I', External: 'E', USB: 'U' } as const;

/** The part that `DRD?status` adds to a frame. Contents second-hand, order unverified. */
export function statusTail(status: Status, profile: Profile): string {
  const time = formatDeviceTime(status.time);
  const middle = [POWER[status.power], status.battery.slice(0, 1), String(status.sdFreeMb)];
  const state = status.measuring ? 'M' : 'S';
  return (profile.status_tail === 'time first' ? [time, ...middle, state] : [state, ...middle, time]).join(',');
}

/** A piece of a reply and how long after the piece before it comes. */
export interface Piece {
  readonly afterMs: number;
  readonly text: string;
}

/** Result first, `thinkMs` later, then the data line (captured), then the prompt. A stream has its prompt at its end. */
export function answerPieces({ result, data, stream }: Answer, thinkMs: number, profile: Profile): Piece[] {
  const pieces = [{ afterMs: thinkMs, text: `${result}\r\n` }];
  if (data) pieces.push({ afterMs: profile.data_delay_ms, text: `${dataLine(data, profile)}\r\n` });
  return stream && !profile.prompt_before_frames ? pieces : [...pieces, ...promptPieces(profile)];
}

/** The prompt comes after a reply and has no line end. */
export const promptPieces = (profile: Profile): Piece[] =>
  profile.prompt_after_reply ? [{ afterMs: profile.prompt_delay_ms, text: promptText(profile) }] : [];

export const promptText = (profile: Profile) => (profile.prompt_space ? '$ ' : '$');

/** With Echo on the command comes back first (position inferred). */
export const echoPiece = (typed: string): Piece => ({ afterMs: 0, text: `${typed}\r\n` });
