/**
 * The history on SQLite: rows are packed here. All other work is in a thread of its own, which starts with the first
 * row or the first query.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Clock, unlessAborted, within } from '../../clock.ts';
import { MAIN_CHANNEL } from '../../domain/ids.ts';
import { GatewayError, messageOf } from '../../errors.ts';
import type { Log } from '../../log.ts';
import { checkChannel, checkMinutes, checkQuery, checkSpan, firstWrong, invalidRow } from '../check.ts';
import type {
  Answer,
  Appended,
  Batch,
  Doubt,
  ExtentOptions,
  History,
  HistoryStatus,
  Import,
  Imported,
  IntervalRow,
  LateSpan,
  Query,
  Restated,
  Retention,
  StatedWeighting,
  StoredRows,
  StoredSpan,
} from '../contract.ts';
import { HistoryError } from '../problem.ts';
import { SHORTEST_GAP_S } from '../rows/hour.ts';
import { storedInterval } from '../stored/columns.ts';
import { rowPages } from '../stored/row-pages.ts';
import { hourPages } from '../stored/stored-lines.ts';
import { type PackedBatch, WriteQueue } from '../write-queue.ts';
import { type Calls, Channel, ThreadError } from './channel.ts';
import { checkWitness, copyHistory, type HistoryFile, type LevelWitness, prepareFile } from './prepare.ts';

interface HistoryListener {
  /** Gets every appended batch, also a batch that was lost for lack of space. */
  readonly onAppend?: (batch: Batch) => void;
  /** Gets the span of late levels: for a batch when it is appended, for an import when all its rows can be queried. */
  readonly onLate?: (late: LateSpan) => void;
}

/** SQLSTATE of a full disk (a SQLSTATE has five characters). */
const DISK_FULL = '53100';
const isSqlState = (code: string): boolean => /^[0-9A-Z]{5}$/.test(code);

function problemOf(error: unknown): 'full' | 'failing' {
  const code = error instanceof ThreadError ? error.code : '';
  return code === 'NO_ROOM' || code === DISK_FULL || code.startsWith('SQLITE_FULL') ? 'full' : 'failing';
}

const isDamage = (error: unknown): boolean =>
  error instanceof ThreadError && /^SQLITE_(CORRUPT|NOTADB)/.test(error.code);

async function withReason<T>(asked: Promise<T>): Promise<T> {
  try {
    return await asked;
  } catch (error) {
    throw error instanceof ThreadError ? explained(error) : error;
  }
}

function explained(error: ThreadError): GatewayError {
  if (error.code === 'OVERLAPS') return invalidRow(error.message, error.errors);
  if (error.code === 'CLOSED') return new GatewayError('STOPPING', 'The history is closed.');
  if (isDamage(error))
    return new GatewayError(
      'STORAGE_FAILED',
      `These levels cannot be read: the history is damaged (${error.message}). Restore a backup of it.`,
    );
  if (problemOf(error) === 'full') return new GatewayError('STORAGE_FULL', `There is no space: ${error.message}.`);
  if (error.code.startsWith('SQLITE_') || error.code === 'DATABASE_AWAY' || isSqlState(error.code))
    return new GatewayError('STORAGE_FAILED', `The history failed: ${error.message}.`);
  return new GatewayError('INTERNAL', `The history failed: ${error.message}`, { cause: error });
}

function sharedOpeningError(error: unknown): unknown {
  if (!(error instanceof ThreadError)) return error;
  if (error.code === 'newer') return new HistoryError('newer', error.message, error);
  return new HistoryError(
    'folder',
    `the history in the shared database cannot be opened: ${error.message}. Look at database_url, and whether the database runs`,
    error,
  );
}

/** The file, its limits, and how long rows are kept. */
export interface HistoryOptions extends HistoryListener {
  /** The database; `-wal`, `-shm` and `.lock` are next to it. */
  readonly path: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly retention?: Retention;
  /** Largest size of the file; 0 or absent: limited only by the disk. */
  readonly maxBytes?: number;
  /** Below this free space on the disk the recording stops. */
  readonly minFreeBytes?: number;
  /** Most rows that may wait for the disk. */
  readonly mostWaiting?: number;
  /** URL of the shared PostgreSQL: finished hours go there, and stay in the file until the database has them. */
  readonly database?: string | undefined;
  /** Knowledge of another file about the levels in this file. */
  readonly witness?: LevelWitness;
  /** Begins with an empty file even if the witness knows of levels. */
  readonly acceptLoss?: boolean;
}

/** A complete copy during recording. */
export interface HistoryBackup {
  /** A new SQLite file, whatever the store. Rejects with GatewayError, or the error of the system. */
  backup(file: string): Promise<void>;
}

/** Period in which the thread folds hours, removes old rows and checks the free space (start to start). */
const TICK_MS = 5_000;
const SHORTEST_PAUSE_MS = 1_000;
/** Old levels must be removed even if nobody uses the history: the thread then starts after this time. */
const UNUSED_MS = 3_600_000;
const IMPORT_ROWS = 1_000;
/** A query with more ranges is passed to the thread in a turn of its own. */
const MANY_RANGES = 1_000;
const NO_LIMIT: Retention = Object.freeze({ secondsDays: 0, minutesDays: 0 });

/** Histories of this process that still close, by path: a gateway may begin again before its thread has ended. */
const CLOSING = new Map<string, Promise<void>>();
const LONGEST_CLOSE_MS = 10_000;

/** Throws HistoryError with one line about the fault and its repair. */
export async function openHistory(options: HistoryOptions): Promise<History & StoredRows & HistoryBackup> {
  const { clock, path } = options;
  const before = CLOSING.get(path);
  // Where it is still open after that, its lock says so.
  if (before)
    await within(
      clock,
      LONGEST_CLOSE_MS,
      () => new Error('not in time'),
      (signal) => unlessAborted(before, signal),
    ).catch(() => {});
  const file = await prepareFile(options.path);
  try {
    if (options.database) return await SqliteHistory.beside(options, file);
    const { witness, acceptLoss = false, log } = options;
    if (witness) await checkWitness(file, { path, witness, acceptLoss, log });
    return new SqliteHistory(options, file);
  } catch (error) {
    file.release();
    throw error;
  }
}

class SqliteHistory implements History, StoredRows, HistoryBackup {
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #channel: Channel;
  readonly #queue: WriteQueue;
  readonly #file: HistoryFile;
  readonly #path: string;
  readonly #isShared: boolean;
  readonly #listeners: HistoryListeners;
  #retention: Retention;
  #tables: Promise<void> | undefined;
  readonly #witness: LevelWitness | undefined;
  /** The main file has levels, and the witness knows it. */
  #hasLevels: boolean;
  #cancelTick: () => void = () => {};
  #closing: Promise<void> | undefined;

  /** With a shared database, which must answer now. Throws HistoryError. */
  static async beside(options: HistoryOptions, file: HistoryFile): Promise<SqliteHistory> {
    const history = new SqliteHistory(options, file);
    try {
      await history.#ask('ready', undefined);
      // Meters do not wait for this. A failure is tried again with each tick.
      history.#ask('takeOver', undefined).catch(() => {});
      return history;
    } catch (error) {
      await history.#queue.close();
      await history.#channel.close();
      throw sharedOpeningError(error);
    }
  }

  constructor(options: HistoryOptions, file: HistoryFile) {
    const { clock, log, path, maxBytes = 0, minFreeBytes = 0 } = options;
    this.#clock = clock;
    this.#log = log;
    this.#file = file;
    this.#path = path;
    this.#isShared = options.database !== undefined;
    this.#witness = this.#isShared ? undefined : options.witness;
    this.#hasLevels = !file.isEmpty;
    this.#retention = options.retention ?? NO_LIMIT;
    this.#listeners = new HistoryListeners(clock, options);
    this.#channel = new Channel({ path, maxBytes, minFreeBytes, database: options.database }, (error) =>
      log.error({ reason: error.message }, 'the thread of the history ended and is started again'),
    );
    const write = async (batch: PackedBatch | null, sync: boolean) => {
      if (!batch && !this.#tables) return { duplicates: 0 };
      const written = await this.#ask('write', { batch, sync });
      if (batch) await this.#haveLevels();
      return written;
    };
    this.#queue = new WriteQueue({ clock, log, write, problemOf, mostWaiting: options.mostWaiting });
    if (!file.isNew) this.#tickAfter(UNUSED_MS);
  }

  append(batch: Batch): Appended {
    const appended = this.#queue.append(batch);
    this.#listeners.appended(batch);
    return appended;
  }

  flush(signal?: AbortSignal): Promise<void> {
    return withReason(this.#queue.flush(signal));
  }

  async query(query: Query, signal?: AbortSignal): Promise<Answer> {
    checkQuery(query);
    // Making the ranges and copying them for the thread are both slow.
    if ('ranges' in query.over && query.over.ranges.length > MANY_RANGES) await nextTurn();
    const { cursor, head } = await this.#call('query', query, signal);
    const next = () => this.#call('next', cursor, signal);
    const leave = () => void this.#ask('leave', cursor).catch(() => {});
    return { ...head, rows: rowPages(next, leave, query.percentiles?.length ?? 0) };
  }

  extent(unitId: string, { gapSeconds = SHORTEST_GAP_S, channel }: ExtentOptions = {}, signal?: AbortSignal) {
    if (!(gapSeconds >= SHORTEST_GAP_S))
      return Promise.reject(invalidRow(`A gap is longer than ${SHORTEST_GAP_S} seconds.`));
    return this.#call('extent', { unitId, gapSeconds, ...(channel && { channel }) }, signal);
  }

  async *lines(span: StoredSpan, signal?: AbortSignal): AsyncGenerator<readonly string[]> {
    checkSpan(span);
    await this.flush(signal);
    yield* hourPages(span, (hour) => this.#call('stored', hour, signal));
  }

  async remove(unitId: string, from: number, to: number, signal?: AbortSignal): Promise<number> {
    checkMinutes({ from, to });
    // Rows that were appended earlier are removed, too. This also works while the disk is full, to free space.
    await this.#queue.flush(signal).catch(() => {});
    return this.#call('remove', { unitId, from, to }, signal);
  }

  async doubt(doubt: Doubt, signal?: AbortSignal): Promise<number> {
    checkSpan(doubt);
    await this.flush(signal);
    return this.#call('doubt', doubt, signal);
  }

  async restate(stated: StatedWeighting, signal?: AbortSignal): Promise<Restated> {
    checkSpan(stated);
    checkChannel(stated.channel);
    await this.flush(signal);
    return this.#call('restate', stated, signal);
  }

  async import(target: Import, rows: AsyncIterable<readonly IntervalRow[]>, signal?: AbortSignal): Promise<Imported> {
    checkChannel(target.channel);
    const id = await this.#call('importBegin', { ...target, source: 'import' }, signal);
    try {
      for await (const page of rows) {
        const wrong = firstWrong(page);
        if (wrong) throw invalidRow('A row of the import is not possible.', [wrong]);
        for (let first = 0; first < page.length; first += IMPORT_ROWS) {
          await this.#call(
            'importRows',
            { id, rows: page.slice(first, first + IMPORT_ROWS).map(storedInterval) },
            signal,
          );
        }
        signal?.throwIfAborted();
      }
      const imported = await this.#call('importEnd', id, signal);
      await this.#haveLevels();
      this.#listeners.imported(target, imported);
      return imported;
    } catch (error) {
      // If the thread has ended, the new thread has removed its rows already.
      await this.#ask('importAbandon', id).catch(() => {});
      throw error;
    }
  }

  async backup(file: string): Promise<void> {
    await this.flush().catch(() => {});
    await copyHistory(this.#path, file);
    // In this order, rows that move meanwhile are in both, and not in neither.
    if (this.#isShared) await this.#call('joinShared', file);
  }

  retain(retention: Retention): void {
    this.#retention = retention;
  }

  units(signal?: AbortSignal): Promise<readonly string[]> {
    return this.#call('units', undefined, signal);
  }

  bytes(signal?: AbortSignal): Promise<{ total: number; free: number }> {
    return this.#call('bytes', undefined, signal);
  }

  get status(): HistoryStatus {
    return this.#queue.status;
  }

  onState(listener: (status: HistoryStatus) => void): () => void {
    return this.#queue.onState(listener);
  }

  close(): Promise<void> {
    if (this.#closing) return this.#closing;
    const closing = this.#close().finally(() => {
      if (CLOSING.get(this.#path) === closing) CLOSING.delete(this.#path);
    });
    CLOSING.set(this.#path, closing);
    this.#closing = closing;
    return closing;
  }

  async #close(): Promise<void> {
    this.#cancelTick();
    try {
      await this.#queue.close();
      await this.#channel.close();
      await this.#tables?.catch(() => {});
    } finally {
      this.#file.release();
    }
  }

  #call<Name extends keyof Calls>(
    name: Name,
    argument: Calls[Name]['argument'],
    signal?: AbortSignal,
  ): Promise<Calls[Name]['result']> {
    return withReason(this.#ask(name, argument, signal));
  }

  /** The first call starts the thread. Rejects with ThreadError, or with the reason of `signal`. */
  async #ask<Name extends keyof Calls>(
    name: Name,
    argument: Calls[Name]['argument'],
    signal?: AbortSignal,
  ): Promise<Calls[Name]['result']> {
    if (this.status.state === 'closed') throw new ThreadError('CLOSED', 'the history is closed');
    this.#tables ??= this.#begin();
    await this.#tables;
    try {
      return await this.#channel.call(name, argument, signal);
    } catch (error) {
      if (isDamage(error)) this.#queue.noteDamage(messageOf(error));
      throw error;
    }
  }

  /** After a failure the next call tries again. */
  async #begin(): Promise<void> {
    try {
      await this.#file.makeTables();
      this.#tickAfter(TICK_MS);
    } catch (error) {
      this.#tables = undefined;
      throw new ThreadError(error instanceof Error && 'code' in error ? String(error.code) : '', messageOf(error));
    }
  }

  /** The first levels go directly into the main file: a loss of its side files must not look like a new history. */
  async #haveLevels(): Promise<void> {
    if (this.#hasLevels) return;
    this.#hasLevels = true;
    try {
      await this.#ask('write', { batch: null, sync: true });
      await this.#witness?.noteLevels(true);
    } catch (error) {
      // The levels are written: only the next start does not know it.
      this.#hasLevels = false;
      this.#log.warn({ reason: messageOf(error) }, 'the first levels of the history could not be noted in gateway.db');
    }
  }

  #tickAfter(ms: number): void {
    this.#cancelTick();
    if (this.#closing) return;
    this.#cancelTick = this.#clock.after(ms, () => {
      const due = this.#clock.elapsed() + TICK_MS;
      const now = Math.floor(this.#clock.now() / 1_000);
      this.#ask('tick', { now, retention: this.#retention })
        .then(({ away }) => this.#queue.noteAway(away))
        .catch((error: unknown) => {
          if (!this.#closing) this.#log.warn({ reason: messageOf(error) }, 'the history could not be tidied up');
        })
        .finally(() => this.#tickAfter(Math.max(SHORTEST_PAUSE_MS, due - this.#clock.elapsed())));
    });
  }
}

/** Rows of a meter that begin more than this time ago are late. */
const LATE_S = 3_600;

/** Tells of new and late levels. Remembers the latest time: a clock that is set back does not make late rows new. */
class HistoryListeners {
  readonly #clock: Clock;
  readonly #listener: HistoryListener;
  #latest = 0;

  constructor(clock: Clock, listener: HistoryListener) {
    this.#clock = clock;
    this.#listener = listener;
  }

  appended(batch: Batch): void {
    this.#listener.onAppend?.(batch);
    const { unitId, channel = MAIN_CHANNEL, source, seconds = [], intervals = [] } = batch;
    this.#latest = Math.max(this.#latest, this.#clock.now() / 1_000);
    let [from, to] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
    for (const { at } of seconds) [from, to] = [Math.min(from, at), Math.max(to, at + 1)];
    for (const { at, duration } of intervals) [from, to] = [Math.min(from, at), Math.max(to, at + duration)];
    const isLate = source === 'card' || from < this.#latest - LATE_S;
    if (isLate && from < to) this.#listener.onLate?.({ unitId, channel, source, from, to });
  }

  imported({ unitId, channel = MAIN_CHANNEL }: Import, { from, to }: Imported): void {
    this.#listener.onLate?.({ unitId, channel, source: 'import', from, to });
  }
}
