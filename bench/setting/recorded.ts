/** A history of many days that begins with one recorded day: the hours of that day again and again. */
import Database from 'better-sqlite3';
import { systemClock } from '../../lib/clock.ts';
import type { SecondRow } from '../../lib/history/contract.ts';
import { openHistory } from '../../lib/history/index.ts';
import { HOUR_COLUMNS } from '../../lib/history/stored/columns.ts';
import { createLog } from '../../lib/log.ts';

const HOURS_A_DAY = 24;

/** The history of a file, A-weighted with time weighting F. */
export const openFile = (path: string) => openHistory({ path, clock: systemClock, log: createLog('error') });
export const weighting = { frequency: 'A', time: 'F' } as const;

/** A day as the history keeps it, hours of seconds, of the unit `unitId`. */
export async function recordDay(path: string, unitId: string, day: readonly (readonly SecondRow[])[]): Promise<void> {
  const history = await openFile(path);
  for (const seconds of day) {
    history.append({ unitId, source: 'stream', weighting, seconds });
    await history.flush();
  }
  // Hours that are over are folded within a minute of it.
  const isFolded = () => countOf(path, 'history_journal') === 0 && countOf(path, 'history_hour') === HOURS_A_DAY;
  for (let tries = 0; tries < 120 && !isFolded(); tries++) await new Promise((resolve) => setTimeout(resolve, 1_000));
  await history.close();
}

function countOf(path: string, table: string): number {
  const database = new Database(path, { readonly: true });
  const count = database.prepare<[], number>(`select count(*) from ${table}`).pluck().get() ?? 0;
  database.close();
  return count;
}

/** The same day again, until there are `days`; the last `secondsDays` of them have seconds. `first`: the first hour of the recorded day. */
export function repeatDay(path: string, first: number, days: number, secondsDays: number): void {
  const database = new Database(path);
  database.pragma('synchronous = off');
  const sums = HOUR_COLUMNS.join(', ');
  const copy = (table: string, columns: string) =>
    database.prepare(
      `insert into ${table} (series, hour, ${columns}) select series, hour + ?, ${columns} from ${table}
       where hour >= ${first} and hour < ${first + HOURS_A_DAY}`,
    );
  const [minutes, hours, seconds] = [
    copy('history_minute_hour', 'rows'),
    copy('history_hour', sums),
    copy('history_second_hour', 'rows'),
  ];
  database.transaction(() => {
    for (let day = 1; day < days; day++) {
      minutes.run(day * HOURS_A_DAY);
      hours.run(day * HOURS_A_DAY);
      if (day >= days - secondsDays) seconds.run(day * HOURS_A_DAY);
    }
  })();
  database.close();
}
