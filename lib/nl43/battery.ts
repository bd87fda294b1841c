/**
 * What the meter says about its battery. It answers a word (field log: `Full`, three times); the API shows a number. The
 * percentages are a convention of this gateway, not a measurement: one word stands for a range that no manual states.
 */
import { DecodeError } from './contract.ts';
import { factOf } from './dialect.ts';
import { trimBlanks } from './values.ts';

export const BATTERY_PERCENT: Readonly<Record<string, number>> = Object.freeze({
  Full: 100,
  Middle: 60,
  Low: 30,
  Dead: 5,
  Empty: 0,
});

export interface Battery {
  /** 0-100. */
  readonly percent: number;
  /** The word of the meter; null when it answered a number. */
  readonly word: string | null;
}

const NUMBER = /^\d{1,3}$/;

/** Reads a word of the fact, or a whole number 0-100: nobody has seen what other firmware answers. Throws DecodeError. */
export function decodeBattery(line: string): Battery {
  const text = trimBlanks(line);
  const { values } = factOf('Battery Level');
  const percent = values.kind === 'word' && values.words.includes(text) ? BATTERY_PERCENT[text] : undefined;
  if (percent !== undefined) return { percent, word: text };
  if (NUMBER.test(text) && Number(text) <= 100) return { percent: Number(text), word: null };
  throw new DecodeError('the reply to Battery Level? cannot be read', line);
}
