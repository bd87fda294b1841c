/** Checks that the seconds of a stored hour agree with its minutes, and the minutes with its sum. */
import { messageOf } from '../../errors.ts';
import { PLACES } from '../rows/columns.ts';
import { sumOf } from '../rows/hour.ts';
import { MinuteTable } from '../rows/minutes.ts';
import type { Stored } from '../rows/open-hour.ts';
import { SecondTable } from '../rows/seconds.ts';
import type { HourRecord } from './columns.ts';
import type { SeriesRecord, UnitStore } from './source.ts';
import type { Work } from './work.ts';

const HOURS_AT_ONCE = 24;
/** After all times that can be stored. */
const LAST_HOUR = 2 ** 31 - 1;

interface CheckedHours {
  readonly hours: number;
  readonly faults: readonly string[];
}

export function* checkHours(
  { source, units }: Pick<UnitStore, 'source'> & { units: readonly string[] },
  most: number,
): Work<CheckedHours> {
  let hours = 0;
  const faults: string[] = [];
  for (const unitId of units) {
    for (const series of yield* source.seriesOf(unitId)) {
      const { first, last } = yield* source.countHours(series.id, 0, LAST_HOUR);
      for (let block = first ?? 0; block <= (last ?? -1) && faults.length < most; block += HOURS_AT_ONCE) {
        for (const record of yield* source.hours(series.id, block, block + HOURS_AT_ONCE)) {
          hours += 1;
          const minutes = yield* source.minutes(series.id, record.hour);
          const fault = hourFault(record, { minutes, seconds: yield* source.seconds(series.id, record.hour) });
          if (fault) faults.push(faultText(series, record.hour, fault));
        }
      }
    }
  }
  return { hours, faults };
}

/** `roof, stream, 2026-01-01T00:00:00.000Z: its minutes are not there` */
export const faultText = (
  { unitId, source }: Pick<SeriesRecord, 'unitId' | 'source'>,
  hour: number,
  fault: string,
): string => `${unitId}, ${source}, ${new Date(hour * 3_600_000).toISOString()}: ${fault}`;

/** Undefined without a fault. */
export function hourFault(record: HourRecord, stored: Stored): string | undefined {
  try {
    if (!stored.minutes) return 'its minutes are not there';
    if (record.secondBytes > 0 && !stored.seconds) return 'its seconds are not there';
    const minutes = MinuteTable.from(stored.minutes);
    const seconds = stored.seconds ? SecondTable.from(stored.seconds) : undefined;
    if (seconds && !sameMinutes(minutes, seconds)) return 'its minutes are not those of its seconds';
    const sum = sumOf(minutes, seconds);
    const same =
      (['steps', 'readings', 'lp', 'lmaxAt'] as const).every((name) => sum[name] === record[name]) &&
      PLACES.every((place) => sum.levels[place] === record.levels[place]);
    const sameCounts = Buffer.compare(Buffer.from(sum.counts), Buffer.from(record.counts)) === 0;
    return same && sameCounts ? undefined : 'its sum is not that of its minutes';
  } catch (error) {
    return `it cannot be read: ${messageOf(error)}`;
  }
}

function sameMinutes(minutes: MinuteTable, seconds: SecondTable): boolean {
  const made = new MinuteTable();
  for (let minute = 0; minute < 60; minute++) {
    made.fill(minute, seconds);
    const columns = ({ levels, steps, readings, lp, flagged }: MinuteTable) => [
      ...levels,
      steps,
      readings,
      lp,
      ...flagged,
    ];
    const own = columns(minutes);
    if (columns(made).some((column, index) => column[minute] !== own[index]?.[minute])) return false;
  }
  return true;
}
