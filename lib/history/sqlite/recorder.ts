/**
 * Takes batches: one commit each, into the journal. The rows are then in open hours in memory. An hour that is over is folded
 * into three rows on the disk, and its entries are removed from the journal. After a crash the journal is read again: a second
 * that exists already is dropped, so reading it twice does no harm.
 */
import { FLAGS, type Flag } from '../../domain/flags.ts';
import { KEPT } from '../../domain/quantities.ts';
import type { Range, Restated, SeriesKey } from '../contract.ts';
import { visitRows } from '../rows/batch.ts';
import { UNNAMED } from '../rows/columns.ts';
import { OpenHour } from '../rows/open-hour.ts';
import { hourValues, type IntervalRecord, intervalValues } from '../stored/columns.ts';
import { type HeldHour, OpenHours } from '../stored/open-hours.ts';
import { restated } from '../stored/restated.ts';
import type { SeriesRecord } from '../stored/source.ts';
import type { Catalogue } from './catalogue.ts';
import { statementsOf } from './row-statements.ts';
import type { DatabaseConnection, TableReader } from './tables.ts';

/** A batch as it comes from the main thread. */
export interface PackedBatch {
  /** JSON of a list of `SeriesKey`. */
  readonly series: string;
  /** What `PackedRows` wrote. */
  readonly rows: Uint8Array;
  readonly intervals: readonly { readonly series: number; readonly row: IntervalRecord }[];
}

/**
 * Rows of the series with these ids, and which levels each row has (none named: those of the first release); or a removal, a doubt or
 * a statement about the weighting, so that removed rows do not come back, doubtful ones stay doubtful, and moved ones stay where they are.
 */
export type JournalHead =
  | { readonly series: readonly number[]; readonly levels?: readonly string[] }
  | { readonly removed: readonly number[]; readonly from: number; readonly to: number }
  | { readonly doubted: number; readonly flag: Flag; readonly from: number; readonly to: number }
  | Stated;

/** Rows of the other series in a span (seconds since 1970) belong to this one, and are doubtful no more. */
export interface Stated extends Range {
  readonly stated: number;
  readonly others: readonly number[];
}

/** Freed pages are many small writes: a little at a time. */
const JOURNAL_CUT = 250;
const CROWDED_FOLDS = 50;

/** The only one that writes rows of the stream and of readings. */
export class RowWriter {
  readonly #writer: DatabaseConnection;
  readonly #catalogue: Catalogue;
  readonly #statements;
  readonly hours: OpenHours;
  #journalId = 0;
  #copy = new Uint8Array(16_384);
  /** Most batches have the same series as the one before. */
  #lastSeries: { readonly text: string; readonly records: readonly SeriesRecord[] } = { text: '', records: [] };
  duplicates = 0;
  /** Grows whenever rows on the disk change. */
  version = 0;

  constructor(writer: DatabaseConnection, reading: TableReader, catalogue: Catalogue) {
    this.#writer = writer;
    this.#catalogue = catalogue;
    this.#statements = statementsOf(writer);
    this.hours = new OpenHours((series, hour) => reading.stored(series, hour));
    this.#replay();
  }

  /** Throws what SQLite throws; then nothing was taken. */
  write(batch: PackedBatch): void {
    const rows = this.#copied(batch.rows);
    const journalId = this.#journalId + 1;
    const { records, created } = this.#seriesOf(batch.series);
    const bounds = batch.intervals.length > 0 ? records.map((record) => ({ ...record })) : [];
    let dropped = 0;
    try {
      dropped = this.#writer.transaction(() => this.#commit(batch, rows, records, created, journalId))();
    } catch (error) {
      for (const [index, before] of bounds.entries()) Object.assign(records[index] ?? {}, before);
      throw error;
    }
    for (const record of created) this.#catalogue.add(record);
    this.#lastSeries = { text: batch.series, records };
    this.duplicates += dropped;
    if (rows.length === 0) return;
    this.#journalId = journalId;
    const ids = records.map(({ id }) => id);
    this.#take(rows, KEPT, ids, journalId);
    if (this.hours.isCrowded) this.fold(0, CROWDED_FOLDS);
  }

  /** Those that a batch names; `created` are not yet written. */
  #seriesOf(text: string): { records: readonly SeriesRecord[]; created: readonly SeriesRecord[] } {
    if (this.#lastSeries.text === text) return { records: this.#lastSeries.records, created: [] };
    const created: SeriesRecord[] = [];
    const records = (JSON.parse(text) as SeriesKey[]).map((key) => {
      const known = this.#catalogue.find(key);
      if (known) return known;
      created.push(this.#catalogue.made(key, true));
      return created.at(-1) as SeriesRecord;
    });
    return { records, created };
  }

  /** SQLite takes no memory that is shared. */
  #copied(rows: Uint8Array): Uint8Array {
    if (rows.length > this.#copy.length) this.#copy = new Uint8Array(rows.length * 2);
    this.#copy.set(rows);
    return this.#copy.subarray(0, rows.length);
  }

  /** Returns how many intervals were dropped. */
  #commit(
    batch: PackedBatch,
    rows: Uint8Array,
    records: readonly SeriesRecord[],
    created: readonly SeriesRecord[],
    journalId: number,
  ): number {
    for (const record of created) this.#catalogue.write(record);
    const head: JournalHead = { series: records.map(({ id }) => id), levels: KEPT };
    if (rows.length > 0) this.#statements.journal.run(journalId, JSON.stringify(head), rows);
    let dropped = 0;
    for (const { series, row } of batch.intervals) if (!this.addInterval(records[series], row)) dropped += 1;
    return dropped;
  }

  /** Folds at most `limit` of the hours that are over. Returns how many. */
  fold(now: number, limit: number): number {
    const due = this.hours.due(now, limit);
    for (const held of due) this.foldHour(held);
    return due.length;
  }

  foldHour(held: HeldHour): void {
    this.#writer.transaction(() => this.storeHour(held.series, held.hour, held.rows))();
    this.hours.close(held);
    this.version += 1;
  }

  /** Removes some folded entries from the journal. */
  cutJournal(): void {
    const needed = Math.min(this.hours.journalNeededFrom(), this.#journalId + 1);
    this.#statements.cut.run(needed, JOURNAL_CUT);
  }

  /** Whole minutes of one hour, wherever it is. Returns the steps that are gone. */
  removeMinutes(series: number, hour: number, fromMinute: number, toMinute: number): number {
    const held = [...this.hours.held()].find((one) => one.series === series && one.hour === hour);
    const rows = held?.rows ?? this.hours.open(series, hour, this.#journalId + 1);
    const before = rows.sum().steps;
    rows.remove(fromMinute, toMinute);
    const gone = before - rows.sum().steps;
    this.version += 1;
    this.#writer.transaction(() => this.storeHour(series, hour, rows))();
    if (!held || rows.isEmpty()) {
      for (const one of this.hours.held()) if (one.rows === rows) this.hours.close(one);
    }
    return gone;
  }

  /** Raises a flag in one hour, wherever it is. `from`, `to`: seconds since 1970. Returns how many rows have it. */
  doubtHour(series: number, hour: number, { from, to, flag }: { from: number; to: number; flag: Flag }): number {
    const isHeld = this.hours.get(series, hour) !== undefined;
    const rows = this.hours.open(series, hour, this.#journalId + 1);
    const begin = hour * 3_600;
    const flagged = rows.flag(Math.max(0, from - begin), Math.min(3_600, to - begin), FLAGS.indexOf(flag));
    this.version += 1;
    this.#writer.transaction(() => {
      this.storeHour(series, hour, rows);
      const head: JournalHead = { doubted: series, flag, from, to };
      this.#statements.journal.run(this.#journalId + 1, JSON.stringify(head), Buffer.alloc(0));
    })();
    this.#journalId += 1;
    if (!isHeld) for (const one of this.hours.held()) if (one.rows === rows) this.hours.close(one);
    return flagged;
  }

  /** What a statement changes in one hour; `others` have rows in it. Undefined where single seconds are no longer kept: then nothing changes. */
  restateHour(hour: number, head: Stated): Pick<Restated, 'moved' | 'confirmed'> | undefined {
    const ids = [head.stated, ...head.others];
    const isHeld = new Set(ids.filter((id) => this.hours.get(id, hour) !== undefined));
    const hours = ids.map((id) => this.hours.open(id, hour, this.#journalId + 1));
    try {
      if (!hours.every((rows) => rows.isInSeconds)) return undefined;
      const done = this.#restated(hour, head);
      this.version += 1;
      this.#writer.transaction(() => {
        for (const [index, id] of ids.entries()) this.storeHour(id, hour, hours[index] ?? new OpenHour());
        this.#statements.journal.run(this.#journalId + 1, JSON.stringify(head), Buffer.alloc(0));
      })();
      this.#journalId += 1;
      return done;
    } finally {
      for (const held of [...this.hours.held()])
        if (hours.includes(held.rows) && !isHeld.has(held.series)) this.hours.close(held);
    }
  }

  /** In memory alone. */
  #restated(hour: number, stated: Stated): Pick<Restated, 'moved' | 'confirmed'> {
    const rows = this.hours.open(stated.stated, hour, this.#journalId + 1);
    const others = stated.others.flatMap((other) => this.hours.get(other, hour) ?? []);
    return restated(rows, others, hour, stated);
  }

  /** Notes in the journal that these series have nothing in the span any more. False when the file is full. */
  noteRemoval(series: readonly number[], from: number, to: number): boolean {
    const head: JournalHead = { removed: series, from, to };
    try {
      this.#statements.journal.run(this.#journalId + 1, JSON.stringify(head), Buffer.alloc(0));
      this.#journalId += 1;
      return true;
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'SQLITE_FULL') return false;
      throw error;
    }
  }

  /** With the transaction that is open. False for one that overlaps another of its series. */
  addInterval(record: SeriesRecord | undefined, row: IntervalRecord): boolean {
    if (!record) throw new RangeError('an interval of no series');
    const { at, duration } = row;
    if (this.#statements.overlap.get(record.id, at, at + duration, record.id, at, at) === 1) return false;
    this.#statements.interval.run(record.id, ...intervalValues(row));
    this.#catalogue.widen(record, row);
    return true;
  }

  #take(rows: Uint8Array, levels: readonly string[], ids: readonly number[], journalId: number): void {
    visitRows(Buffer.from(rows.buffer, rows.byteOffset, rows.byteLength), levels, (index, at, row, samples) => {
      const series = ids[index] ?? 0;
      if (this.hours.open(series, Math.floor(at / 3_600), journalId).add(row, samples)) return;
      this.duplicates += 1;
    });
  }

  /** With the transaction that is open. */
  storeHour(series: number, hour: number, rows: OpenHour): void {
    const { seconds, minutes, sum, forget } = this.#statements;
    if (rows.isEmpty()) {
      for (const statement of forget) statement.run(series, hour);
      return;
    }
    const minuteBytes = rows.minutes.bytes();
    const secondBytes = rows.hasSeconds ? rows.seconds.bytes() : undefined;
    if (secondBytes) seconds.run(series, hour, secondBytes);
    minutes.run(series, hour, minuteBytes);
    sum.run(series, hour, ...hourValues(rows.sum(), secondBytes?.length ?? 0, minuteBytes.length));
  }

  #replay(): void {
    const before = this.duplicates;
    for (const { id, head, rows } of this.#statements.entries.iterate()) {
      this.#journalId = id;
      const entry = JSON.parse(head) as JournalHead;
      if ('series' in entry) this.#take(rows, entry.levels ?? UNNAMED, entry.series, id);
      else if ('removed' in entry) this.#removeAgain(entry.removed, entry.from, entry.to);
      else if ('doubted' in entry) this.#doubtAgain(entry.doubted, entry);
      else this.#restateAgain(entry);
    }
    this.duplicates = before;
  }

  #doubtAgain(series: number, { flag, from, to }: { flag: Flag; from: number; to: number }): void {
    const bit = FLAGS.indexOf(flag);
    for (const { series: id, hour, rows } of this.hours.held())
      if (id === series && bit >= 0 && hour * 3_600 < to && hour * 3_600 + 3_600 > from)
        rows.flag(Math.max(0, from - hour * 3_600), Math.min(3_600, to - hour * 3_600), bit);
  }

  /** Rows of the journal are in memory again as they came; those of other hours were moved on the disk. */
  #restateAgain(entry: Stated): void {
    const held = [...this.hours.held()].filter(
      ({ series }) => series === entry.stated || entry.others.includes(series),
    );
    for (const hour of new Set(held.map((one) => one.hour)))
      if (hour * 3_600 < entry.to && hour * 3_600 + 3_600 > entry.from) this.#restated(hour, entry);
  }

  #removeAgain(series: readonly number[], from: number, to: number): void {
    for (const { series: id, hour, rows } of [...this.hours.held()]) {
      if (!series.includes(id)) continue;
      const first = Math.max(0, from - hour * 3_600) / 60;
      const after = Math.min(3_600, to - hour * 3_600) / 60;
      if (after > first) rows.remove(first, after);
    }
  }
}
