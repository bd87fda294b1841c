/** Removes old rows from the database, in small steps; each step is complete. */
import type { Retention } from '../contract.ts';
import { SECONDS_AN_HOUR } from '../rows/levels.ts';
import { ageFrom } from '../stored/newest-day.ts';
import { type Work, waitFor } from '../stored/work.ts';
import type { PostgresDatabase } from './database.ts';

const DAY_S = 86_400;
/** For all meters at once: a thousand of them have 24,000 rows in a day. */
const HOURS_AT_ONCE = 6;
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

/** Seconds alone, or all of the hours. */
function* oldHours(
  table: 'history_second_hour' | 'history_hour',
  before: number,
  database: PostgresDatabase,
): Work<number> {
  if (before <= 0) return 0;
  const [oldest] = yield* waitFor(database.rows<{ hour: number | null }>(`select min(hour) as hour from ${table}`));
  const first = oldest?.hour ?? before;
  if (first >= before) return 0;
  const span = [first, Math.min(before, first + HOURS_AT_ONCE)];
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
