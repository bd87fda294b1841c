/** Values of the database as they should be, or undefined. SQLite takes any type in any column. */
import { PLAIN_TEXT } from '../../../lib/index.ts';

const PLAIN = new RegExp(PLAIN_TEXT);

/** Without control characters. */
export const plainText = (value: unknown, longest = 200): string | undefined =>
  typeof value === 'string' && value.length <= longest && PLAIN.test(value) ? value : undefined;

/** NULL and what is no number are the default. Digits in a text are a number. */
export function wholeNumber(value: unknown, least: number, most: number, usual: number): number {
  const number = typeof value === 'string' && /^\d{1,9}$/.test(value) ? Number(value) : value;
  return typeof number === 'number' && Number.isInteger(number) && number >= least && number <= most ? number : usual;
}

/** 0 or 1 as SQLite has it; all else is `usual`. */
export const flag = (value: unknown, usual: boolean): boolean => (value === 1 ? true : value === 0 ? false : usual);

const NUMBER = /^-?\d{1,4}(\.\d{1,6})?$/;
/** A level, dB. `-.-` and everything else is no level. */
export function level(value: unknown): number | undefined {
  const number = typeof value === 'string' && NUMBER.test(value.trim()) ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) && Math.abs(number) < 200 ? number : undefined;
}

const TIME = /^(\d{4})-(\d{2})-(\d{2})[ T](\d{2}):(\d{2}):(\d{2})(?:\.(\d{1,6}))?$/;
/** ms since 1970: times are UTC without a zone. */
export function moment(value: unknown): number | undefined {
  if (typeof value !== 'string') return undefined;
  const [, year, month, day, hour, minute, second, fraction = '0'] = TIME.exec(value) ?? [];
  if (year === undefined) return undefined;
  const at = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}.${fraction.padEnd(3, '0').slice(0, 3)}Z`);
  return Number.isNaN(at) || at < Date.UTC(2020) ? undefined : at;
}
