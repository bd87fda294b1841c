/**
 * For one query, combines the database and the rows that are still on this computer. An hour on this computer counts as
 * open. If the database also has rows of that hour, both are combined; for a second in both places the row of the
 * database counts.
 *
 * During a query, rows move from this computer to the database. They are removed here only after they are there, so
 * this computer is always read first.
 */
import type { SeriesKey } from '../contract.ts';
import { SECONDS_AN_HOUR } from '../rows/bytes.ts';
import { OpenHour } from '../rows/open-hour.ts';
import type { FileSource } from '../sqlite/source.ts';
import type { HourRecord, IntervalRecord } from '../stored/columns.ts';
import type { Cut, HourCount, LevelSource, SeriesRecord } from '../stored/source.ts';
import { type Work, waitFor } from '../stored/work.ts';
import { bestFirst, type PostgresSource } from './source.ts';
import { keyValues } from './statements.ts';

const NONE: HourCount = { hours: 0, first: null, last: null };

/** Missing in the database at this version of the local rows. */
interface OwnSeries {
  readonly record: SeriesRecord;
  version: number;
  there: number | undefined;
}

/** Local series that are missing in the database have numbers below zero, also after they are copied. */
export class BothPlaces implements LevelSource {
  readonly #there: PostgresSource;
  readonly #here: FileSource;
  readonly #whole: () => Promise<void>;
  readonly #numbers = new Map<number, number>();
  readonly #ownSeries = new Map<number, OwnSeries>();

  /** `whole`: resolves when the rows of other computers are here. An instance may be older than a takeover. */
  constructor(there: PostgresSource, here: FileSource, whole: () => Promise<void>) {
    this.#there = there;
    this.#here = here;
    this.#whole = whole;
  }

  get version(): number {
    return this.#there.version + this.#here.version;
  }

  *seriesOf(unitId: string): Work<readonly SeriesRecord[]> {
    yield* waitFor(this.#whole());
    const { version } = this.#here;
    // A copy of the present state: rows that move to the database take their bounds with them.
    const here = (yield* this.#here.seriesOf(unitId)).map((record) => ({ ...record }));
    const there = yield* this.#there.seriesOf(unitId);
    const own = new Map(here.map((record) => [keyText(record), record]));
    const all = there.map((record) => {
      const same = record.source === 'import' ? undefined : own.get(keyText(record));
      if (!same) return record;
      own.delete(keyText(record));
      this.#numbers.set(record.id, same.id);
      return {
        ...record,
        intervalsFrom: least(record.intervalsFrom, same.intervalsFrom),
        intervalsTo: greatest(record.intervalsTo, same.intervalsTo),
      };
    });
    for (const record of own.values()) {
      this.#numbers.set(-record.id, record.id);
      this.#ownSeries.set(-record.id, { record, version, there: undefined });
      all.push({ ...record, id: -record.id });
    }
    return all.sort(bestFirst);
  }

  openHours(series: number): readonly number[] {
    const own = this.#numbers.get(series);
    return own === undefined ? [] : hoursHere(own, this.#here);
  }

  *openHour(series: number, hour: number): Work<OpenHour | undefined> {
    const own = this.#numbers.get(series);
    const here = own === undefined ? undefined : yield* hourHere(own, hour, this.#here);
    if (!here) return here;
    const there = yield* this.#inDatabase(series, undefined, (id) => this.#there.stored(id, hour));
    if (!there) return here;
    const both = new OpenHour(there);
    both.takeFrom(copyOf(here), 0, SECONDS_AN_HOUR);
    return both;
  }

  countHours(series: number, first: number, end: number): Work<HourCount> {
    return this.#inDatabase(series, NONE, (id) => this.#there.countHours(id, first, end));
  }

  lacksSeconds(series: number, first: number, end: number): Work<boolean> {
    return this.#inDatabase(series, false, (id) => this.#there.lacksSeconds(id, first, end));
  }

  *hasReaching(series: number, cut: Cut): Work<boolean> {
    const own = this.#numbers.get(series);
    if (own !== undefined && (yield* this.#here.hasReaching(own, cut))) return true;
    return yield* this.#inDatabase(series, false, (id) => this.#there.hasReaching(id, cut));
  }

  hours(series: number, from: number, to: number): Work<readonly HourRecord[]> {
    return this.#inDatabase(series, [], (id) => this.#there.hours(id, from, to));
  }

  minutes(series: number, hour: number): Work<Uint8Array | undefined> {
    return this.#inDatabase(series, undefined, (id) => this.#there.minutes(id, hour));
  }

  seconds(series: number, hour: number): Work<Uint8Array | undefined> {
    return this.#inDatabase(series, undefined, (id) => this.#there.seconds(id, hour));
  }

  /** Of two overlapping intervals, the one in the database counts. */
  *intervals(series: number, from: number, to: number): Work<readonly IntervalRecord[]> {
    const own = this.#numbers.get(series);
    const here = own === undefined ? [] : yield* this.#here.intervals(own, from, to);
    const there = yield* this.#inDatabase(series, [], (id) => this.#there.intervals(id, from, to));
    if (here.length === 0) return there;
    const fresh = here.filter((row) => !there.some((other) => overlap(row, other)));
    return [...there, ...fresh].sort((a, b) => a.at - b.at);
  }

  digestedHours(series: number, first: number, end: number): Work<readonly (readonly unknown[])[]> {
    return this.#inDatabase(series, [], (id) => this.#there.digestedHours(id, first, end));
  }

  *digestedIntervals(series: number, after: number, before: number): Work<readonly unknown[]> {
    const own = this.#numbers.get(series);
    const here = own === undefined ? [] : yield* this.#here.digestedIntervals(own, after, before);
    return [
      ...(yield* this.#inDatabase(series, [], (id) => this.#there.digestedIntervals(id, after, before))),
      ...here,
    ];
  }

  /** `none`: result for a series that is not in the database. */
  *#inDatabase<T>(series: number, none: T, ask: (id: number) => Work<T>): Work<T> {
    const own = this.#ownSeries.get(series);
    const id = own ? yield* this.#numberThere(own) : series;
    return id === undefined ? none : yield* ask(id);
  }

  /** Looked up again whenever rows may have moved from this computer. */
  *#numberThere(own: OwnSeries): Work<number | undefined> {
    const { version } = this.#here;
    if (own.there !== undefined || own.version === version) return own.there;
    const all = yield* this.#there.seriesOf(own.record.unitId);
    own.there = all.find((record) => record.source !== 'import' && keyText(record) === keyText(own.record))?.id;
    own.version = version;
    return own.there;
  }
}

export function hoursHere(series: number, here: FileSource): number[] {
  return [...new Set([...here.openHours(series), ...here.storedHours(series)])];
}

function* hourHere(series: number, hour: number, here: FileSource): Work<OpenHour | undefined> {
  const open = yield* here.openHour(series, hour);
  if (open) return open;
  const minutes = yield* here.minutes(series, hour);
  return minutes && new OpenHour({ minutes, seconds: yield* here.seconds(series, hour) });
}

/** A copy, because `takeFrom` removes rows from the hour that it reads. */
export const copyOf = (rows: OpenHour): OpenHour =>
  new OpenHour({ minutes: rows.minutes.bytes(), seconds: rows.hasSeconds ? rows.seconds.bytes() : undefined });

const keyText = (key: SeriesKey): string => keyValues(key).join(' ');
const least = (a: number | null, b: number | null) => (a === null || b === null ? (a ?? b) : Math.min(a, b));
const greatest = (a: number | null, b: number | null) => (a === null || b === null ? (a ?? b) : Math.max(a, b));
const overlap = (a: IntervalRecord, b: IntervalRecord) => a.at < b.at + b.duration && b.at < a.at + a.duration;
