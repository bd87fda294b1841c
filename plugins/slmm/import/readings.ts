/**
 * The levels of a database of SLMM. Half a million of them are kept as two lists of numbers for each unit, and become rows
 * of the history in parts.
 */
import { countOf, type Family, type SecondRow } from '../../../lib/index.ts';
import type { SlmmDatabase } from './database.ts';
import type { ImportNotes } from './notes.ts';
import { levelsIn } from './raw-line.ts';
import { level, moment, quotedStart } from './values.ts';

/** SLMM keeps one day with a reading each minute: this is one day of about three hundred meters. */
const MOST_READINGS = 500_000;

/** The source of levels, and the notes about left-out levels. `names`: unit ids by their names in SLMM. */
export interface ReadingSource {
  readonly database: SlmmDatabase;
  readonly names: ReadonlyMap<string, string>;
  readonly mended: ImportNotes;
  readonly left: ImportNotes;
  /** Of the family of the meters. */
  readonly readLine: Family['readStoredLine'];
  readonly signal: AbortSignal;
}

/** Single readings of one unit. */
export class UnitReadings {
  /** Seconds since 1970 UTC, and dB. */
  readonly #at: number[] = [];
  readonly #lp: number[] = [];

  /** `at`: ms since 1970 UTC. */
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

/**
 * A single reading: its Lp. The Leq, Lmax and percentiles beside it belong to the whole measurement until then, not to that
 * minute.
 */
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
  for await (const row of database.rows('nl43_readings', ['unit_id', 'timestamp', 'lp'], MOST_READINGS, signal)) {
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

/** The last values of each unit, from the line that the meter sent: some SLMM releases wrote wrong values into the columns beside it. */
async function addLastValues(
  { database, names, left, mended, readLine, signal }: ReadingSource,
  readings: Map<string, UnitReadings>,
): Promise<void> {
  const wanted = ['unit_id', 'last_seen', 'lp', 'raw_payload'];
  for await (const row of database.rows('nl43_status', wanted, Number.MAX_SAFE_INTEGER, signal)) {
    const unitId = names.get(String(row.unit_id));
    const at = moment(row.last_seen);
    if (unitId === undefined || at === undefined) {
      left.add(`The last values of ${quotedStart(row.unit_id)}: no unit that is taken over, or no time.`);
      continue;
    }
    const line = typeof row.raw_payload === 'string' ? row.raw_payload : '';
    const levels = levelsIn(line, readLine);
    if (!levels) {
      left.add(`The last values of ${unitId}: there is no line of the meter with an Lp, so they cannot be checked.`);
      continue;
    }
    const stored = level(row.lp);
    if (stored !== levels.lp)
      mended.add(
        `The last level of ${unitId} is ${levels.lp} dB, as the meter wrote it; SLMM had stored ${stored ?? 'none'}.`,
      );
    add(readings, unitId, at, levels.lp);
  }
}

function add(readings: Map<string, UnitReadings>, unitId: string, at: number, lp: number): void {
  const own = readings.get(unitId) ?? new UnitReadings();
  if (own.count === 0) readings.set(unitId, own);
  own.add(at, lp);
}
