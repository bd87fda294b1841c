/** All of one store goes into another, and both are compared: from a file into a database that gateways share, and back. */
import { createHash } from 'node:crypto';
import { boundsOf } from './extent.ts';
import type { SeriesRecord } from './source.ts';
import type { UnitStore } from './unit-store.ts';
import { finished, type Work } from './work.ts';

const HOURS_AT_ONCE = 24;
const INTERVALS_AT_ONCE = 500;
const DAY_S = 86_400;

/** What was copied. */
export interface CopiedHistory {
  readonly units: number;
  readonly hours: number;
  readonly intervals: number;
}

/**
 * Copies every unit, each whole or not at all, and compares it with what it was made of. Throws where the target already has a
 * unit, before anything is written, and where a copy is not the same; units before it are there then. `tell`: each unit that is done.
 */
export async function copyStore(
  from: UnitStore,
  into: UnitStore,
  tell: (unitId: string) => void = () => {},
): Promise<CopiedHistory> {
  const units = await finished(from.units());
  const there = new Set(await finished(into.units()));
  const twice = units.find((unitId) => there.has(unitId));
  if (twice !== undefined) throw new Error(`there are levels of ${twice} already: nothing was copied`);
  let [hours, intervals] = [0, 0];
  for (const unitId of units) {
    await finished(into.begin());
    try {
      const done = await finished(copyUnit(unitId, from, into));
      await finished(into.commit());
      hours += done.hours;
      intervals += done.intervals;
    } catch (error) {
      await finished(into.undo());
      throw error;
    }
    const [one, other] = [await finished(hashOf(unitId, from)), await finished(hashOf(unitId, into))];
    if (one !== other) throw new Error(`the copy of ${unitId} is not the same as what it was made of`);
    tell(unitId);
  }
  return { units: units.length, hours, intervals };
}

function* copyUnit(unitId: string, from: UnitStore, into: UnitStore): Work<Omit<CopiedHistory, 'units'>> {
  let [hours, intervals] = [0, 0];
  for (const series of yield* from.source.seriesOf(unitId)) {
    const target = yield* into.seriesFor(series);
    for (const block of yield* blocksOf(series, from)) {
      const packed = [];
      for (const record of yield* from.source.hours(series.id, block, block + HOURS_AT_ONCE)) {
        const minutes = yield* from.source.minutes(series.id, record.hour);
        if (!minutes) throw new Error(`an hour of ${unitId} has no minutes: check the history with verify`);
        packed.push({ record, minutes, seconds: yield* from.source.seconds(series.id, record.hour) });
      }
      yield* into.addHours(target, packed);
      hours += packed.length;
    }
    for (const day of yield* daysOf(series)) {
      const rows = (yield* from.source.intervals(series.id, day, day + DAY_S)).filter(({ at }) => at >= day);
      for (let first = 0; first < rows.length; first += INTERVALS_AT_ONCE) {
        const wrong = yield* into.addIntervals(target, rows.slice(first, first + INTERVALS_AT_ONCE));
        if (wrong) throw new Error(`two intervals of ${unitId} overlap: check the history with verify`);
      }
      intervals += rows.length;
    }
  }
  return { hours, intervals };
}

/** Of everything that answers are made of, in order. */
function* hashOf(unitId: string, { source }: UnitStore): Work<string> {
  const hash = createHash('sha256');
  for (const series of yield* source.seriesOf(unitId)) {
    const { id: _number, unitId: _unit, ready: _ready, intervalsFrom: _from, intervalsTo: _to, ...key } = series;
    hash.update(JSON.stringify(key));
    for (const block of yield* blocksOf(series, { source })) {
      for (const { counts, spans, ...sum } of yield* source.hours(series.id, block, block + HOURS_AT_ONCE)) {
        hash.update(JSON.stringify(sum)).update(counts).update(spans);
        hash.update((yield* source.minutes(series.id, sum.hour)) ?? '-');
        hash.update((yield* source.seconds(series.id, sum.hour)) ?? '-');
      }
    }
    for (const day of yield* daysOf(series))
      for (const row of yield* source.intervals(series.id, day, day + DAY_S))
        if (row.at >= day) hash.update(JSON.stringify(row));
  }
  return hash.digest('hex');
}

/** The first hour of each block that may have data. */
function* blocksOf(series: SeriesRecord, { source }: Pick<UnitStore, 'source'>): Work<number[]> {
  const bare = { ...series, intervalsFrom: null, intervalsTo: null };
  const { first, end } = yield* boundsOf([bare], source);
  const blocks: number[] = [];
  for (let block = first; block < end; block += HOURS_AT_ONCE) blocks.push(block);
  return blocks;
}

/** The beginning of each day that may have intervals. */
function* daysOf({ intervalsFrom, intervalsTo }: SeriesRecord): Work<number[]> {
  const days: number[] = [];
  if (intervalsFrom === null || intervalsTo === null) return days;
  for (let day = Math.floor(intervalsFrom / DAY_S) * DAY_S; day < intervalsTo; day += DAY_S) days.push(day);
  yield null;
  return days;
}
