/** Reads values of the database in their right type, or undefined. SQLite allows any type in any column. */
import { PLAIN_TEXT } from '../../../lib/index.ts';
import type { ImportedRow } from './database.ts';

const PLAIN = new RegExp(PLAIN_TEXT);

/** A value of the database for people: its first characters, quoted. */
export const quotedStart = (value: unknown): string => JSON.stringify(String(value).slice(0, 40));

/** Without control characters. */
export const plainText = (value: unknown, longest = 200): string | undefined =>
  typeof value === 'string' && value.length <= longest && PLAIN.test(value) ? value : undefined;

/** A whole number of this range, also as digits in a text. */
export function wholeNumber(value: unknown, least: number, most: number): number | undefined {
  const number = typeof value === 'string' && /^\d{1,9}$/.test(value) ? Number(value) : value;
  return typeof number === 'number' && Number.isInteger(number) && number >= least && number <= most
    ? number
    : undefined;
}

/** 0 or 1, as SQLite stores it. */
export const flag = (value: unknown): boolean | undefined => (value === 1 ? true : value === 0 ? false : undefined);

/** Reads the values of one row. NULL is the default of SLMM. A wrong value becomes `usual`, and `warn` names its column. */
export class RowValues {
  readonly #row: ImportedRow;
  readonly #warn: (words: string) => void;

  constructor(row: ImportedRow, warn: (words: string) => void) {
    this.#row = row;
    this.#warn = warn;
  }

  read<Value>(name: string, usual: Value, parse: (value: unknown) => Value | undefined): Value {
    const given = this.#row[name];
    if (given === null || given === undefined) return usual;
    const value = parse(given);
    if (value !== undefined) return value;
    const words = SECRETS.includes(name) ? name : `${name} ${quotedStart(given)}`;
    this.#warn(`its ${words} cannot be used; ${usual === null ? 'it is left out' : `it is ${String(usual)} here`}.`);
    return usual;
  }

  number(name: string, usual: number, least: number, most: number): number {
    return this.read(name, usual, (value) => wholeNumber(value, least, most));
  }

  flag(name: string, usual: boolean): boolean {
    return this.read(name, usual, flag);
  }

  /** An empty text is null. */
  text(name: string, longest = 200): string | null {
    return this.read<string | null>(name, null, (value) => (value === '' ? null : plainText(value, longest)));
  }
}

/** Never shown. */
const SECRETS: readonly string[] = ['ftp_username', 'ftp_password'];

const NUMBER = /^-?\d{1,4}(\.\d{1,6})?$/;
/** A level, dB. `-.-` and everything else is no level. */
export function level(value: unknown): number | undefined {
  const number = typeof value === 'string' && NUMBER.test(value.trim()) ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) && Math.abs(number) < 200 ? number : undefined;
}

const TIME = /^(\d{4})-(\d{2})-(\d{2})[ T](\d{2}):(\d{2}):(\d{2})(?:\.(\d{1,6}))?$/;
/** ms since 1970: times in the database are UTC without a zone. */
export function moment(value: unknown): number | undefined {
  if (typeof value !== 'string') return undefined;
  const [, year, month, day, hour, minute, second, fraction = '0'] = TIME.exec(value) ?? [];
  if (year === undefined) return undefined;
  const at = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}.${fraction.padEnd(3, '0').slice(0, 3)}Z`);
  return Number.isNaN(at) || at < Date.UTC(2020) ? undefined : at;
}
