/** Removes rows: rows that a caller removes, and old rows. In small steps; each step is complete. */
import { MAIN_CHANNEL } from '../../domain/ids.ts';
import type { Restated, Retention, SeriesKey, StatedWeighting } from '../contract.ts';
import { SECONDS_AN_HOUR, STEPS_A_SECOND } from '../rows/bytes.ts';
import { boundsOf } from '../stored/extent.ts';
import { ageFrom } from '../stored/newest-day.ts';
import { RESTATED_SOURCES } from '../stored/restated.ts';
import type { SeriesRecord } from '../stored/source.ts';
import { atOnce, type Work } from '../stored/work.ts';
import type { FileParts, FileSource } from './source.ts';
import type { DatabaseConnection } from './tables.ts';

const HOURS_AT_ONCE = 24;
const INTERVALS_AT_ONCE = 1_000;
/** Intervals shorter than that are kept as long as seconds. */
const SHORT_S = 60;
const DAY_S = 86_400;

export class Removal {
  readonly #parts: FileParts;
  readonly #source: FileSource;
  readonly #statements;
  /** Up to this time the short intervals of a series are removed. */
  readonly #shortGone = new Map<number, number>();

  constructor(parts: FileParts, source: FileSource, writer: DatabaseConnection) {
    this.#parts = parts;
    this.#source = source;
    this.#statements = statementsOf(writer);
  }

  /** Returns the seconds of measured time that were removed. `from` and `to` on full minutes. */
  *remove(unitId: string, from: number, to: number): Work<number> {
    const series = this.#parts.catalogue.of(unitId);
    const ids = series.map(({ id }) => id);
    // A full file has no space for the note until some rows are removed.
    const isNoted = this.#parts.recorder.noteRemoval(ids, from, to);
    let gone = 0;
    for (const record of series) {
      const { first, end } = yield* boundsOf([record], this.#source);
      for (let hour = Math.max(first, Math.floor(from / SECONDS_AN_HOUR)); hour < end; hour++) {
        const start = hour * SECONDS_AN_HOUR;
        if (start >= to) break;
        if (!this.has(record.id, hour)) continue;
        const fromMinute = Math.max(0, from - start) / 60;
        const toMinute = Math.min(SECONDS_AN_HOUR, to - start) / 60;
        gone += this.#parts.recorder.removeMinutes(record.id, hour, fromMinute, toMinute) / STEPS_A_SECOND;
        if (hour % HOURS_AT_ONCE === 0) yield null;
      }
      gone += yield* this.#intervals(record, from, to);
    }
    if (!isNoted && !this.#parts.recorder.noteRemoval(ids, from, to)) throw new Error('the disk is full');
    return gone;
  }

  /** One small step. `now`: seconds. Returns the rows that went. */
  *retain({ secondsDays, minutesDays }: Retention, now: number): Work<number> {
    const from = yield* ageFrom(now, (at) => this.#newestBefore(at));
    const secondsBefore = secondsDays > 0 ? from - secondsDays * DAY_S : 0;
    const minutesBefore = minutesDays > 0 ? from - minutesDays * DAY_S : 0;
    let gone = 0;
    for (const record of this.#parts.catalogue.all()) {
      gone += this.#hoursBefore(record, Math.floor(secondsBefore / SECONDS_AN_HOUR), false);
      gone += this.#hoursBefore(record, Math.floor(minutesBefore / SECONDS_AN_HOUR), true);
      gone += this.#intervalsBefore(record, secondsBefore, minutesBefore);
      if (gone > HOURS_AT_ONCE) break;
    }
    if (gone > 0) this.#parts.recorder.version += 1;
    return gone;
  }

  /** Of all series; rows that are only in memory are ignored. */
  #newestBefore(at: number): Work<number | undefined> {
    let newest: number | undefined;
    for (const { id, intervalsFrom } of this.#parts.catalogue.all()) {
      const hour = this.#statements.lastHour.get(id, Math.ceil(at / SECONDS_AN_HOUR));
      const interval = intervalsFrom === null ? undefined : this.#statements.lastInterval.get(id, at);
      newest = Math.max(newest ?? 0, hour == null ? 0 : hour * SECONDS_AN_HOUR, interval ?? 0);
    }
    return atOnce(newest === 0 ? undefined : newest);
  }

  has(series: number, hour: number): boolean {
    return this.#parts.recorder.hours.get(series, hour) !== undefined || this.#statements.has.get(series, hour) === 1;
  }

  *#intervals(record: SeriesRecord, from: number, to: number): Work<number> {
    const { id, intervalsFrom } = record;
    if (intervalsFrom === null) return 0;
    let gone = 0;
    for (;;) {
      const some = this.#parts.reading.intervals(id, from, to).slice(0, INTERVALS_AT_ONCE);
      for (const { at, duration } of some) {
        this.#statements.interval.run(id, at);
        gone += duration;
      }
      if (some.length < INTERVALS_AT_ONCE) break;
      yield null;
    }
    if (this.#statements.anyInterval.get(id) === undefined) this.#parts.catalogue.clear(record);
    return gone;
  }

  #hoursBefore({ id }: SeriesRecord, hour: number, whole: boolean): number {
    const { second, minute, sum, noSeconds, old, oldSeconds } = this.#statements;
    const hours = (whole ? old : oldSeconds).all(id, hour, HOURS_AT_ONCE);
    for (const one of hours) {
      second.run(id, one);
      if (!whole) noSeconds.run(id, one);
      else for (const statement of [minute, sum]) statement.run(id, one);
    }
    return hours.length;
  }

  #intervalsBefore({ id, intervalsFrom }: SeriesRecord, secondsBefore: number, minutesBefore: number): number {
    if (intervalsFrom === null || intervalsFrom >= Math.max(secondsBefore, minutesBefore)) return 0;
    const done = this.#shortGone.get(id) ?? intervalsFrom;
    const until = Math.min(secondsBefore, done + DAY_S);
    let gone = this.#statements.oldIntervals.run(id, id, minutesBefore, INTERVALS_AT_ONCE).changes;
    if (until > done) {
      gone += this.#statements.shortIntervals.run(id, done, until, SHORT_S).changes;
      this.#shortGone.set(id, until);
    }
    return gone;
  }
}

function statementsOf(writer: DatabaseConnection) {
  const ofHour = (table: string) => writer.prepare(`delete from ${table} where series = ? and hour = ?`);
  const before = (table: string) =>
    writer
      .prepare<[number, number, number], number>(
        `select hour from ${table} where series = ? and hour < ? order by hour limit ?`,
      )
      .pluck();
  return {
    has: writer.prepare<[number, number], number>('select 1 from history_hour where series = ? and hour = ?').pluck(),
    lastHour: writer
      .prepare<[number, number], number | null>('select max(hour) from history_hour where series = ? and hour < ?')
      .pluck(),
    lastInterval: writer
      .prepare<[number, number], number | null>('select max(at) from history_interval where series = ? and at < ?')
      .pluck(),
    anyInterval: writer.prepare<[number], number>('select 1 from history_interval where series = ? limit 1').pluck(),
    interval: writer.prepare('delete from history_interval where series = ? and at = ?'),
    second: ofHour('history_second_hour'),
    minute: ofHour('history_minute_hour'),
    sum: ofHour('history_hour'),
    noSeconds: writer.prepare('update history_hour set second_bytes = 0 where series = ? and hour = ?'),
    old: before('history_hour'),
    oldSeconds: before('history_second_hour'),
    oldIntervals: writer.prepare(
      `delete from history_interval where series = ? and at in
       (select at from history_interval where series = ? and at < ? order by at limit ?)`,
    ),
    shortIntervals: writer.prepare(
      'delete from history_interval where series = ? and at >= ? and at < ? and duration < ?',
    ),
  };
}

interface RestateParts extends FileParts {
  readonly source: FileSource;
  readonly writer: DatabaseConnection;
  readonly removal: Pick<Removal, 'has'>;
}

/** Gives stored rows the stated weighting. In small steps; each step is complete. */
export function* restate(stated: StatedWeighting, parts: RestateParts): Work<Restated> {
  let [moved, confirmed, left] = [0, 0, 0];
  for (const source of RESTATED_SOURCES) {
    const done = yield* ofSource({ ...stated, source }, parts);
    moved += done.moved;
    confirmed += done.confirmed;
    left += done.left;
  }
  return { moved, confirmed, left };
}

type Stated = StatedWeighting & SeriesKey;

function* ofSource(stated: Stated, parts: RestateParts): Work<Restated> {
  const { from, to, unitId, source, channel = MAIN_CHANNEL, weighting } = stated;
  const { catalogue, recorder, removal } = parts;
  const ofSource = catalogue.of(unitId).filter((record) => record.source === source && record.channel === channel);
  const { first, end } = yield* boundsOf(ofSource, parts.source);
  let [moved, confirmed, left] = [0, 0, 0];
  if (end === 0) return { moved, confirmed, left };
  const target = catalogue.find({ unitId, channel, source, weighting }) ?? madeSeries(stated, parts);
  const others = ofSource.filter(({ id }) => id !== target.id);
  const last = Math.min(end, Math.ceil(to / SECONDS_AN_HOUR));
  for (let hour = Math.max(first, Math.floor(from / SECONDS_AN_HOUR)); hour < last; hour++) {
    const ids = others.map(({ id }) => id).filter((id) => removal.has(id, hour));
    if (ids.length > 0 || removal.has(target.id, hour)) {
      const done = recorder.restateHour(hour, { stated: target.id, others: ids, from, to });
      if (done) {
        moved += done.moved;
        confirmed += done.confirmed;
      } else left += 1;
    }
    yield null;
  }
  for (const other of others) moved += moveIntervals(other, target, stated, parts);
  return { moved, confirmed, left };
}

function madeSeries(key: SeriesKey, { catalogue }: RestateParts): SeriesRecord {
  const made = catalogue.made(key, true);
  catalogue.write(made);
  catalogue.add(made);
  return made;
}

/** An interval that reaches out of the span stays: its parts may have different weightings. */
function moveIntervals(other: SeriesRecord, target: SeriesRecord, { from, to }: Stated, parts: RestateParts): number {
  const { writer, reading, recorder } = parts;
  const rows = reading.intervals(other.id, from, to).filter(({ at, duration }) => at >= from && at + duration <= to);
  if (rows.length === 0) return 0;
  const forget = writer.prepare('delete from history_interval where series = ? and at = ?');
  return writer.transaction(() => {
    let moved = 0;
    for (const row of rows) {
      if (!recorder.addInterval(target, row)) continue;
      forget.run(other.id, row.at);
      moved += 1;
    }
    recorder.version += 1;
    return moved;
  })();
}
