/**
 * One transaction after the other, each with a time limit. SQLite rolls a transaction back by itself when the disk is full,
 * and an explicit rollback is an error then. So the transactions are opened and closed here, on the one connection there
 * is, and a failed one always leaves it free for the next.
 */
import type { EntityManager, MikroORM } from '@mikro-orm/sqlite';
import type BetterSqlite from 'better-sqlite3';
import { type Clock, unlessAborted, within } from '../clock.ts';
import { GatewayError, isGatewayError, messageOf } from '../errors.ts';
import type { Log } from '../log.ts';

/** Longest time for one piece of work with the database, the wait for those before it included. */
export const WRITE_MS = 10_000;
/** So long after a change it is in the database file itself, not only in its log beside it, ms. A lost log then loses little. */
const CHECKPOINT_MS = 1_000;
/** While nothing can be written, a small test write finds out when it works again. */
const PROBE_MS = 5_000;

/** The database, and how long a transaction may take. */
export interface CommitsParts {
  readonly orm: MikroORM;
  readonly native: BetterSqlite.Database;
  readonly clock: Clock;
  readonly log: Log;
  /** A small test write. */
  readonly probe: (em: EntityManager) => Promise<unknown>;
}

/** What is done within one transaction. It ends when the signal aborts. */
export type StoreWork<T> = (em: EntityManager, signal: AbortSignal) => Promise<T>;

/** The transactions of the database, one at a time. Errors: STORAGE_FULL, STORAGE_FAILED, STOPPING. */
export class Commits {
  readonly #parts: CommitsParts;
  #last: Promise<unknown> = Promise.resolve();
  #synchronous = '';
  #trouble: string | undefined;
  #cancelProbe: (() => void) | undefined;
  #cancelCheckpoint: (() => void) | undefined;

  constructor(parts: CommitsParts) {
    this.#parts = parts;
  }

  /** Why nothing can be written now, as one sentence. */
  get trouble(): string | undefined {
    return this.#trouble;
  }

  /**
   * `full` syncs the log to the disk with the commit. `normal` leaves that to a later one, so that a snapshot a second does
   * not wear out the flash card of a small box (SQLite, "PRAGMA synchronous").
   * Errors: STORAGE_FULL, STORAGE_FAILED; whatever `work` throws, after its changes are undone.
   */
  async commit<T>(synchronous: 'full' | 'normal', work: StoreWork<T>): Promise<T> {
    try {
      const result = await this.#inTurn((signal) => this.#transaction(synchronous, work, signal));
      this.#recovered();
      if (synchronous === 'full') this.#checkpointSoon();
      return result;
    } catch (error) {
      const trouble = storageTrouble(error);
      if (!trouble) throw error;
      this.#failed(trouble);
      throw trouble;
    }
  }

  /** In turn with the transactions, for reading and for work that cannot run in a transaction. */
  withoutTransaction<T>(work: StoreWork<T>): Promise<T> {
    return this.#inTurn((signal) => unlessAborted(work(this.#parts.orm.em.fork(), signal), signal));
  }

  /** Waits for running transactions. */
  async settled(): Promise<void> {
    this.#cancelProbe?.();
    this.#cancelCheckpoint?.();
    await this.#inTurn(async () => {});
  }

  #checkpointSoon(): void {
    this.#cancelCheckpoint ??= this.#parts.clock.after(CHECKPOINT_MS, () => {
      this.#cancelCheckpoint = undefined;
      // A failure is harmless: the changes are in the log, and the next change tries again.
      this.#inTurn(async () => void this.#parts.native.pragma('wal_checkpoint(passive)')).catch(() => {});
    });
  }

  #inTurn<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const late = () =>
      new GatewayError('STORAGE_FAILED', `The database did not finish within ${WRITE_MS} ms; nothing was changed.`);
    return within(this.#parts.clock, WRITE_MS, late, (signal) => {
      const turn = this.#last.then(() => {
        signal.throwIfAborted();
        return work(signal);
      });
      this.#last = turn.catch(() => {});
      return unlessAborted(turn, signal);
    });
  }

  async #transaction<T>(synchronous: string, work: StoreWork<T>, signal: AbortSignal): Promise<T> {
    const { native, orm } = this.#parts;
    if (this.#synchronous !== synchronous) await orm.em.getConnection().execute(`pragma synchronous = ${synchronous}`);
    this.#synchronous = synchronous;
    native.exec('begin immediate');
    try {
      const result = await unlessAborted(work(orm.em.fork(), signal), signal);
      signal.throwIfAborted();
      native.exec('commit');
      return result;
    } finally {
      // After an error, unless SQLite has done so already.
      if (native.inTransaction) native.exec('rollback');
    }
  }

  #failed({ message }: Error): void {
    if (this.#trouble === undefined) this.#parts.log.error({ reason: message }, 'the database cannot be written');
    this.#trouble = message;
    this.#cancelProbe ??= this.#parts.clock.after(PROBE_MS, () => {
      this.#cancelProbe = undefined;
      // A failure is noted where it happens.
      this.commit('normal', this.#parts.probe).catch(() => {});
    });
  }

  #recovered(): void {
    if (this.#trouble !== undefined) this.#parts.log.info('the database can be written again');
    this.#trouble = undefined;
    this.#cancelProbe?.();
    this.#cancelProbe = undefined;
  }
}

const FULL = /^(SQLITE_FULL|ENOSPC|EDQUOT)/;
const FAILED = /^(SQLITE_IOERR|SQLITE_READONLY|SQLITE_CANTOPEN|SQLITE_BUSY|SQLITE_LOCKED|EROFS|EIO)/;

/** The error for a caller whose change could not be stored; undefined if the disk is not the reason. */
function storageTrouble(error: unknown): GatewayError | undefined {
  if (isGatewayError(error, 'STORAGE_FAILED')) return error;
  const [full, failed] = [FULL, FAILED].map((codes) => codesOf(error).some((code) => codes.test(code)));
  if (full)
    return new GatewayError('STORAGE_FULL', 'The disk of the data folder is full. Nothing was changed.', {
      cause: error,
    });
  if (!failed) return undefined;
  const reason = messageOf(error).split(' - ').at(-1);
  return new GatewayError('STORAGE_FAILED', `The database cannot be written (${reason}). Nothing was changed.`, {
    cause: error,
  });
}

/** The ORM wraps what the driver throws. */
function codesOf(error: unknown): string[] {
  if (!(error instanceof Error)) return [];
  return ['code' in error ? String(error.code) : '', ...codesOf(error.cause)];
}
