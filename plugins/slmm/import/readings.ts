/**
 * The levels of a database of SLMM. Half a million of them are kept as two lists of numbers for each unit, and become rows
 * of the history in parts.
 */
import { countOf, PLAIN_TEXT, type SecondRow } from '../../../lib/built-in.ts';
import type { Family } from '../../../lib/index.ts';
import type { ImportedRow, SlmmDatabase } from './database.ts';
import type { ImportNotes } from './dropped.ts';

/**
 * The Lp in a line of the meter that SLMM has stored, dB; undefined: the line is of another kind, or has none. The
 * columns beside the line are wrong. Releases before 2026-01-07 took the fields of a line of the stream one too far to
 * the left. Releases from then until 2026-06-08 did the same with a line of the display.
 */
function lpIn(line: string, read: Family['readStoredLine']): number | undefined {
  try {
    const { lp = null } = read?.(line) ?? {};
    return lp === null ? undefined : Number(lp);
  } catch {
    return undefined;
  }
}

const PLAIN = new RegExp(PLAIN_TEXT);

export const quotedStart = (value: unknown): string => JSON.stringify(String(value).slice(0, 40));

export const plainText = (value: unknown, longest = 200): string | undefined =>
  typeof value === 'string' && value.length <= longest && PLAIN.test(value) ? value : undefined;

/** A whole number of this range, also as digits in a text. */
export function wholeNumber(value: unknown, least: number, most: number): number | undefined {
  const number = typeof value === 'string' && /^\d{1,9}$/.test(value) ? Number(value) : value;
  return typeof number === 'number' && Number.isInteger(number) && number >= least && number <= most
    ? number
    : undefined;
}

export const flag = (value: unknown): boolean | undefined => (value === 1 ? true : value === 0 ? false : undefined);

/**
 * The values of one row in their right type: SQLite allows any type in any column. NULL is the default of SLMM. A wrong
 * value becomes `usual`, and `warn` names its column.
 */
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

/** SLMM keeps one day with a reading each minute: this is one day of about three hundred meters. */
const MOST_READINGS = 500_000;

/** The source of levels, and the notes about left-out levels. `names`: unit ids by their names in SLMM. */
export interface ReadingSource {
  readonly database: SlmmDatabase;
  readonly names: ReadonlyMap<string, string>;
  readonly mended: ImportNotes;
  readonly left: ImportNotes;
  readonly readLine: Family['readStoredLine'];
  readonly signal: AbortSignal;
}

export class UnitReadings {
  readonly #at: number[] = [];
  readonly #lp: number[] = [];

  add(at: number, lp: number): void {
    this.#at.push(Math.floor(at / 1_000));
    this.#lp.push(lp);
  }

  get count(): number {
    return this.#at.length;
  }

  /** The seconds with a reading, each once, ascending. */
  seconds(): number[] {
    return [...new Set(this.#at)].sort((a, b) => a - b);
  }

  /** In order of time, at most `most` at once. */
  *rows(most: number): Generator<readonly SecondRow[]> {
    const order = this.#at.map((_, place) => place).sort((a, b) => (this.#at[a] ?? 0) - (this.#at[b] ?? 0));
    for (let from = 0; from < order.length; from += most)
      yield order.slice(from, from + most).map((place) => rowOf(this.#at[place] ?? 0, this.#lp[place] ?? 0));
  }
}

/** The Leq, Lmax and percentiles beside it belong to the whole measurement until then, not to that minute. */
const rowOf = (at: number, lp: number): SecondRow => ({
  at,
  steps: 0,
  leq: null,
  lmax: null,
  lmin: null,
  lpeak: null,
  lp: [lp],
});

/** By unit. Errors: INVALID if the file cannot be read, and the reason of the signal. */
export async function readingsIn(source: ReadingSource): Promise<Map<string, UnitReadings>> {
  const { database, names, left, signal } = source;
  const readings = new Map<string, UnitReadings>();
  let without = 0;
  for await (const row of database.rows('nl43_readings', MOST_READINGS, signal)) {
    const unitId = names.get(String(row.unit_id));
    const at = moment(row.timestamp);
    const lp = level(row.lp);
    if (unitId === undefined || at === undefined || lp === undefined) without += 1;
    else add(readings, unitId, at, lp);
  }
  if (without > 0) left.add(`${countOf(without, 'reading')} without a unit that is taken over, a time or an Lp.`);
  const more = (await database.count('nl43_readings', signal)) - MOST_READINGS;
  if (more > 0) left.add(`${countOf(more, 'reading')}: one import takes at most ${MOST_READINGS}.`);
  await addLastValues(source, readings);
  return readings;
}

async function addLastValues(
  { database, names, left, mended, readLine, signal }: ReadingSource,
  readings: Map<string, UnitReadings>,
): Promise<void> {
  for await (const row of database.rows('nl43_status', Number.MAX_SAFE_INTEGER, signal)) {
    const unitId = names.get(String(row.unit_id));
    const at = moment(row.last_seen);
    if (unitId === undefined || at === undefined) {
      left.add(`The last values of ${quotedStart(row.unit_id)}: no unit that is taken over, or no time.`);
      continue;
    }
    const line = typeof row.raw_payload === 'string' ? row.raw_payload : '';
    const lp = lpIn(line, readLine);
    if (lp === undefined) {
      left.add(`The last values of ${unitId}: there is no line of the meter with an Lp, so they cannot be checked.`);
      continue;
    }
    const stored = level(row.lp);
    if (stored !== lp)
      mended.add(
        `The last level of ${unitId} is ${lp} dB, as the meter wrote it; SLMM had stored ${stored ?? 'none'}.`,
      );
    add(readings, unitId, at, lp);
  }
}

function add(readings: Map<string, UnitReadings>, unitId: string, at: number, lp: number): void {
  const own = readings.get(unitId) ?? new UnitReadings();
  if (own.count === 0) readings.set(unitId, own);
  own.add(at, lp);
}
