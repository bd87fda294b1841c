/**
 * Reads the battery level of the meter. The meter answers a word (field log: `Full`, three times); the API shows a
 * number. The percentages are a convention of this gateway, not a measurement: no manual states the range of a word.
 */
import { DecodeError } from '../wire/contract.ts';
import { COMMANDS } from './spec/commands.ts';
import { trimSpaces } from './values.ts';

/** By the word of the meter, 0-100. */
export const BATTERY_PERCENT: Readonly<Record<string, number>> = Object.freeze(
  Object.assign(Object.create(null) as Record<string, number>, { Full: 100, Middle: 60, Low: 30, Dead: 5, Empty: 0 }),
);

/** A reply about the battery. */
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
 * Reads a word, or a whole number 0-100. `Full` is the only word seen on a real meter, so another word is passed on
 * without a percentage: a refusal would cost the connection at each reading. Throws DecodeError on anything else.
 */
export function decodeBattery(line: string): BatteryWord {
  const text = trimSpaces(line);
  if (WORD.test(text) && !FOREIGN.has(text)) return { percent: BATTERY_PERCENT[text] ?? null, word: text };
  if (NUMBER.test(text) && Number(text) <= 100) return { percent: Number(text), word: null };
  throw new DecodeError('the reply to Battery Level? cannot be read', line);
}
