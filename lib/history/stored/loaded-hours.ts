/** Loads the hour of a query before its cells are read, so that adding up never waits. */
import type { Range } from '../contract.ts';
import { SECONDS_AN_HOUR } from '../rows/bytes.ts';
import { MinuteTable } from '../rows/minutes.ts';
import type { OpenHour } from '../rows/open-hour.ts';
import { SecondTable } from '../rows/seconds.ts';
import type { HourRecord, IntervalRecord } from './columns.ts';
import type { RowPart } from './row-sum.ts';
import type { LevelSource, SeriesRecord } from './source.ts';
import type { Work } from './work.ts';

/** An hour of a series that gets no more rows, with its present sum. */
export interface StoredSum {
  readonly series: number;
  readonly record: HourRecord;
}

/** Up to 4 kB each; a month with a hundred exclusions has 250. */
const MOST = 2_000;

/**
 * Cached sums of the parts of stored hours between exclusions. Making a sum unpacks the seconds of the hour, and the
 * same exclusions apply to every answer. So the most recently used sums stay in memory.
 *
 * Shared by all queries of a store.
 */
export class KeptParts {
  readonly #parts = new Map<string, { readonly record: HourRecord; readonly part: RowPart }>();

  /** The sum of a part, if the hour has not changed since. */
  find(hour: StoredSum, span: Range): RowPart | undefined {
    const key = keyOf(hour, span);
    const kept = this.#parts.get(key);
    if (!kept) return undefined;
    this.#parts.delete(key);
    if (!isSame(kept.record, hour.record)) return undefined;
    // The most recently used sums are last.
    this.#parts.set(key, kept);
    return kept.part;
  }

  keep(hour: StoredSum, span: Range, part: RowPart): void {
    const { record } = hour;
    // A driver may cut many rows out of one piece of memory, which would all stay.
    const own = { ...record, counts: new Uint8Array(record.counts), spans: new Uint8Array(record.spans) };
    this.#parts.set(keyOf(hour, span), { record: own, part });
    const [oldest] = this.#parts.keys();
    if (oldest !== undefined && this.#parts.size > MOST) this.#parts.delete(oldest);
  }
}

const keyOf = ({ series }: StoredSum, { from, to }: Range): string => `${series} ${from} ${to}`;

const NUMBERS = ['hour', 'steps', 'readings', 'lp', 'lmaxAt', 'secondBytes', 'minuteBytes'] as const;

/** Any changed row of an hour changes its sum, level counts, spans, or the length of its packed rows. */
const isSame = (one: HourRecord, other: HourRecord): boolean =>
  NUMBERS.every((name) => one[name] === other[name]) &&
  isEqual(one.levels, other.levels) &&
  isEqual(one.flagged, other.flagged) &&
  isEqual(one.counts, other.counts) &&
  isEqual(one.spans, other.spans);

function isEqual(some: ArrayLike<number>, others: ArrayLike<number>): boolean {
  if (some.length !== others.length) return false;
  for (let index = 0; index < some.length; index++) if (some[index] !== others[index]) return false;
  return true;
}

/** Needed rows of an hour: only its sum; its minutes; its seconds; or both, for a part that is cut within a minute. */
export type NeededRows = 'whole' | 'minutes' | 'seconds' | 'both';

/** Number of hours whose sums are read at once, within the query. */
const BLOCK = 256;
/** After so many readings, rows that change all the time are used as they are. */
const MOST_READINGS = 4;

/** The rows of one series in the hour. */
export class LoadedRows {
  readonly series: SeriesRecord;
  /** Rows in place of the stored ones. */
  readonly open: OpenHour | undefined;
  readonly record: HourRecord | undefined;
  readonly intervals: readonly IntervalRecord[];
  /** Null without minutes; undefined before they are read. */
  #minutes: Uint8Array | null | undefined;
  #seconds: Uint8Array | null | undefined;
  #minuteTable: MinuteTable | undefined;
  #secondTable: SecondTable | undefined;

  constructor(series: SeriesRecord, { open, record, intervals }: Pick<LoadedRows, 'open' | 'record' | 'intervals'>) {
    this.series = series;
    this.open = open;
    this.record = record;
    this.intervals = intervals;
    this.#minutes = open || record ? undefined : null;
    this.#seconds = this.#minutes;
  }

  has(needed: NeededRows): boolean {
    if (this.open || needed === 'whole') return true;
    return (
      (needed === 'seconds' || this.#minutes !== undefined) && (needed === 'minutes' || this.#seconds !== undefined)
    );
  }

  *load(hour: number, needed: NeededRows, source: LevelSource): Work<void> {
    const { id } = this.series;
    if (!this.has(needed) && needed !== 'seconds') this.#minutes ??= (yield* source.minutes(id, hour)) ?? null;
    if (!this.has(needed) && needed !== 'minutes') this.#seconds ??= (yield* source.seconds(id, hour)) ?? null;
  }

  /**
   * The stored hour. Undefined if the hour still gets rows, or if the rows do not belong to the sum: another process
   * changed them.
   */
  storedSum(): StoredSum | undefined {
    const { open, record } = this;
    if (open || !record) return undefined;
    const [minutes, seconds] = [this.#minutes, this.#seconds];
    const isOfSum =
      (minutes === undefined || (minutes?.length ?? 0) === record.minuteBytes) &&
      (seconds === undefined || (seconds?.length ?? 0) === record.secondBytes);
    return isOfSum ? { series: this.series.id, record } : undefined;
  }

  /** Unpacked once, however often the hour is cut. */
  minuteTable(): MinuteTable {
    if (this.open) return this.open.minutes;
    this.#minuteTable ??= this.#minutes ? MinuteTable.from(this.#minutes) : noneOf(this.#minutes, new MinuteTable());
    return this.#minuteTable;
  }

  secondTable(): SecondTable {
    if (this.open) return this.open.seconds;
    this.#secondTable ??= this.#seconds ? SecondTable.from(this.#seconds) : noneOf(this.#seconds, new SecondTable());
    return this.#secondTable;
  }
}

function noneOf<Table>(bytes: Uint8Array | null | undefined, empty: Table): Table {
  if (bytes === undefined) throw new Error('rows were asked for before they were read');
  return empty;
}

interface Hour {
  readonly hour: number;
  readonly version: number;
  readonly rows: readonly LoadedRows[];
}

/** One hour at a time; the sums of the hours around it are kept. */
export class LoadedHours {
  readonly #series: readonly SeriesRecord[];
  readonly #source: LevelSource;
  readonly #span: Range;
  #block: { readonly start: number; readonly version: number } | undefined;
  readonly #records = new Map<number, Map<number, HourRecord>>();
  #hour: Hour | undefined;

  /** `span`: span of the query, s since 1970. */
  constructor(series: readonly SeriesRecord[], source: LevelSource, span: Range) {
    this.#series = series;
    this.#source = source;
    this.#span = span;
  }

  has(hour: number, needed: NeededRows): boolean {
    const here = this.#hour;
    if (here?.hour !== hour || here.version !== this.#source.version) return false;
    const really = reallyNeeded(here.rows, needed);
    return here.rows.every((rows) => rows.has(really));
  }

  *load(hour: number, needed: NeededRows): Work<void> {
    // Rows may move to another place during this wait: then they are read again.
    for (let reading = 0; reading < MOST_READINGS && !this.has(hour, needed); reading++) {
      const { version } = this.#source;
      if (this.#hour?.hour !== hour || this.#hour.version !== version)
        this.#hour = { hour, version, rows: yield* this.#rowsOf(hour) };
      const really = reallyNeeded(this.#hour.rows, needed);
      for (const rows of this.#hour.rows) yield* rows.load(hour, really, this.#source);
    }
  }

  /** The hour that was loaded last. */
  here(): Hour {
    if (!this.#hour) throw new Error('no hour was loaded');
    return this.#hour;
  }

  *#loadBlock(hour: number): Work<void> {
    const { version } = this.#source;
    const start = Math.floor(hour / BLOCK) * BLOCK;
    if (start === this.#block?.start && version === this.#block.version) return;
    const first = Math.max(start, Math.floor(this.#span.from / SECONDS_AN_HOUR));
    const end = Math.min(start + BLOCK, Math.ceil(this.#span.to / SECONDS_AN_HOUR));
    for (const { id } of this.#series) {
      const records = yield* this.#source.hours(id, first, end);
      this.#records.set(id, new Map(records.map((record) => [record.hour, record])));
    }
    this.#block = { start, version };
  }

  *#rowsOf(hour: number): Work<LoadedRows[]> {
    const all: Pick<LoadedRows, 'series' | 'open' | 'intervals'>[] = [];
    for (const series of this.#series) {
      const open = yield* this.#source.openHour(series.id, hour);
      all.push({ series, open, intervals: yield* this.#intervals(series, hour) });
    }
    // Read last: an hour that was open before is then among the stored hours.
    yield* this.#loadBlock(hour);
    return all.map(({ series, ...rows }) => {
      const record = this.#records.get(series.id)?.get(hour);
      return new LoadedRows(series, { ...rows, record });
    });
  }

  *#intervals({ id, intervalsFrom, intervalsTo }: SeriesRecord, hour: number): Work<readonly IntervalRecord[]> {
    const start = hour * SECONDS_AN_HOUR;
    const end = start + SECONDS_AN_HOUR;
    if (intervalsFrom === null || intervalsTo === null || intervalsFrom >= end || intervalsTo <= start) return [];
    return yield* this.#source.intervals(id, start, end);
  }
}

/** The sum of an hour is enough only if a single series has all data. */
function reallyNeeded(rows: readonly LoadedRows[], needed: NeededRows): NeededRows {
  if (needed !== 'whole') return needed;
  const having = rows.filter(({ open, record }) => open || record);
  return having.length <= 1 && rows.every(({ intervals }) => intervals.length === 0) ? 'whole' : 'minutes';
}
