/**
 * Changes of what memory mirrors, one after the other. A database that did not answer may have stored a change, or store it later: what
 * it has when that is over is read before the next change, and again and again until that works, so that who looks sees what is kept.
 */
import type { Clock } from '../clock.ts';
import { isGatewayError } from '../errors.ts';
import { mustBeOver } from './commits.ts';

/** Where it is not known whether a change was stored, the database is asked again after so long, ms. */
const LOOK_MS = 5_000;

/** The changes of one kind of records. */
export class SureChanges {
  readonly #clock: Pick<Clock, 'after'>;
  readonly #look: (of: string) => Promise<void>;
  /** The last change of each record that has one under way. */
  readonly #last = new Map<string, Promise<unknown>>();
  /** Records with a change that failed, with its error. */
  readonly #doubtful = new Map<string, Error>();
  #cancelLook = (): void => {};
  #isClosed = false;

  /** `look`: memory takes what the database has now, and tells whoever listens. No change of the same record is under way meanwhile. */
  constructor(clock: Pick<Clock, 'after'>, look: (of: string) => Promise<void>) {
    this.#clock = clock;
    this.#look = look;
  }

  /** Records with a change under way or in doubt. */
  get open(): ReadonlySet<string> {
    return new Set([...this.#last.keys(), ...this.#doubtful.keys()]);
  }

  /**
   * Each change is checked against what the one before has left. `of`: changes of other records do not wait for it; without it all
   * follow each other. Errors: STORAGE_FAILED where the database cannot be read after a change that failed; those of `work`.
   */
  inTurn<T>(work: () => Promise<T>, of = ''): Promise<T> {
    const done = (this.#last.get(of) ?? Promise.resolve()).then(async () => {
      await this.#beSure(of);
      return this.#tried(work, of);
    });
    const settled = done
      .catch(() => {})
      .then(() => {
        if (this.#last.get(of) === settled) this.#last.delete(of);
      });
    this.#last.set(of, settled);
    return done;
  }

  /** Waits for the changes under way. */
  async settled(): Promise<void> {
    await Promise.all(this.#last.values());
  }

  /** Nothing is looked up by itself any more. */
  close(): void {
    this.#isClosed = true;
    this.#cancelLook();
  }

  async #tried<T>(work: () => Promise<T>, of: string): Promise<T> {
    try {
      return await work();
    } catch (error) {
      // Any other error of the gateway is a refusal: nothing was to be stored.
      if (isGatewayError(error) && !isGatewayError(error, 'STORAGE_FAILED', 'STORAGE_FULL')) throw error;
      this.#doubtful.set(of, error instanceof Error ? error : new Error(String(error)));
      this.#lookLater();
      throw error;
    }
  }

  async #beSure(of: string): Promise<void> {
    const error = this.#doubtful.get(of);
    if (!error) return;
    // What is read before may be changed by it afterwards.
    await mustBeOver(error);
    await this.#look(of);
    this.#doubtful.delete(of);
    if (this.#doubtful.size === 0) this.#cancelLook();
  }

  #lookLater(): void {
    this.#cancelLook();
    if (this.#isClosed) return;
    this.#cancelLook = this.#clock.after(LOOK_MS, () => {
      this.#lookAtAll().catch(() => this.#lookLater());
    });
  }

  /** One after the other: where the database is still away, the first one finds out for all. */
  async #lookAtAll(): Promise<void> {
    for (const of of [...this.#doubtful.keys()]) {
      // After the end a look would open the database again.
      if (this.#isClosed) return;
      await this.inTurn(async () => {}, of);
    }
  }
}
