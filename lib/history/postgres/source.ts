/**
 * Answers one query from the tables in PostgreSQL. Ordered reads are read ahead, more with each hour that follows the
 * hour before. So a month needs a few dozen round trips and not a thousand.
 */
import { isExtreme } from '../../domain/quantities.ts';
import { LONGEST_S, SOURCES } from '../check.ts';
import { NONE, SECONDS_AN_HOUR } from '../rows/bytes.ts';
import { NAMED, UNNAMED } from '../rows/columns.ts';
import type { OpenHour, Stored } from '../rows/open-hour.ts';
import {
  HOUR_COLUMNS,
  type HourColumns,
  type HourRecord,
  hourRecord,
  type IntervalColumns,
  type IntervalRecord,
  intervalRecord,
} from '../stored/columns.ts';
import { DIGESTED_COLUMNS } from '../stored/digest.ts';
import {
  type Cut,
  type HourCount,
  type LevelSource,
  type SeriesColumns,
  type SeriesRecord,
  seriesOfRow,
} from '../stored/source.ts';
import { atOnce, type Work, waitFor } from '../stored/work.ts';
import type { Statements } from './database.ts';

/** Most packed hours in one read: about a megabyte. */
const MOST_AHEAD = 32;
/** Number of series with kept rows: more than a unit has, because an export of all units uses one source. */
const MOST_SERIES = 256;
const INTERVAL_HOURS = 24;
const HOUR_NAMES = ['hour', ...HOUR_COLUMNS].join(', ');
const EXTREMES = UNNAMED.filter(isExtreme).map((name) => `${name} <> ${NONE}`);
const TOTALS = [
  ...['at', 'duration', ...UNNAMED].map((column) => `coalesce(sum(${column}), 0)::text`),
  ...NAMED.map((name) => `coalesce(sum((more::json->>'${name}')::int), 0)::text`),
];

interface Packed {
  readonly hour: number;
  readonly packed: Buffer;
}

type StoredHour = { readonly [Name in keyof Stored]: Stored[Name] | null } & { readonly hour: number };

type ReadHours<Row> = (series: number, from: number, to: number) => Promise<Row[]>;

class Ahead<Row extends { readonly hour: number }> {
  readonly #read: ReadHours<Row>;
  readonly #blocks = new Map<number, { from: number; to: number; version: number; rows: Map<number, Row> }>();

  constructor(read: ReadHours<Row>) {
    this.#read = read;
  }

  *at(series: number, hour: number, version: number): Work<Row | undefined> {
    const known = this.#blocks.get(series);
    const isHere = known && known.version === version && hour >= known.from && hour < known.to;
    if (isHere) return known.rows.get(hour);
    const size = known?.to === hour ? Math.min(MOST_AHEAD, 2 * (known.to - known.from)) : 1;
    const rows = yield* waitFor(this.#read(series, hour, hour + size));
    const byHour = new Map(rows.map((row) => [row.hour, row]));
    keep(this.#blocks, series, { from: hour, to: hour + size, version, rows: byHour });
    return byHour.get(hour);
  }
}

function keep<T>(known: Map<number, T>, series: number, read: T): void {
  known.delete(series);
  known.set(series, read);
  const [oldest] = known.keys();
  if (known.size > MOST_SERIES && oldest !== undefined) known.delete(oldest);
}

export class PostgresSource implements LevelSource {
  readonly #database: Statements;
  readonly #version: () => number;
  readonly #minutes: Ahead<Packed>;
  readonly #seconds: Ahead<Packed>;
  readonly #both: Ahead<StoredHour>;
  readonly #intervals = new Map<number, { from: number; version: number; rows: readonly IntervalRecord[] }>();

  /** `version`: grows when this process changes stored rows. */
  constructor(database: Statements, version: () => number) {
    this.#database = database;
    this.#version = version;
    const packedOf = (column: string, table: string) => (series: number, from: number, to: number) =>
      database.rows<Packed>(
        `select hour, ${column} as packed from ${table} where series = $1 and hour >= $2 and hour < $3`,
        [series, from, to],
      );
    this.#minutes = new Ahead(packedOf('minutes', 'history_hour'));
    this.#seconds = new Ahead(packedOf('rows', 'history_second_hour'));
    this.#both = new Ahead((series, from, to) =>
      database.rows<StoredHour>(
        `select hour, minutes, rows as seconds from history_hour left join history_second_hour using (series, hour)
         where series = $1 and hour >= $2 and hour < $3`,
        [series, from, to],
      ),
    );
  }

  get version(): number {
    return this.#version();
  }

  *seriesOf(unitId: string): Work<readonly SeriesRecord[]> {
    const rows = yield* waitFor(
      this.#database.rows<SeriesColumns>('select * from history_series where unit_id = $1 and ready', [unitId]),
    );
    return rows.map(seriesOfRow).sort(bestFirst);
  }

  openHours(_series: number): readonly number[] {
    return [];
  }

  openHour(_series: number, _hour: number): Work<OpenHour | undefined> {
    return atOnce(undefined);
  }

  *countHours(series: number, first: number, end: number): Work<HourCount> {
    const [count] = yield* waitFor(
      this.#database.rows<HourCount>(
        `select count(*)::int as hours, min(hour) as first, max(hour) as last from history_hour
         where series = $1 and hour >= $2 and hour < $3`,
        [series, first, end],
      ),
    );
    return count ?? { hours: 0, first: null, last: null };
  }

  *lacksSeconds(series: number, first: number, end: number): Work<boolean> {
    return yield* this.#exists('history_hour where series = $1 and hour >= $2 and hour < $3 and second_bytes = 0', [
      series,
      first,
      end,
    ]);
  }

  *hasReaching(series: number, { from, to, begin, step }: Cut): Work<boolean> {
    return yield* this.#exists(
      `history_interval where series = $1 and at > $2::bigint - ${LONGEST_S} and at < $3 and at + duration > $2
       and (at + duration > $3
         or floor((at - $4)::float8 / $5::float8) <> floor((at + duration - 1 - $4)::float8 / $5::float8))
       and (${EXTREMES.join(' or ')})`,
      [series, from, to, begin, step],
    );
  }

  *hours(series: number, from: number, to: number): Work<readonly HourRecord[]> {
    const rows = yield* waitFor(
      this.#database.rows<HourColumns>(
        `select ${HOUR_NAMES} from history_hour where series = $1 and hour >= $2 and hour < $3 order by hour`,
        [series, from, to],
      ),
    );
    return rows.map(hourRecord);
  }

  *minutes(series: number, hour: number): Work<Uint8Array | undefined> {
    return (yield* this.#minutes.at(series, hour, this.version))?.packed;
  }

  *seconds(series: number, hour: number): Work<Uint8Array | undefined> {
    return (yield* this.#seconds.at(series, hour, this.version))?.packed;
  }

  /** Minutes and seconds of the same moment, while the hour may get rows; undefined if it has none. */
  *stored(series: number, hour: number): Work<Stored | undefined> {
    const both = yield* this.#both.at(series, hour, this.version);
    return both && { minutes: both.minutes ?? undefined, seconds: both.seconds ?? undefined };
  }

  *intervals(series: number, from: number, to: number): Work<readonly IntervalRecord[]> {
    const block = INTERVAL_HOURS * SECONDS_AN_HOUR;
    const start = Math.floor(from / block) * block;
    if (to > start + block) return yield* this.#intervalsIn(series, from, to);
    let known = this.#intervals.get(series);
    if (known?.from !== start || known.version !== this.version) {
      const { version } = this;
      known = { from: start, version, rows: yield* this.#intervalsIn(series, start, start + block) };
      keep(this.#intervals, series, known);
    }
    return known.rows.filter(({ at, duration }) => at < to && at + duration > from);
  }

  *digestedHours(series: number, first: number, end: number): Work<readonly (readonly unknown[])[]> {
    const rows = yield* waitFor(
      this.#database.rows<Record<string, unknown>>(
        `select hour, ${DIGESTED_COLUMNS.join(', ')}, (second_bytes > 0)::int as kept from history_hour
         where series = $1 and hour >= $2 and hour < $3 order by hour`,
        [series, first, end],
      ),
    );
    return rows.map((row) => Object.values(row));
  }

  *digestedIntervals(series: number, after: number, before: number): Work<readonly unknown[]> {
    const [row] = yield* waitFor(
      this.#database.rows<{ totals: readonly unknown[] }>(
        `select array[count(*)::text, ${TOTALS.join(', ')}, coalesce(max(line), 0)::text] as totals
         from history_interval where series = $1 and at > $2 and at < $3`,
        [series, after, before],
      ),
    );
    return row?.totals ?? [];
  }

  *#intervalsIn(series: number, from: number, to: number): Work<IntervalRecord[]> {
    const rows = yield* waitFor(
      this.#database.rows<IntervalColumns>(
        `select * from history_interval
         where series = $1 and at > $2::bigint - ${LONGEST_S} and at < $3 and at + duration > $2 order by at`,
        [series, from, to],
      ),
    );
    return rows.map(intervalRecord);
  }

  *#exists(where: string, values: readonly unknown[]): Work<boolean> {
    const rows = yield* waitFor(this.#database.rows(`select 1 from ${where} limit 1`, values));
    return rows.length > 0;
  }
}

/** In the order of `LevelSource.seriesOf`. Numbers below zero belong to series that are not in the database yet. */
export const bestFirst = (a: SeriesRecord, b: SeriesRecord): number =>
  SOURCES.indexOf(a.source) - SOURCES.indexOf(b.source) || ageOf(a) - ageOf(b);
const ageOf = ({ id }: SeriesRecord): number => (id < 0 ? 2 ** 31 - id : id);
