/**
 * Copies finished data of this computer to the database: hours that are over, and intervals. Local rows are removed
 * only after the database has them, and only if they did not change meanwhile; changed rows are copied next time.
 * Copying rows twice has no effect.
 */
import { SECONDS_AN_HOUR } from '../rows/bytes.ts';
import { OpenHour } from '../rows/open-hour.ts';
import type { LocalHour, LocalRows } from '../sqlite/local-rows.ts';
import { packedHour, type SeriesRecord } from '../stored/source.ts';
import { type Work, waitFor } from '../stored/work.ts';
import type { PostgresDatabase, Statements } from './database.ts';
import { lockedHours, placeText, type SeriesHour, seriesWith, writeHours, writeIntervals } from './statements.ts';
import type { Months } from './tables.ts';

const HOURS_AT_ONCE = 16;
const INTERVALS_AT_ONCE = 500;

interface CarryingParts {
  readonly database: PostgresDatabase;
  readonly months: Months;
  readonly here: LocalRows;
}

export class Carrying {
  readonly #parts: CarryingParts;
  readonly #numbers = new Map<number, number>();

  constructor(parts: CarryingParts) {
    this.#parts = parts;
  }

  /** Returns the copied hours, or else intervals; 0: nothing is left. Pages that were read ahead are then old. */
  *step(): Work<number> {
    return (yield* this.#hours()) || (yield* this.#intervals());
  }

  *#hours(): Work<number> {
    const { here, months, database } = this.#parts;
    const hours = here.finishedHours(HOURS_AT_ONCE);
    if (hours.length === 0) return 0;
    yield* waitFor(months.make(hours.map(({ packed }) => packed.record.hour)));
    const placed = yield* this.#placed(hours);
    const dropped = yield* waitFor(database.transaction((statements) => write(placed, statements)));
    here.forgetHours(hours);
    here.noteDuplicates(dropped);
    return hours.length;
  }

  *#intervals(): Work<number> {
    const { here, database } = this.#parts;
    const rows = here.someIntervals(INTERVALS_AT_ONCE);
    if (rows.length === 0) return 0;
    const placed = yield* this.#placed(rows);
    const added = yield* waitFor(database.transaction((statements) => writeIntervals(placed, statements)));
    here.forgetIntervals(rows);
    here.noteDuplicates(rows.length - added.size);
    return rows.length;
  }

  *#placed<Row extends { readonly of: SeriesRecord }>(rows: readonly Row[]): Work<(Row & { series: number })[]> {
    const placed = [];
    for (const row of rows) {
      const known = this.#numbers.get(row.of.id);
      const series = known ?? (yield* waitFor(seriesWith(row.of, this.#parts.database))).id;
      this.#numbers.set(row.of.id, series);
      placed.push({ ...row, series });
    }
    return placed;
  }
}

/** Resolves with the seconds that were already there. */
async function write(
  hours: readonly (LocalHour & { readonly series: number })[],
  statements: Statements,
): Promise<number> {
  const places = hours.map(({ series, packed }) => ({ series, hour: packed.record.hour }));
  const there = await lockedHours(places, statements);
  let dropped = 0;
  const all = hours.flatMap(({ series, packed }): SeriesHour[] => {
    const { hour } = packed.record;
    const before = there.get(placeText(series, hour));
    if (!before) return [{ series, ...packed }];
    // These rows were copied before a crash, which came before their removal here.
    if (before.minutes && Buffer.compare(before.minutes, packed.minutes) === 0) return [];
    const both = new OpenHour(before);
    const own = new OpenHour(packed);
    const { count } = own.seconds;
    dropped += count - both.takeFrom(own, 0, SECONDS_AN_HOUR);
    return [{ series, ...packedHour(hour, both) }];
  });
  await writeHours(all, statements);
  return dropped;
}
