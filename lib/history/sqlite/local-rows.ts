/** Finished hours and intervals in this file until the shared database has them. */
import { type IntervalColumns, type IntervalRecord, intervalRecord } from '../stored/columns.ts';
import type { PackedHour, SeriesRecord } from '../stored/source.ts';
import type { FileParts } from './source.ts';
import type { DatabaseConnection } from './tables.ts';

export interface LocalHour {
  readonly of: SeriesRecord;
  readonly packed: PackedHour;
}

interface LocalInterval {
  readonly of: SeriesRecord;
  readonly row: IntervalRecord;
}

export class LocalRows {
  readonly #parts: FileParts;
  readonly #writer: DatabaseConnection;
  readonly #statements;

  constructor(parts: FileParts, writer: DatabaseConnection) {
    this.#parts = parts;
    this.#writer = writer;
    this.#statements = {
      hours: parts.reader.prepare<[], { series: number; hour: number }>(
        'select series, hour from history_hour order by hour, series',
      ),
      intervals: parts.reader.prepare<[number], IntervalColumns & { readonly series: number }>(
        'select * from history_interval order by series, at limit ?',
      ),
      forget: ['history_second_hour', 'history_minute_hour', 'history_hour'].map((table) =>
        writer.prepare(`delete from ${table} where series = ? and hour = ?`),
      ),
      forgetInterval: writer.prepare('delete from history_interval where series = ? and at = ?'),
      anyInterval: writer.prepare<[number], number>('select 1 from history_interval where series = ? limit 1'),
    };
  }

  /** The oldest first. An hour that is in memory again, because of late rows, waits until it is over. */
  finishedHours(limit: number): LocalHour[] {
    const { catalogue, reading, recorder } = this.#parts;
    const found: LocalHour[] = [];
    for (const { series, hour } of this.#statements.hours.iterate()) {
      const of = catalogue.get(series);
      const [record] = reading.hours(series, hour, hour + 1);
      const { seconds, minutes } = reading.stored(series, hour);
      if (!of || !record || !minutes || recorder.hours.get(series, hour)) continue;
      found.push({ of, packed: { record, seconds, minutes } });
      if (found.length >= limit) break;
    }
    return found;
  }

  /** Removes hours unless they have changed. */
  forgetHours(hours: readonly LocalHour[]): void {
    const { reading, recorder } = this.#parts;
    const same = hours.filter(({ of: { id }, packed: { record, seconds, minutes } }) => {
      const now = reading.stored(id, record.hour);
      return isEqual(now.seconds, seconds) && isEqual(now.minutes, minutes);
    });
    this.#writer.transaction(() => {
      for (const { of, packed } of same)
        for (const statement of this.#statements.forget) statement.run(of.id, packed.record.hour);
    })();
    recorder.version += 1;
  }

  someIntervals(limit: number): LocalInterval[] {
    const { catalogue } = this.#parts;
    return this.#statements.intervals.all(limit).flatMap((row) => {
      const of = catalogue.get(row.series);
      return of ? [{ of, row: intervalRecord(row) }] : [];
    });
  }

  forgetIntervals(rows: readonly LocalInterval[]): void {
    const { catalogue, recorder } = this.#parts;
    const { forgetInterval, anyInterval } = this.#statements;
    this.#writer.transaction(() => {
      for (const { of, row } of rows) forgetInterval.run(of.id, row.at);
      for (const of of new Set(rows.map((row) => row.of)))
        if (anyInterval.get(of.id) === undefined) catalogue.clear(of);
    })();
    recorder.version += 1;
  }

  noteDuplicates(count: number): void {
    this.#parts.recorder.duplicates += count;
  }
}

const isEqual = (one: Uint8Array | undefined, other: Uint8Array | undefined): boolean =>
  one && other ? Buffer.compare(one, other) === 0 : one === other;
