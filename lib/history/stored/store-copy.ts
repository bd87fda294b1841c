/** Copies one whole store into another and compares both: from a file into a shared database, and back. */
import { createHash } from 'node:crypto';
import { SECONDS_AN_HOUR } from '../rows/bytes.ts';
import { OpenHour } from '../rows/open-hour.ts';
import { boundsOf } from './extent.ts';
import { type PackedHour, packedHour, type SeriesRecord, type UnitStore } from './source.ts';
import { finished, type Work } from './work.ts';

const HOURS_AT_ONCE = 24;
const INTERVALS_AT_ONCE = 500;
const DAY_S = 86_400;

export interface CopiedHistory {
  readonly units: number;
  readonly hours: number;
  readonly intervals: number;
}

/**
 * Copies every unit, each completely or not at all, and compares it with its source. An equal unit is skipped. Throws
 * before anything is written if the target has another history of a unit, and throws if a copy differs.
 */
export async function copyStore(from: UnitStore, into: UnitStore): Promise<CopiedHistory> {
  const units = await finished(from.units());
  const there = new Set(await finished(into.units()));
  const isSame = async (unitId: string) =>
    (await finished(hashOf(unitId, from))) === (await finished(hashOf(unitId, into)));
  const fresh = units.filter((unitId) => !there.has(unitId));
  for (const unitId of units)
    if (there.has(unitId) && !(await isSame(unitId)))
      throw new Error(`the target has other levels of ${unitId} already: nothing was copied`);
  let [hours, intervals] = [0, 0];
  for (const unitId of fresh) {
    await finished(into.begin());
    try {
      const done = await finished(addUnit(unitId, from, into));
      if (done.refused > 0) throw new Error(`two intervals of ${unitId} overlap: check the history with verify`);
      await finished(into.commit());
      hours += done.hours;
      intervals += done.intervals;
    } catch (error) {
      await finished(into.undo());
      throw error;
    }
    if (!(await isSame(unitId))) throw new Error(`the copy of ${unitId} differs from its source`);
  }
  return { units: fresh.length, hours, intervals };
}

/** Adds a store to another that may have a part of it: existing seconds and intervals stay as they are. */
export function* joinStore(from: Pick<UnitStore, 'source' | 'units'>, into: UnitStore): Work<void> {
  for (const unitId of yield* from.units()) {
    yield* into.begin();
    try {
      yield* addUnit(unitId, from, into);
      yield* into.commit();
    } catch (error) {
      yield* into.undo();
      throw error;
    }
  }
}

/** `refused`: intervals that overlap an interval that is there. */
function* addUnit(unitId: string, from: Pick<UnitStore, 'source'>, into: UnitStore) {
  let [hours, intervals, refused] = [0, 0, 0];
  for (const series of yield* from.source.seriesOf(unitId)) {
    const target = yield* into.seriesFor(series);
    for (const block of yield* blocksOf(series, from)) {
      const joined: PackedHour[] = [];
      for (const hour of yield* packedHours(series, block, from)) {
        joined.push(yield* joinedHour(hour, target, into));
        yield null;
      }
      yield* into.addHours(target, joined);
      hours += joined.length;
    }
    for (const day of yield* daysOf(series)) {
      const rows = (yield* from.source.intervals(series.id, day, day + DAY_S)).filter(({ at }) => at >= day);
      for (let first = 0; first < rows.length; first += INTERVALS_AT_ONCE)
        refused += (yield* into.addIntervals(target, rows.slice(first, first + INTERVALS_AT_ONCE))).length;
      intervals += rows.length;
      yield null;
    }
  }
  return { hours, intervals, refused };
}

function* joinedHour(hour: PackedHour, target: SeriesRecord, { source }: UnitStore): Work<PackedHour> {
  const minutes = yield* source.minutes(target.id, hour.record.hour);
  if (!minutes) return hour;
  const both = new OpenHour({ minutes, seconds: yield* source.seconds(target.id, hour.record.hour) });
  both.takeFrom(new OpenHour(hour), 0, SECONDS_AN_HOUR);
  return packedHour(hour.record.hour, both);
}

function* packedHours(series: SeriesRecord, block: number, { source }: Pick<UnitStore, 'source'>): Work<PackedHour[]> {
  const packed: PackedHour[] = [];
  for (const record of yield* source.hours(series.id, block, block + HOURS_AT_ONCE)) {
    const minutes = yield* source.minutes(series.id, record.hour);
    if (!minutes) throw new Error(`an hour of ${series.unitId} has no minutes: check the history with verify`);
    packed.push({ record, minutes, seconds: yield* source.seconds(series.id, record.hour) });
  }
  return packed;
}

/** Hash of all rows that answers are made from, in order. */
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

function* blocksOf(series: SeriesRecord, { source }: Pick<UnitStore, 'source'>): Work<number[]> {
  const bare = { ...series, intervalsFrom: null, intervalsTo: null };
  const { first, end } = yield* boundsOf([bare], source);
  const blocks: number[] = [];
  for (let block = first; block < end; block += HOURS_AT_ONCE) blocks.push(block);
  return blocks;
}

function* daysOf({ intervalsFrom, intervalsTo }: SeriesRecord): Work<number[]> {
  const days: number[] = [];
  if (intervalsFrom === null || intervalsTo === null) return days;
  for (let day = Math.floor(intervalsFrom / DAY_S) * DAY_S; day < intervalsTo; day += DAY_S) days.push(day);
  yield null;
  return days;
}
