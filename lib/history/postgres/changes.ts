/** Changes of hours that are in the database: flags, weightings, removals. Hour by hour; each hour is changed as a whole. */

import { FLAGS } from '../../domain/flags.ts';
import { MAIN_CHANNEL } from '../../domain/ids.ts';
import type { Doubt, Range, Restated, SeriesKey, StatedWeighting } from '../contract.ts';
import { SECONDS_AN_HOUR, STEPS_A_SECOND } from '../rows/levels.ts';
import { OpenHour } from '../rows/open-hour.ts';
import { type IntervalColumns, intervalRecord } from '../stored/columns.ts';
import { offsetsOf, RESTATED_SOURCES, restated } from '../stored/restated.ts';
import type { SeriesRecord } from '../stored/source.ts';
import { type Work, waitFor } from '../stored/work.ts';
import type { PostgresDatabase, Statements } from './database.ts';
import {
  clearBounds,
  keyValues,
  lockedHours,
  placeText,
  type SeriesColumns,
  seriesOfRow,
  seriesWith,
  storeHour,
  writeIntervals,
} from './statements.ts';

const HOURS_AT_ONCE = 240;

/** Raises a flag. Returns how many rows have it. */
export function* doubtStored(asked: Doubt, database: PostgresDatabase): Work<number> {
  const same = (yield* seriesOf(asked.unitId, database)).find((record) => isSame(record, asked));
  if (!same) return 0;
  let flagged = 0;
  for (const hour of yield* hoursOf([same.id], asked, database)) {
    flagged += yield* waitFor(
      changed([same.id], hour, database, ([rows]) => {
        const [first, end] = offsetsOf(hour, asked);
        return rows?.flag(first, end, FLAGS.indexOf(asked.flag)) ?? 0;
      }),
    );
  }
  return flagged;
}

/** See `History.restate`. */
export function* restateStored(stated: StatedWeighting, database: PostgresDatabase): Work<Restated> {
  let [moved, confirmed, left] = [0, 0, 0];
  for (const source of RESTATED_SOURCES) {
    const key: SeriesKey = { ...stated, source };
    const all = (yield* seriesOf(stated.unitId, database)).filter((record) => isRestated(record, key));
    if (all.length === 0) continue;
    const target = yield* waitFor(seriesWith(key, database));
    const others = all.filter(({ id }) => id !== target.id);
    const ids = [target.id, ...others.map(({ id }) => id)];
    for (const hour of yield* hoursOf(ids, stated, database)) {
      const done = yield* waitFor(
        changed(ids, hour, database, ([own, ...rest]) =>
          own && [own, ...rest].every((rows) => rows.isInSeconds) ? restated(own, rest, hour, stated) : undefined,
        ),
      );
      moved += done?.moved ?? 0;
      confirmed += done?.confirmed ?? 0;
      if (!done) left += 1;
    }
    for (const other of others) moved += yield* waitFor(movedIntervals(other, target, stated, database));
  }
  return { moved, confirmed, left };
}

/** Returns the seconds of measured time that were removed. Both ends on full minutes. */
export function* removeStored(unitId: string, span: Range, database: PostgresDatabase): Work<number> {
  let gone = 0;
  for (const { id, intervalsFrom } of yield* seriesOf(unitId, database)) {
    gone += yield* removeHours(id, span, database);
    if (intervalsFrom === null) continue;
    const [row] = yield* waitFor(
      database.transaction(async (statements) => {
        const removed = await statements.rows<{ seconds: number }>(
          `with gone as (delete from history_interval where series = $1 and at > $2::bigint - ${24 * SECONDS_AN_HOUR}
             and at < $3 and at + duration > $2 returning duration)
           select coalesce(sum(duration), 0)::int8 as seconds from gone`,
          [id, span.from, span.to],
        );
        await clearBounds(id, statements);
        return removed;
      }),
    );
    gone += row?.seconds ?? 0;
  }
  return gone;
}

function* removeHours(series: number, span: Range, database: PostgresDatabase): Work<number> {
  let gone = 0;
  const [first, end] = [Math.ceil(span.from / SECONDS_AN_HOUR), Math.floor(span.to / SECONDS_AN_HOUR)];
  const hours = yield* hoursOf([series], span, database);
  for (const hour of hours) {
    if (hour >= first && hour < end) continue;
    gone += yield* waitFor(
      changed([series], hour, database, ([rows]) => {
        if (!rows) return 0;
        const before = rows.sum().steps;
        const [from, to] = offsetsOf(hour, span);
        rows.remove(from / 60, to / 60);
        return (before - rows.sum().steps) / STEPS_A_SECOND;
      }),
    );
  }
  const whole = hours.filter((hour) => hour >= first && hour < end);
  for (let index = 0; index < whole.length; index += HOURS_AT_ONCE) {
    const some = whole.slice(index, index + HOURS_AT_ONCE);
    const removed = yield* waitFor(database.transaction((statements) => removeWhole(series, some, statements)));
    gone += removed / STEPS_A_SECOND;
  }
  return gone;
}

async function removeWhole(series: number, hours: readonly number[], statements: Statements): Promise<number> {
  const values = [series, hours];
  await statements.rows('delete from history_second_hour where series = $1 and hour = any($2::int[])', values);
  const [row] = await statements.rows<{ steps: number }>(
    `with gone as (delete from history_hour where series = $1 and hour = any($2::int[]) returning steps)
     select coalesce(sum(steps), 0)::int8 as steps from gone`,
    values,
  );
  return row?.steps ?? 0;
}

/** Changes the rows of some series in an hour, in the order of their numbers as given. Nothing is written where `change` returns undefined. */
async function changed<T>(
  ids: readonly number[],
  hour: number,
  database: PostgresDatabase,
  change: (rows: readonly OpenHour[]) => T,
): Promise<T> {
  return database.transaction(async (statements) => {
    const places = ids.map((series) => ({ series, hour }));
    const there = await lockedHours(places, statements);
    const rows = ids.map((series) => new OpenHour(there.get(placeText(series, hour))));
    const result = change(rows);
    if (result === undefined) return result;
    for (const [index, series] of ids.entries()) {
      const one = rows[index];
      if (one) await storeHour(series, hour, one, statements);
    }
    return result;
  });
}

/** Means between two readings within the span; a mean that overlaps another interval of the target stays. */
async function movedIntervals(
  { id, intervalsFrom }: SeriesRecord,
  target: SeriesRecord,
  { from, to }: Range,
  database: PostgresDatabase,
): Promise<number> {
  if (intervalsFrom === null) return 0;
  return database.transaction(async (statements) => {
    const rows = await statements.rows<IntervalColumns>(
      'select * from history_interval where series = $1 and at >= $2 and at + duration <= $3 order by at for update',
      [id, from, to],
    );
    let moved = 0;
    for (const row of rows.map(intervalRecord)) {
      if ((await writeIntervals([{ series: target.id, row }], statements)).size === 0) continue;
      await statements.rows('delete from history_interval where series = $1 and at = $2', [id, row.at]);
      moved += 1;
    }
    return moved;
  });
}

function* seriesOf(unitId: string, database: PostgresDatabase): Work<SeriesRecord[]> {
  const rows = yield* waitFor(
    database.rows<SeriesColumns>('select * from history_series where unit_id = $1 and ready order by id', [unitId]),
  );
  return rows.map(seriesOfRow);
}

const isRestated = (record: SeriesRecord, { source, channel = MAIN_CHANNEL }: SeriesKey): boolean =>
  record.source === source && record.channel === channel;
const isSame = (record: SeriesRecord, key: SeriesKey): boolean => keyValues(record).join() === keyValues(key).join();

/** The stored hours of some series that a span touches, ascending. */
function* hoursOf(series: readonly number[], { from, to }: Range, database: PostgresDatabase): Work<number[]> {
  const rows = yield* waitFor(
    database.rows<{ hour: number }>(
      `select distinct hour from history_hour where series = any($1::int[]) and hour >= $2 and hour < $3 order by hour`,
      [series, Math.floor(from / SECONDS_AN_HOUR), Math.min(2 ** 31 - 1, Math.ceil(to / SECONDS_AN_HOUR))],
    ),
  );
  return rows.map(({ hour }) => hour);
}
