/**
 * A short text that changes whenever the rows of a span change. It is made from the sums of its hours, the seconds of the hours that are
 * still open, and the sum of its intervals, so a year costs less than a page of its rows.
 */
import { createHash } from 'node:crypto';
import { LONGEST_S } from '../check.ts';
import type { Range } from '../contract.ts';
import { NAMED, UNNAMED } from '../rows/columns.ts';
import { SECONDS_AN_HOUR } from '../rows/levels.ts';
import type { SecondTable } from '../rows/seconds.ts';
import type { RowWriter } from '../sqlite/recorder.ts';
import type { DatabaseConnection, SeriesRecord } from '../sqlite/tables.ts';
import { HOUR_COLUMNS, hourValues } from './columns.ts';

/** Columns that change whenever a row of the hour does, by far shorter than the rows. */
const DIGESTED = HOUR_COLUMNS.map((name) => !['second_bytes', 'minute_bytes', 'counts', 'spans'].includes(name));
const ofHour = <T>(values: readonly T[]): T[] => values.filter((_, index) => DIGESTED[index]);

const OF_HOURS = `select hour, ${ofHour(HOUR_COLUMNS).join(', ')}, second_bytes > 0
  from history_hour where series = ? and hour >= ? and hour < ? order by hour`;
const TOTALS = [
  ...['at', 'duration', ...UNNAMED].map((column) => `total(${column})`),
  ...NAMED.map((name) => `total(json_extract(more, '$.${name}'))`),
];
const OF_INTERVALS = `select count(*), ${TOTALS.join(', ')}, max(line)
  from history_interval where series = ? and at > ? and at < ?`;

/** Stored hours, and those that are still open. */
interface Hours {
  readonly reader: DatabaseConnection;
  readonly recorder: Pick<RowWriter, 'hours'>;
}

/** Hex; the same for the same rows, also after a restart. */
export function digestOf(series: readonly SeriesRecord[], span: Range, { reader, recorder }: Hours): string {
  const [first, end] = [Math.floor(span.from / SECONDS_AN_HOUR), Math.ceil(span.to / SECONDS_AN_HOUR)];
  const hash = createHash('sha256');
  for (const { id, source } of series) {
    hash.update(`${id} ${source}\n`);
    const open = new Set(recorder.hours.hoursOf(id).filter((hour) => hour >= first && hour < end));
    for (const row of reader.prepare<[number, number, number], number[]>(OF_HOURS).raw().all(id, first, end))
      if (!open.has(row[0] ?? 0)) hash.update(`${row.join()}\n`);
    for (const hour of [...open].sort((a, b) => a - b)) {
      const begin = hour * SECONDS_AN_HOUR;
      const rows = recorder.hours.get(id, hour);
      if (!rows) continue;
      // A span that ends before the end of the present hour does not change with that hour's last seconds.
      if (rows.hasSeconds && (span.from > begin || span.to < begin + SECONDS_AN_HOUR)) {
        hash.update(`${hour}\n`).update(bytesOf(rows.seconds, span.from - begin, span.to - begin));
        continue;
      }
      // As it will stand on the disk.
      hash.update(`${[hour, ...ofHour(hourValues(rows.sum(), 0, 0)), 1].join()}\n`);
    }
    hash.update(
      `${reader
        .prepare<number[], number[]>(OF_INTERVALS)
        .raw()
        .get(id, span.from - LONGEST_S, span.to)
        ?.join()}\n`,
    );
  }
  return hash.digest('base64url').slice(0, 22);
}

/** Of the seconds in `[from, to)`, offsets in their hour. */
function bytesOf(table: SecondTable, from: number, to: number): Buffer {
  const [first, end] = [table.indexOf(from), table.indexOf(to)];
  const columns = [table.offset, table.steps, table.flags, ...table.levels, table.lp];
  return Buffer.concat(
    columns.map((column) => {
      const { buffer, byteOffset, byteLength } = column.subarray(first, end);
      return Buffer.from(buffer, byteOffset, byteLength);
    }),
  );
}
