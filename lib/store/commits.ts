/**
 * One transaction after the other, each with a time limit, for any database. A failed transaction never blocks the next
 * one. During a write failure, a small write tests when writing works again.
 */
import type { SqlEntityManager } from '@mikro-orm/sqlite';
import { type Clock, unlessAborted, within } from '../clock.ts';
import { GatewayError, isGatewayError } from '../errors.ts';
import type { Log } from '../log.ts';

/** For one piece of work with the database, including the wait for earlier ones. */
export const WRITE_MS = 10_000;
/** From a change until it moves from the log file to the database file, ms: a lost log file then loses little. */
const CHECKPOINT_MS = 1_000;
/** Period of a small test write during a write failure. */
const PROBE_MS = 5_000;

/** `full`: on the disk when it resolves. `normal`: on the disk with a later commit. */
export type Durability = 'full' | 'normal';

/** Runs transactions: SQLite in this process, or PostgreSQL. */
export interface Medium {
  /** Begins, works, commits; undone if `work` throws or the signal aborts. Always frees the connection. */
  transaction<T>(durability: Durability, work: StoreWork<T>, signal: AbortSignal): Promise<T>;
  /** Work that reads, or cannot run in a transaction. */
  read<T>(work: StoreWork<T>, signal: AbortSignal): Promise<T>;
  /** The error for a caller whose change could not be stored; undefined where the work itself failed. */
  troubleOf(error: unknown): GatewayError | undefined;
  /** Advice if the file itself is damaged; undefined: the error is of another kind. */
  damageOf?(error: unknown): string | undefined;
  /** Message when the database does not answer within this time, ms. */
  lateWords(ms: number): string;
  /** Whether an abandoned transaction still runs, so that its changes may be stored later. */
  goesOn?(em: SqlEntityManager): Promise<boolean>;
  /** Moves committed changes to their final place, soon after a `full` commit. */
  settle?(): void;
}

interface CommitsParts {
  readonly medium: Medium;
  readonly clock: Clock;
  readonly log: Log;
  /** A small test write. */
  readonly probe: StoreWork<unknown>;
}

const UNREADABLE = 'The database cannot be read now. Ask again in a moment; /health says what is wrong with it.';
const UNSURE =
  'The database has not answered an earlier change and may still store it. Ask again in a moment; /health says what is wrong with it.';

/** For errors of changes that were not stored or not answered: checks whether the change is over. */
const looks = new WeakMap<object, () => Promise<void>>();

/**
 * Resolves if the change that failed with this error is over and cannot change the database later. Errors:
 * STORAGE_FAILED if it is not over, or unknown.
 */
export const mustBeOver = async (error: object): Promise<void> => looks.get(error)?.();

/** Ends when the signal aborts. */
export type StoreWork<T> = (em: SqlEntityManager, signal: AbortSignal) => Promise<T>;

/** The transactions of the database, one at a time. Errors: STORAGE_FULL, STORAGE_FAILED, STOPPING. */
export class Commits {
  readonly #parts: CommitsParts;
  #last: Promise<unknown> = Promise.resolve();
  #trouble: string | undefined;
  /** A damage does not repair itself: it is kept until the next start. */
  #damage: string | undefined;
  #cancelProbe: (() => void) | undefined;
  #cancelCheckpoint: (() => void) | undefined;

  constructor(parts: CommitsParts) {
    this.#parts = parts;
  }

  get trouble(): string | undefined {
    return this.#damage ?? this.#trouble;
  }

  /**
   * `full` syncs to the disk with the commit. `normal` leaves that to a later commit: a snapshot per second would wear
   * out the flash card of a small box.
   * Errors: STORAGE_FULL, STORAGE_FAILED; the errors of `work`, after its changes are undone.
   */
  async commit<T>(durability: Durability, work: StoreWork<T>): Promise<T> {
    try {
      const result = await this.#inTurn((signal) => this.#parts.medium.transaction(durability, work, signal));
      this.#recovered();
      if (durability === 'full') this.#checkpointSoon();
      return result;
    } catch (error) {
      this.#noteDamage(error);
      const trouble = isGatewayError(error, 'STORAGE_FAILED') ? error : this.#parts.medium.troubleOf(error);
      if (!trouble) throw error;
      if (isGatewayError(trouble, 'STORAGE_FAILED', 'STORAGE_FULL')) this.#failed(trouble);
      looks.set(trouble, () => this.#mustBeOver());
      throw trouble;
    }
  }

  /** In turn with the transactions, for reading and for work that cannot run in a transaction. */
  withoutTransaction<T>(work: StoreWork<T>): Promise<T> {
    return this.#inTurn((signal) => this.#parts.medium.read(work, signal));
  }

  /** The same while the gateway runs. Errors: STORAGE_FAILED with a message for the caller; the errors of `work`. */
  async read<T>(work: StoreWork<T>): Promise<T> {
    try {
      return await this.withoutTransaction(work);
    } catch (error) {
      const damage = this.#noteDamage(error);
      if (damage !== undefined) throw new GatewayError('STORAGE_FAILED', damage, { cause: error });
      const isAway = isGatewayError(error, 'STORAGE_FAILED') || this.#parts.medium.troubleOf(error) !== undefined;
      throw isAway ? new GatewayError('STORAGE_FAILED', UNREADABLE, { cause: error }) : error;
    }
  }

  #noteDamage(error: unknown): string | undefined {
    const damage = this.#parts.medium.damageOf?.(error);
    if (damage !== undefined && this.#damage === undefined) {
      this.#damage = damage;
      this.#parts.log.error({ err: error }, damage);
    }
    return damage;
  }

  async #mustBeOver(): Promise<void> {
    const { medium } = this.#parts;
    if (!medium.goesOn || !(await this.read(async (em) => medium.goesOn?.(em)))) return;
    throw new GatewayError('STORAGE_FAILED', UNSURE);
  }

  async settled(): Promise<void> {
    this.#cancelProbe?.();
    this.#cancelCheckpoint?.();
    await this.#inTurn(async () => {});
  }

  #checkpointSoon(): void {
    const { medium } = this.#parts;
    if (!medium.settle) return;
    this.#cancelCheckpoint ??= this.#parts.clock.after(CHECKPOINT_MS, () => {
      this.#cancelCheckpoint = undefined;
      // A failure is harmless: the changes are in the log, and the next change tries again.
      this.#inTurn(async () => medium.settle?.()).catch(() => {});
    });
  }

  #inTurn<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const late = () => new GatewayError('STORAGE_FAILED', this.#parts.medium.lateWords(WRITE_MS));
    return within(this.#parts.clock, WRITE_MS, late, (signal) => {
      const turn = this.#last.then(() => {
        signal.throwIfAborted();
        return work(signal);
      });
      this.#last = turn.catch(() => {});
      return unlessAborted(turn, signal);
    });
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

/** Codes of an error and of its causes: the ORM wraps errors of the driver. */
export function codesOf(error: unknown): string[] {
  if (!(error instanceof Error)) return [];
  return ['code' in error ? String(error.code) : '', ...codesOf(error.cause)];
}
