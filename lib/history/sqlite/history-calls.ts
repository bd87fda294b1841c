/**
 * Calls of the main thread to the history thread, by name. Long work is a generator that stops often, so that other
 * calls can run.
 */
import { statfsSync } from 'node:fs';
import type {
  AnswerHead,
  Doubt,
  Extent,
  ExtentOptions,
  Imported,
  Query,
  Restated,
  Retention,
  SeriesKey,
  StatedWeighting,
} from '../contract.ts';
import { SECONDS_AN_HOUR } from '../rows/bytes.ts';
import type { IntervalRecord } from '../stored/columns.ts';
import { boundsOf, extentOf } from '../stored/extent.ts';
import { Imports } from '../stored/imports.ts';
import { pages, plan, type RowPage } from '../stored/query.ts';
import type { LevelSource, UnitStore } from '../stored/source.ts';
import { joinStore } from '../stored/store-copy.ts';
import { type StoredHour, storedLines } from '../stored/stored-lines.ts';
import { type Work, waitFor } from '../stored/work.ts';
import type { PackedBatch } from '../write-queue.ts';
import { Catalogue } from './catalogue.ts';
import { openFileStore } from './file-units.ts';
import { FileImports } from './imports.ts';
import { RowWriter } from './recorder.ts';
import { Removal, restate } from './removal.ts';
import { type FileParts, FileSource, type OwnFile } from './source.ts';
import { connect, type DatabaseConnection, TableReader } from './tables.ts';

export interface ThreadOptions {
  readonly path: string;
  /** Largest size of the file, bytes; 0: limited only by the disk. */
  readonly maxBytes: number;
  /** Below this free space on the disk nothing is recorded. */
  readonly minFreeBytes: number;
  readonly database?: string | undefined;
}

/**
 * The database that several gateways share. New rows go into the file of this computer first. Finished hours and
 * intervals are copied to the database, and stay in the file until they are there. `here` does the same with the rows
 * of this computer; nothing is copied meanwhile. After a rejection, all completed changes are complete.
 */
export interface SharedStore {
  /** Creates the tables. Throws HistoryError, or the error of the database. */
  ready(): Work<void>;
  /** Reads the rows that another computer has left, at a takeover; queries wait until they are here. */
  takeOver(): Work<void>;
  /** For one query: the rows of both places, each once. */
  source(): LevelSource;
  /** Regular work. `now`: seconds. Does not throw when the database is away. */
  tick(now: number, retention: Retention): Work<void>;
  /** Why the database is away, for the log; null while it answers. */
  readonly away: string | null;
  doubt(doubt: Doubt, here: () => Work<number>): Work<number>;
  restate(stated: StatedWeighting, here: () => Work<Restated>): Work<Restated>;
  remove(span: { unitId: string; from: number; to: number }, here: () => Work<number>): Work<number>;
  readonly imports: Imports;
  units(): Work<readonly string[]>;
  /** The content of the database, without the rows that are still on this computer. */
  readonly stored: Pick<UnitStore, 'source' | 'units'>;
  bytes(): Work<number>;
  close(): Promise<void>;
}

type OpenShared = (url: string, own: OwnFile) => SharedStore;

/** The disk has less free space than must stay free. */
class NoRoom extends Error {
  readonly code = 'NO_ROOM';
}

const FOLDS_AT_ONCE = 8;
/** The search for old rows reads each series. */
const RETAIN_S = 60;
/** From this number of free pages on, they are returned to the disk, and this many at a time. */
const FREE_PAGES = 2_000;
const PAGES_AT_ONCE = 500;

/** Most open queries. Above it, the query with the longest unread rows is ended. */
const MOST_CURSORS = 1_000;

export class HistoryCalls {
  readonly #options: ThreadOptions;
  readonly #writer: DatabaseConnection;
  readonly #parts: FileParts;
  readonly #source: FileSource;
  /** Imports do not use this file if there is a shared database: they go directly there. */
  readonly #imports: Imports;
  readonly #ownImports: Imports;
  readonly #importRows: FileImports;
  readonly #shared: SharedStore | undefined;
  /** For lines of stored rows: they are requested in parts, and are read ahead. */
  readonly #lines: LevelSource;
  readonly #removal: Removal;
  readonly #cursors = new Map<number, Generator<RowPage | null | Promise<unknown>>>();
  #lastCursor = 0;
  #hasRoom = true;
  #retention: Retention = { secondsDays: 0, minutesDays: 0 };
  #retainAt = 0;

  constructor(options: ThreadOptions, openShared?: OpenShared) {
    const { writer, reader } = connect(options.path);
    const reading = new TableReader(reader);
    const catalogue = new Catalogue(writer);
    this.#options = options;
    this.#writer = writer;
    if (options.maxBytes > 0) {
      const pageSize = Number(writer.pragma('page_size', { simple: true }));
      writer.pragma(`max_page_count = ${Math.floor(options.maxBytes / pageSize)}`);
    }
    this.#parts = { reader, reading, catalogue, recorder: new RowWriter(writer, reading, catalogue) };
    this.#importRows = new FileImports({ writer, reading, catalogue });
    this.#ownImports = new Imports(this.#importRows);
    this.#source = new FileSource(this.#parts);
    this.#removal = new Removal(this.#parts, this.#source, writer);
    this.#shared = openShared?.(options.database ?? '', { parts: this.#parts, source: this.#source, writer });
    this.#imports = this.#shared?.imports ?? this.#ownImports;
    this.#lines = this.#shared?.source() ?? this.#source;
    this.#look();
  }

  *ready(): Work<void> {
    if (this.#shared) yield* this.#shared.ready();
  }

  *takeOver(): Work<void> {
    if (this.#shared) yield* this.#shared.takeOver();
  }

  /** `sync`: resolves when this and all earlier writes would survive a power cut. */
  write({ batch, sync }: { batch: PackedBatch | null; sync: boolean }): { duplicates: number } {
    if (!this.#hasRoom) this.#look();
    if (!this.#hasRoom) {
      throw new NoRoom(`less than ${Math.ceil(this.#options.minFreeBytes / 1e6)} MB of the disk are free`);
    }
    if (batch) this.#parts.recorder.write(batch);
    if (sync) this.#writer.pragma('wal_checkpoint(passive)');
    return { duplicates: this.#parts.recorder.duplicates };
  }

  /** Regular work, a little each time. `now`: seconds. Returns why finished hours do not go to the shared database. */
  *tick({ now, retention }: { now: number; retention: Retention }): Work<{ away: string | null }> {
    this.#look();
    const { recorder } = this.#parts;
    for (let count = 0; count < FOLDS_AT_ONCE && recorder.fold(now, 1) > 0; count++) yield null;
    recorder.cutJournal();
    yield null;
    if (this.#shared) yield* this.#shared.tick(now, retention);
    else yield* this.#retain(retention, now);
    yield* this.#ownImports.clean(() => this.#importRows.unfinished());
    const free = Number(this.#writer.pragma('freelist_count', { simple: true }));
    if (free > FREE_PAGES) this.#writer.pragma(`incremental_vacuum(${PAGES_AT_ONCE})`);
    yield null;
    // Rows in the main file survive the loss of its side files.
    this.#writer.pragma('wal_checkpoint(passive)');
    return { away: this.#shared?.away ?? null };
  }

  /** Once a minute; or with each tick while there are old rows. */
  *#retain(retention: Retention, now: number): Work<void> {
    const { secondsDays, minutesDays } = retention;
    const isNew = secondsDays !== this.#retention.secondsDays || minutesDays !== this.#retention.minutesDays;
    this.#retention = retention;
    // The clock may have been set back.
    const isEarly = now < this.#retainAt && now >= this.#retainAt - RETAIN_S;
    if (!isNew && isEarly) return;
    const gone = yield* this.#removal.retain(retention, now);
    this.#retainAt = gone > 0 ? now : now + RETAIN_S;
  }

  *query(query: Query): Work<{ cursor: number; head: AnswerHead }> {
    const source = this.#shared?.source() ?? this.#source;
    const planned = yield* plan(query, source);
    this.#lastCursor += 1;
    const [oldest] = this.#cursors.keys();
    if (oldest !== undefined && this.#cursors.size >= MOST_CURSORS) this.#cursors.delete(oldest);
    this.#cursors.set(this.#lastCursor, pages(query, planned, source));
    return { cursor: this.#lastCursor, head: planned.head };
  }

  /** Null at the end; the cursor is then closed. */
  *next(cursor: number): Work<RowPage | null> {
    const rows = this.#cursors.get(cursor);
    if (!rows) throw new Error('the query has ended');
    this.#cursors.delete(cursor);
    this.#cursors.set(cursor, rows);
    for (let step = rows.next(); !step.done; step = rows.next()) {
      if (step.value && 'numbers' in step.value) return step.value;
      yield step.value;
    }
    this.#cursors.delete(cursor);
    return null;
  }

  leave(cursor: number): void {
    this.#cursors.delete(cursor);
  }

  *extent({ unitId, ...asked }: { unitId: string; gapSeconds: number } & ExtentOptions): Work<Extent> {
    return yield* extentOf(unitId, asked, this.#shared?.source() ?? this.#source);
  }

  *stored(hour: StoredHour): Work<string[]> {
    return yield* storedLines(hour, this.#lines);
  }

  doubt(doubt: Doubt): Work<number> {
    const here = () => this.#doubtHere(doubt);
    return this.#shared?.doubt(doubt, here) ?? here();
  }

  *#doubtHere(doubt: Doubt): Work<number> {
    const { catalogue, recorder } = this.#parts;
    const record = catalogue.find(doubt);
    if (!record) return 0;
    const { first, end } = yield* boundsOf([record], this.#source);
    const last = Math.min(end, Math.ceil(doubt.to / SECONDS_AN_HOUR));
    let flagged = 0;
    for (let hour = Math.max(first, Math.floor(doubt.from / SECONDS_AN_HOUR)); hour < last; hour++) {
      if (this.#removal.has(record.id, hour)) flagged += recorder.doubtHour(record.id, hour, doubt);
      yield null;
    }
    return flagged;
  }

  restate(stated: StatedWeighting): Work<Restated> {
    const parts = { ...this.#parts, source: this.#source, writer: this.#writer, removal: this.#removal };
    const here = () => restate(stated, parts);
    return this.#shared?.restate(stated, here) ?? here();
  }

  remove(span: { unitId: string; from: number; to: number }): Work<number> {
    const here = () => this.#removal.remove(span.unitId, span.from, span.to);
    return this.#shared?.remove(span, here) ?? here();
  }

  importBegin(key: SeriesKey): Work<number> {
    return this.#imports.begin(key);
  }

  importRows({ id, rows }: { id: number; rows: readonly IntervalRecord[] }): Work<void> {
    return this.#imports.add(id, rows);
  }

  importEnd(id: number): Work<Imported> {
    return this.#imports.finish(id);
  }

  importAbandon(id: number): Work<void> {
    return this.#imports.abandon(id);
  }

  *units(): Work<readonly string[]> {
    if (this.#shared) return yield* this.#shared.units();
    const { catalogue } = this.#parts;
    const units: string[] = [];
    for (const unitId of catalogue.units())
      if ((yield* boundsOf(catalogue.of(unitId), this.#source)).end > 0) units.push(unitId);
    return units;
  }

  *bytes(): Work<{ total: number; free: number }> {
    const shared = this.#shared ? yield* this.#shared.bytes() : 0;
    const [size, pageCount, free] = ['page_size', 'page_count', 'freelist_count'].map((name) =>
      Number(this.#parts.reader.pragma(name, { simple: true })),
    ) as [number, number, number];
    return { total: pageCount * size + shared, free: free * size };
  }

  /** Adds the rows of the shared database to a copy of this file. */
  *joinShared(copy: string): Work<void> {
    if (!this.#shared) return;
    const into = yield* waitFor(openFileStore(copy));
    try {
      yield* joinStore(this.#shared.stored, into);
    } finally {
      yield* waitFor(into.close());
    }
  }

  *close(): Work<void> {
    if (this.#shared) yield* waitFor(this.#shared.close());
    this.#cursors.clear();
    this.#parts.reader.close();
    this.#writer.close();
  }

  #look(): void {
    const { path, minFreeBytes } = this.#options;
    if (minFreeBytes === 0) return;
    const { bavail, bsize } = statfsSync(path);
    this.#hasRoom = bavail * bsize >= minFreeBytes;
  }
}
