/**
 * Takes batches: one commit each, into the journal. The rows are then in open hours in memory. A finished hour is
 * folded into three rows on the disk, and its entries are removed from the journal. After a crash the journal is read
 * again: existing seconds are dropped, so a second reading does no harm.
 */
import { FLAGS, type Flag } from '../../domain/flags.ts';
import { KEPT } from '../../domain/quantities.ts';
import type { Restated, SeriesKey } from '../contract.ts';
import { OpenHour } from '../rows/open-hour.ts';
import { hourValues, type IntervalRecord, intervalValues } from '../stored/columns.ts';
import { type HeldHour, OpenHours } from '../stored/open-hours.ts';
import type { SeriesRecord } from '../stored/source.ts';
import type { PackedBatch } from '../write-queue.ts';
import type { Catalogue } from './catalogue.ts';
import {
  applyEntry,
  type JournalEntry,
  type JournalHead,
  renamed,
  restatedRows,
  type Stated,
  takeRows,
} from './journal.ts';
import { type DatabaseConnection, statementsOf, type TableReader } from './tables.ts';

/** Freed pages cause many small writes: a little at a time. */
const JOURNAL_CUT = 250;
const CROWDED_FOLDS = 50;

/** The only writer of rows of the stream and of readings. */
export class RowWriter {
  readonly #writer: DatabaseConnection;
  readonly #catalogue: Catalogue;
  readonly #statements;
  readonly hours: OpenHours;
  #journalId = 0;
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

  /** Throws the error of SQLite; then nothing was taken. */
  write(batch: PackedBatch): void {
    const { rows } = batch;
    const journalId = this.#journalId + 1;
    const created: SeriesRecord[] = [];
    const records = batch.series.map((key) => this.#seriesWith(key, created));
    const bounds = batch.intervals.length > 0 ? records.map((record) => ({ ...record })) : [];
    let dropped = 0;
    try {
      dropped = this.#writer.transaction(() => this.#commit(batch, records, created, journalId))();
    } catch (error) {
      for (const [index, before] of bounds.entries()) Object.assign(records[index] ?? {}, before);
      throw error;
    }
    for (const record of created) this.#catalogue.add(record);
    this.duplicates += dropped;
    if (rows.length === 0) return;
    this.#journalId = journalId;
    const ids = records.map(({ id }) => id);
    this.duplicates += takeRows(rows, KEPT, ids, this.hours, journalId);
    if (this.hours.isCrowded) this.fold(0, CROWDED_FOLDS);
  }

  /** A missing series is added to `created`; it is not written yet. */
  #seriesWith(key: SeriesKey, created: SeriesRecord[]): SeriesRecord {
    const known = this.#catalogue.find(key);
    if (known) return known;
    const made = this.#catalogue.made(key, true);
    created.push(made);
    return made;
  }

  /** Takes an entry of another computer. Throws the error of SQLite; then nothing was taken. */
  absorb({ head, rows }: JournalEntry<SeriesKey>): void {
    const created: SeriesRecord[] = [];
    const own = renamed(head, (key) => this.#seriesWith(key, created).id);
    const journalId = this.#journalId + 1;
    this.#writer.transaction(() => {
      for (const record of created) this.#catalogue.write(record);
      this.#statements.journal.run(journalId, JSON.stringify(own), rows);
    })();
    for (const record of created) this.#catalogue.add(record);
    this.#journalId = journalId;
    applyEntry({ head: own, rows }, this.hours, journalId);
    this.version += 1;
    if (this.hours.isCrowded) this.fold(0, CROWDED_FOLDS);
  }

  get journalId(): number {
    return this.#journalId;
  }

  /** Journal entries before this one are in folded hours. */
  get journalNeededFrom(): number {
    return Math.min(this.hours.journalNeededFrom(), this.#journalId + 1);
  }

  /** Entries after this number, in order: at least one, and up to so many bytes. */
  entriesAfter(id: number, mostBytes: number): (JournalEntry & { readonly id: number })[] {
    const found = [];
    let bytes = 0;
    for (const { id: own, head, rows } of this.#statements.entries.iterate(id)) {
      bytes += rows.length;
      if (found.length > 0 && bytes > mostBytes) break;
      found.push({ id: own, head: JSON.parse(head) as JournalHead, rows });
    }
    return found;
  }

  #commit(
    { rows, intervals }: PackedBatch,
    records: readonly SeriesRecord[],
    created: readonly SeriesRecord[],
    journalId: number,
  ): number {
    for (const record of created) this.#catalogue.write(record);
    const head: JournalHead = { series: records.map(({ id }) => id), levels: KEPT };
    if (rows.length > 0) this.#statements.journal.run(journalId, JSON.stringify(head), rows);
    let dropped = 0;
    for (const { series, row } of intervals) if (!this.addInterval(records[series], row)) dropped += 1;
    return dropped;
  }

  /** Folds at most `limit` finished hours. Returns their number. */
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

  cutJournal(): void {
    this.#statements.cut.run(this.journalNeededFrom, JOURNAL_CUT);
  }

  /** Removes whole minutes of one hour, in memory or on the disk. Returns the removed steps. */
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

  /** `from`, `to`: seconds since 1970. Returns how many rows have the flag. */
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

  /** `others` have rows in the hour. Undefined if single seconds are no longer kept: then nothing changes. */
  restateHour(hour: number, head: Stated): Pick<Restated, 'moved' | 'confirmed'> | undefined {
    const ids = [head.stated, ...head.others];
    const isHeld = new Set(ids.filter((id) => this.hours.get(id, hour) !== undefined));
    const hours = ids.map((id) => this.hours.open(id, hour, this.#journalId + 1));
    try {
      if (!hours.every((rows) => rows.isInSeconds)) return undefined;
      const done = restatedRows(hour, head, this.hours, this.#journalId + 1);
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

  /** Notes in the journal that these series are empty in the span. False when the file is full. */
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

  /** Within the open transaction. False if the interval overlaps another interval of its series. */
  addInterval(record: SeriesRecord | undefined, row: IntervalRecord): boolean {
    if (!record) throw new RangeError('an interval of no series');
    const { at, duration } = row;
    if (this.#statements.overlap.get(record.id, at, at + duration, record.id, at, at) === 1) return false;
    this.#statements.interval.run(record.id, ...intervalValues(row));
    this.#catalogue.widen(record, row);
    return true;
  }

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
    for (const { id, head, rows } of this.#statements.entries.iterate(0)) {
      this.#journalId = id;
      applyEntry({ head: JSON.parse(head), rows }, this.hours, id);
    }
  }
}
