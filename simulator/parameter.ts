/** Reads the text after the comma of a setting, by the kind of its value. Canonical spelling, or null: R+0002. */
import type { CommandValues } from '../lib/drivers/nl43/spec/commands.ts';
import { parseDeviceTime } from './device-time.ts';
import type { Profile } from './profile.ts';

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
