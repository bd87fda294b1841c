/**
 * A short text that changes when the rows of a span change. It is made from the sums of its hours, the seconds of open
 * hours, and the sum of its intervals. So a year costs less than a page of its rows.
 */
import { createHash } from 'node:crypto';
import { LONGEST_S } from '../check.ts';
import type { Range } from '../contract.ts';
import { SECONDS_AN_HOUR } from '../rows/bytes.ts';
import type { OpenHour } from '../rows/open-hour.ts';
import type { SecondTable } from '../rows/seconds.ts';
import { HOUR_COLUMNS, hourValues } from './columns.ts';
import type { LevelSource, SeriesRecord } from './source.ts';
import type { Work } from './work.ts';

/** Columns that change with any row of the hour, and are far shorter than the rows. */
const DIGESTED = HOUR_COLUMNS.map((name) => !['second_bytes', 'minute_bytes', 'counts', 'spans'].includes(name));
const ofHour = <T>(values: readonly T[]): T[] => values.filter((_, index) => DIGESTED[index]);

/** Columns of `digestedHours` after the hour; the last cell is 1 if seconds are kept, else 0. */
export const DIGESTED_COLUMNS: readonly string[] = ofHour(HOUR_COLUMNS);

/** Hex; the same for the same rows, also after a restart. */
export function* digestOf(series: readonly SeriesRecord[], span: Range, source: LevelSource): Work<string> {
  const [first, end] = [Math.floor(span.from / SECONDS_AN_HOUR), Math.ceil(span.to / SECONDS_AN_HOUR)];
  const hash = createHash('sha256');
  for (const { id, source: name } of series) {
    hash.update(`${id} ${name}\n`);
    const open = new Map<number, readonly (string | Buffer)[]>();
    for (const hour of source.openHours(id).filter((one) => one >= first && one < end)) {
      const rows = yield* source.openHour(id, hour);
      if (rows) open.set(hour, ofOpenHour(hour, rows, span));
    }
    // Read last: an hour that was open before is then among the stored hours.
    for (const row of yield* source.digestedHours(id, first, end))
      if (!open.has(Number(row[0]))) hash.update(`${row.join()}\n`);
    for (const [, parts] of [...open].sort(([a], [b]) => a - b)) for (const part of parts) hash.update(part);
    const intervals = yield* source.digestedIntervals(id, span.from - LONGEST_S, span.to);
    hash.update(`${intervals.join()}\n`);
  }
  return hash.digest('base64url').slice(0, 22);
}

function ofOpenHour(hour: number, rows: OpenHour, span: Range): (string | Buffer)[] {
  const begin = hour * SECONDS_AN_HOUR;
  // A span that ends within the present hour does not change with later seconds of that hour.
  if (rows.hasSeconds && (span.from > begin || span.to < begin + SECONDS_AN_HOUR))
    return [`${hour}\n`, bytesOf(rows.seconds, span.from - begin, span.to - begin)];
  // As it will be on the disk.
  return [`${[hour, ...ofHour(hourValues(rows.sum(), 0, 0)), 1].join()}\n`];
}

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
