/**
 * A line becomes a request, or the complaint that the meter makes about its form. Complaints come in this order: the name
 * (R+0001), setting or request (R+0003), the parameter (R+0002). Whether the state allows it (R+0004) is the machine's.
 */
import {
  COMMANDS,
  type CommandFact,
  type CommandValues,
  DRD_STATUS_REQUEST,
} from '../lib/drivers/nl43/spec/commands.ts';
import type { RefusalCode } from '../lib/drivers/nl43/spec/framing.ts';
import { parseDeviceTime } from './device-time.ts';
import type { Profile } from './profile.ts';

export type Command =
  | { readonly kind: 'request'; readonly fact: CommandFact; readonly status: boolean }
  | { readonly kind: 'setting'; readonly fact: CommandFact; readonly value: string };

const BY_NAME: ReadonlyMap<string, CommandFact> = new Map(COMMANDS.map((fact) => [fact.name.toLowerCase(), fact]));

/** The command of this name. Case does not matter, spaces inside a name do (captured: `ManualStore` is R+0001). */
export const findCommand = (name: string): CommandFact | undefined => BY_NAME.get(name.toLowerCase());

export function readLine(text: string, profile: Profile): Command | RefusalCode {
  if (text.toLowerCase() === 'reset') return readReset(profile);
  const mark = text.search(/[?,]/);
  // Only a name is no command: `Manual Store` without parameter was R+0001.
  const fact = mark < 0 ? undefined : findCommand(text.slice(0, mark));
  if (!fact || fact.name === 'Reset') return 'R+0001';
  if (fact.option) return profile.absent_option;
  return text[mark] === '?' ? readRequest(fact, text, mark) : readSetting(fact, text.slice(mark + 1), profile);
}

function readReset(profile: Profile): Command | RefusalCode {
  const fact = findCommand('Reset');
  return fact && profile.reset === 'restarts' ? { kind: 'setting', fact, value: '' } : 'R+0001';
}

function readRequest(fact: CommandFact, text: string, mark: number): Command | RefusalCode {
  const status = text.toLowerCase() === DRD_STATUS_REQUEST.toLowerCase();
  if (mark !== text.length - 1 && !status) return 'R+0001';
  return fact.request ? { kind: 'request', fact, status } : 'R+0003';
}

function readSetting(fact: CommandFact, typed: string, profile: Profile): Command | RefusalCode {
  if (!fact.set) return 'R+0003';
  const text = profile.spaces_after_comma === 'any' ? typed.replace(/^ +/, '') : typed;
  const value = readParameter(fact.values, text, profile);
  return value === null ? 'R+0002' : { kind: 'setting', fact, value };
}

/** `values`: what the command takes. */
export function readParameter(values: CommandValues, text: string, profile: Profile): string | null {
  switch (values.kind) {
    case 'word':
      return readWord(values.words, text, profile);
    case 'integer':
      return readInteger(values, text, profile);
    case 'clock':
      return parseDeviceTime(text) === null ? null : text;
    case 'timer':
      return parseDeviceTime(text) !== null && text.endsWith(':00') ? text : null;
    case 'address':
      return readAddress(text);
    default:
      return null;
  }
}

/** Longer words for the units of user times; it is not known which ones the meter takes. */
const LONG_UNITS: Readonly<Record<string, string>> = Object.freeze({ sec: 's', min: 'm', hour: 'h' });

const isUnits = (words: readonly string[]) => words.join() === 's,m,h';

function readWord(words: readonly string[], text: string, profile: Profile): string | null {
  const typed = text.toLowerCase();
  const long = isUnits(words) && profile.user_time_words === 'letters and words' ? LONG_UNITS[typed] : undefined;
  return long ?? words.find((word) => word.toLowerCase() === typed) ?? null;
}

type Integer = Extract<CommandValues, { kind: 'integer' }>;

function readInteger({ min, max, digits }: Integer, text: string, profile: Profile): string | null {
  if (!/^\d{1,9}$/.test(text) || text.length > (digits ?? 9)) return null;
  const value = Number(text);
  if (value < min || value > max) return null;
  return digits && profile.number_padding === 'padded' ? String(value).padStart(digits, '0') : String(value);
}

function readAddress(text: string): string | null {
  const parts = text.split('.');
  const whole = parts.length === 4 && parts.every((part) => /^\d{1,3}$/.test(part) && Number(part) <= 255);
  return whole ? parts.map(Number).join('.') : null;
}
