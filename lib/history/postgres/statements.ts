/** Writes rows to the tables: many hours and intervals at once, series one by one. */
import { MAIN_CHANNEL } from '../../domain/ids.ts';
import { LONGEST_S } from '../check.ts';
import type { SeriesKey } from '../contract.ts';
import type { OpenHour, Stored } from '../rows/open-hour.ts';
import { HOUR_COLUMNS, hourValues, INTERVAL_COLUMNS, type IntervalRecord, intervalValues } from '../stored/columns.ts';
import { type PackedHour, packedHour, type SeriesColumns, type SeriesRecord, seriesOfRow } from '../stored/source.ts';
import type { Statements } from './database.ts';

/** The values of a key, in the order of `KEY_COLUMNS`. */
export const keyValues = ({ unitId, channel = MAIN_CHANNEL, source, weighting }: SeriesKey): readonly string[] => [
  unitId,
  channel,
  source,
  weighting.frequency,
  weighting.time,
];
/** Columns that identify a series of a unit; several imports may have the same values. */
export const KEY_COLUMNS: readonly string[] = ['unit_id', 'channel', 'source', 'frequency', 'time'];

export interface SeriesHour extends PackedHour {
  readonly series: number;
}

interface SeriesInterval {
  readonly series: number;
  readonly row: IntervalRecord;
}

/** `($1, $2), ($3, $4) ...` */
const marks = (rows: number, columns: number): string =>
  Array.from(
    { length: rows },
    (_, row) => `(${Array.from({ length: columns }, (_, column) => `$${row * columns + column + 1}`).join(', ')})`,
  ).join(', ');

const HOUR_NAMES = ['series', 'hour', ...HOUR_COLUMNS, 'minutes'];
const HOUR_CHANGES = [...HOUR_COLUMNS, 'minutes'].map((name) => `${name} = excluded.${name}`).join(', ');

/** Replaces stored hours. The parts of the tables must exist. */
export async function writeHours(hours: readonly SeriesHour[], statements: Statements): Promise<void> {
  if (hours.length === 0) return;
  await statements.rows(
    `insert into history_hour (${HOUR_NAMES.join(', ')}) values ${marks(hours.length, HOUR_NAMES.length)}
     on conflict (series, hour) do update set ${HOUR_CHANGES}`,
    hours.flatMap(({ series, record, seconds, minutes }) => [
      series,
      record.hour,
      ...hourValues(record, seconds?.length ?? 0, minutes.length),
      minutes,
    ]),
  );
  const kept = hours.filter(({ seconds }) => seconds !== undefined);
  if (kept.length === 0) return;
  await statements.rows(
    `insert into history_second_hour (series, hour, rows) values ${marks(kept.length, 3)}
     on conflict (series, hour) do update set rows = excluded.rows`,
    kept.flatMap(({ series, record, seconds }) => [series, record.hour, seconds]),
  );
}

export async function storeHour(series: number, hour: number, rows: OpenHour, statements: Statements): Promise<void> {
  if (!rows.isEmpty()) return writeHours([{ series, ...packedHour(hour, rows) }], statements);
  for (const table of ['history_hour', 'history_second_hour'])
    await statements.rows(`delete from ${table} where series = $1 and hour = $2`, [series, hour]);
}

/** Locked until the transaction ends. Keys: `placeText`. Missing hours are left out. */
export async function lockedHours(
  places: readonly { readonly series: number; readonly hour: number }[],
  statements: Statements,
): Promise<Map<string, Stored>> {
  const values = [places.map(({ series }) => series), places.map(({ hour }) => hour)];
  const wanted = 'select * from unnest($1::int[], $2::int[]) as wanted (series, hour)';
  const minutes = await statements.rows<{ series: number; hour: number; minutes: Buffer }>(
    `select series, hour, minutes from history_hour where (series, hour) in (${wanted})
     order by series, hour for update`,
    values,
  );
  const found = new Map<string, Stored>();
  if (minutes.length === 0) return found;
  const seconds = await statements.rows<{ series: number; hour: number; rows: Buffer }>(
    `select series, hour, rows from history_second_hour where (series, hour) in (${wanted})`,
    values,
  );
  const secondsAt = new Map(seconds.map(({ series, hour, rows }) => [placeText(series, hour), rows]));
  for (const row of minutes) {
    const place = placeText(row.series, row.hour);
    found.set(place, { minutes: row.minutes, seconds: secondsAt.get(place) });
  }
  return found;
}

export const placeText = (series: number, hour: number): string => `${series} ${hour}`;

const INTERVAL_NAMES = ['series', ...INTERVAL_COLUMNS];
/** In a list of values a number has no type of its own. */
const INTERVAL_TYPES: Readonly<Record<string, string>> = {
  at: 'bigint',
  ln: 'text',
  more: 'text',
  series: 'integer',
  duration: 'integer',
  line: 'integer',
};
const TYPED = INTERVAL_NAMES.map((name) => `given.${name}::${INTERVAL_TYPES[name] ?? 'smallint'}`).join(', ');

/**
 * Adds the intervals that overlap no interval of their series; those of the list must not overlap each other.
 * `overlapping`: all with a new beginning, for an import that is checked later. Resolves with their keys, `placeText`.
 */
export async function writeIntervals(
  all: readonly SeriesInterval[],
  statements: Statements,
  which: 'apart' | 'overlapping' = 'apart',
): Promise<Set<string>> {
  if (all.length === 0) return new Set();
  const apart = `where not exists (select 1 from history_interval there where there.series = given.series::integer
    and there.at > given.at::bigint - ${LONGEST_S} and there.at < given.at::bigint + given.duration::integer
    and there.at + there.duration > given.at::bigint)`;
  const added = await statements.rows<{ series: number; at: number; duration: number }>(
    `insert into history_interval (${INTERVAL_NAMES.join(', ')})
     select ${TYPED} from (values ${marks(all.length, INTERVAL_NAMES.length)}) as given (${INTERVAL_NAMES.join(', ')})
     ${which === 'apart' ? apart : ''} on conflict do nothing returning series, at, duration`,
    all.flatMap(({ series, row }) => [series, ...intervalValues(row)]),
  );
  const bounds = new Map<number, readonly [number, number]>();
  for (const { series, at, duration } of added) {
    const [from, to] = bounds.get(series) ?? [at, at];
    bounds.set(series, [Math.min(from, at), Math.max(to, at + duration)]);
  }
  for (const [series, [from, to]] of bounds)
    await statements.rows(
      `update history_series set intervals_from = least(intervals_from, $2), intervals_to = greatest(intervals_to, $3)
       where id = $1`,
      [series, from, to],
    );
  return new Set(added.map(({ series, at }) => placeText(series, at)));
}

export const clearBounds = (series: number, statements: Statements) =>
  statements.rows(
    `update history_series set intervals_from = null, intervals_to = null
     where id = $1 and not exists (select 1 from history_interval where series = $1)`,
    [series],
  );

/** The series with this key; a missing series is created. Not for imports. */
export async function seriesWith(key: SeriesKey, statements: Statements): Promise<SeriesRecord> {
  const values = keyValues(key);
  const same = KEY_COLUMNS.map((name, index) => `${name} = $${index + 1}`).join(' and ');
  const look = () => statements.rows<SeriesColumns>(`select * from history_series where ${same} and ready`, values);
  const [there] = await look();
  if (there) return seriesOfRow(there);
  await statements.rows(
    `insert into history_series (${KEY_COLUMNS.join(', ')}, ready) values ($1, $2, $3, $4, $5, true) on conflict do nothing`,
    values,
  );
  const [made] = await look();
  if (!made) throw new Error('a series that was made is not there');
  return seriesOfRow(made);
}

/** Creates the series of an import: each import has its own. */
export async function importSeries(key: SeriesKey, ready: boolean, statements: Statements): Promise<SeriesRecord> {
  const [made] = await statements.rows<SeriesColumns>(
    `insert into history_series (${KEY_COLUMNS.join(', ')}, ready) values ($1, $2, $3, $4, $5, $6) returning *`,
    [...keyValues(key), ready],
  );
  if (!made) throw new Error('a series that was made is not there');
  return seriesOfRow(made);
}
