/** Answers queries from this file: its statements do not wait. */
import { isExtreme } from '../../domain/quantities.ts';
import { LONGEST_S } from '../check.ts';
import { NONE } from '../rows/bytes.ts';
import { NAMED, UNNAMED } from '../rows/columns.ts';
import type { OpenHour } from '../rows/open-hour.ts';
import type { HourRecord, IntervalRecord } from '../stored/columns.ts';
import { DIGESTED_COLUMNS } from '../stored/digest.ts';
import type { Cut, HourCount, LevelSource, SeriesRecord } from '../stored/source.ts';
import { atOnce, type Work } from '../stored/work.ts';
import type { Catalogue } from './catalogue.ts';
import type { RowWriter } from './recorder.ts';
import type { DatabaseConnection, TableReader } from './tables.ts';

const REACHING = UNNAMED.filter(isExtreme).map((name) => `${name} <> ${NONE}`);
const TOTALS = [
  ...['at', 'duration', ...UNNAMED].map((column) => `total(${column})`),
  ...NAMED.map((name) => `total(json_extract(more, '$.${name}'))`),
];

export interface FileParts {
  readonly reader: DatabaseConnection;
  readonly reading: TableReader;
  readonly catalogue: Catalogue;
  readonly recorder: RowWriter;
}

export interface OwnFile {
  readonly parts: FileParts;
  readonly source: FileSource;
  readonly writer: DatabaseConnection;
}

export class FileSource implements LevelSource {
  readonly #parts: FileParts;
  readonly #statements;

  constructor(parts: FileParts) {
    this.#parts = parts;
    this.#statements = statementsOf(parts.reader);
  }

  get version(): number {
    return this.#parts.recorder.version;
  }

  seriesOf(unitId: string): Work<readonly SeriesRecord[]> {
    return atOnce(this.#parts.catalogue.of(unitId));
  }

  openHours(series: number): readonly number[] {
    return this.#parts.recorder.hours.hoursOf(series);
  }

  openHour(series: number, hour: number): Work<OpenHour | undefined> {
    return atOnce(this.#parts.recorder.hours.get(series, hour));
  }

  storedHours(series: number): number[] {
    return this.#statements.hours.all(series);
  }

  countHours(series: number, first: number, end: number): Work<HourCount> {
    return atOnce(this.#statements.count.get(series, first, end) ?? { hours: 0, first: null, last: null });
  }

  lacksSeconds(series: number, first: number, end: number): Work<boolean> {
    return atOnce(this.#statements.lacking.get(series, first, end) !== undefined);
  }

  hasReaching(id: number, { from, to, begin, step }: Cut): Work<boolean> {
    // `cast` truncates: so steps are counted from a step before all intervals.
    const before = begin - step * Math.ceil(LONGEST_S / step);
    return atOnce(this.#statements.reaching.get({ id, from, to, step, begin: before }) === 1);
  }

  hours(series: number, from: number, to: number): Work<readonly HourRecord[]> {
    return atOnce(this.#parts.reading.hours(series, from, to));
  }

  minutes(series: number, hour: number): Work<Uint8Array | undefined> {
    return atOnce(this.#parts.reading.minutes(series, hour));
  }

  seconds(series: number, hour: number): Work<Uint8Array | undefined> {
    return atOnce(this.#parts.reading.seconds(series, hour));
  }

  intervals(series: number, from: number, to: number): Work<readonly IntervalRecord[]> {
    return atOnce(this.#parts.reading.intervals(series, from, to));
  }

  digestedHours(series: number, first: number, end: number): Work<readonly (readonly unknown[])[]> {
    return atOnce(this.#statements.digestedHours.all(series, first, end));
  }

  digestedIntervals(series: number, after: number, before: number): Work<readonly unknown[]> {
    return atOnce(this.#statements.digestedIntervals.get(series, after, before) ?? []);
  }
}

function statementsOf(reader: DatabaseConnection) {
  return {
    count: reader.prepare<[number, number, number], HourCount>(
      `select count(*) as hours, min(hour) as first, max(hour) as last from history_hour
       where series = ? and hour >= ? and hour < ?`,
    ),
    hours: reader.prepare<[number], number>('select hour from history_hour where series = ?').pluck(),
    lacking: reader.prepare<[number, number, number], number>(
      'select 1 from history_hour where series = ? and hour >= ? and hour < ? and second_bytes = 0 limit 1',
    ),
    reaching: reader
      .prepare<Record<string, number>, number>(
        `select exists (select 1 from history_interval where series = @id and at > @from - ${LONGEST_S} and at < @to
         and at + duration > @from
         and (at + duration > @to or cast((at - @begin) / @step as integer) <> cast((at + duration - 1 - @begin) / @step as integer))
         and (${REACHING.join(' or ')}))`,
      )
      .pluck(),
    digestedHours: reader
      .prepare<[number, number, number], unknown[]>(
        `select hour, ${DIGESTED_COLUMNS.join(', ')}, second_bytes > 0
         from history_hour where series = ? and hour >= ? and hour < ? order by hour`,
      )
      .raw(),
    digestedIntervals: reader
      .prepare<[number, number, number], unknown[]>(
        `select count(*), ${TOTALS.join(', ')}, max(line)
         from history_interval where series = ? and at > ? and at < ?`,
      )
      .raw(),
  };
}
