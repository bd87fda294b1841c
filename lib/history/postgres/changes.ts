/**
 * Changes of hours that are in the database: flags, weightings, removals, and the removal of old rows. Hour by hour;
 * each hour is changed as a whole.
 */
import { FLAGS } from '../../domain/flags.ts';
import { MAIN_CHANNEL } from '../../domain/ids.ts';
import type { Doubt, Range, Restated, Retention, SeriesKey, StatedWeighting } from '../contract.ts';
import { SECONDS_AN_HOUR, STEPS_A_SECOND } from '../rows/bytes.ts';
import { OpenHour } from '../rows/open-hour.ts';
import { type IntervalColumns, intervalRecord } from '../stored/columns.ts';
import { ageFrom } from '../stored/newest-day.ts';
import { offsetsOf, RESTATED_SOURCES, restated } from '../stored/restated.ts';
import { type SeriesColumns, type SeriesRecord, seriesOfRow } from '../stored/source.ts';
import { type Work, waitFor } from '../stored/work.ts';
import type { PostgresDatabase, Statements } from './database.ts';
import { clearBounds, keyValues, lockedHours, placeText, seriesWith, storeHour, writeIntervals } from './statements.ts';

const HOURS_AT_ONCE = 240;

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

function* hoursOf(series: readonly number[], { from, to }: Range, database: PostgresDatabase): Work<number[]> {
  const rows = yield* waitFor(
    database.rows<{ hour: number }>(
      `select distinct hour from history_hour where series = any($1::int[]) and hour >= $2 and hour < $3 order by hour`,
      [series, Math.floor(from / SECONDS_AN_HOUR), Math.min(2 ** 31 - 1, Math.ceil(to / SECONDS_AN_HOUR))],
    ),
  );
  return rows.map(({ hour }) => hour);
}

const DAY_S = 86_400;
/** For all meters at once: a thousand of them have 24,000 rows in a day. */
const OLD_HOURS_AT_ONCE = 6;
const INTERVALS_AT_ONCE = 2_000;
/** Intervals shorter than that are kept as long as seconds. */
const SHORT_S = 60;

/** One small step. `now`: seconds. Returns the rows that went. */
export function* retain(
  { secondsDays, minutesDays }: Retention,
  now: number,
  database: PostgresDatabase,
): Work<number> {
  if (secondsDays <= 0 && minutesDays <= 0) return 0;
  const from = yield* ageFrom(now, (at) => newestBefore(at, database));
  const secondsBefore = secondsDays > 0 ? from - secondsDays * DAY_S : 0;
  const minutesBefore = minutesDays > 0 ? from - minutesDays * DAY_S : 0;
  let gone = yield* oldHours('history_second_hour', Math.floor(secondsBefore / SECONDS_AN_HOUR), database);
  gone += yield* oldHours('history_hour', Math.floor(minutesBefore / SECONDS_AN_HOUR), database);
  gone += yield* oldIntervals('true', minutesBefore, database);
  gone += yield* oldIntervals(`duration < ${SHORT_S}`, secondsBefore, database);
  return gone;
}

function* newestBefore(at: number, database: PostgresDatabase): Work<number | undefined> {
  const [row] = yield* waitFor(
    database.rows<{ hour: number | null; at: number | null }>(
      `select (select max(hour) from history_hour where hour < $1) as hour,
              (select max(at) from history_interval where at < $2) as at`,
      [Math.ceil(at / SECONDS_AN_HOUR), at],
    ),
  );
  const newest = Math.max((row?.hour ?? 0) * SECONDS_AN_HOUR, row?.at ?? 0);
  return newest === 0 ? undefined : newest;
}

function* oldHours(
  table: 'history_second_hour' | 'history_hour',
  before: number,
  database: PostgresDatabase,
): Work<number> {
  if (before <= 0) return 0;
  const [oldest] = yield* waitFor(database.rows<{ hour: number | null }>(`select min(hour) as hour from ${table}`));
  const first = oldest?.hour ?? before;
  if (first >= before) return 0;
  const span = [first, Math.min(before, first + OLD_HOURS_AT_ONCE)];
  return yield* waitFor(
    database.transaction(async (statements) => {
      const gone = await statements.rows(
        'delete from history_second_hour where hour >= $1 and hour < $2 returning series',
        span,
      );
      if (table === 'history_second_hour') {
        await statements.rows('update history_hour set second_bytes = 0 where hour >= $1 and hour < $2', span);
        return gone.length;
      }
      const whole = await statements.rows(
        'delete from history_hour where hour >= $1 and hour < $2 returning series',
        span,
      );
      return gone.length + whole.length;
    }),
  );
}

function* oldIntervals(which: string, before: number, database: PostgresDatabase): Work<number> {
  if (before <= 0) return 0;
  const gone = yield* waitFor(
    database.rows(
      `delete from history_interval where (series, at) in
         (select series, at from history_interval where at < $1 and ${which} order by at limit $2) returning series`,
      [before, INTERVALS_AT_ONCE],
    ),
  );
  return gone.length;
}
