/**
 * Changes of data that memory mirrors, one after the other. A database that did not answer may have stored a change, or
 * may store it later. Its data is read again after that change is over, and before the next change. The read is
 * repeated until it works, so that callers see the stored data.
 */
import type { Clock } from '../clock.ts';
import { isGatewayError } from '../errors.ts';
import { mustBeOver } from './commits.ts';

/** Period of reading while it is unknown whether a change was stored, ms. */
const LOOK_MS = 5_000;

/** The changes of one kind of records. */
export class SureChanges {
  readonly #clock: Pick<Clock, 'after'>;
  readonly #look: (of: string) => Promise<void>;
  /** The last change of each record that has one under way. */
  readonly #last = new Map<string, Promise<unknown>>();
  /** Records with a failed change, with its error. */
  readonly #doubtful = new Map<string, Error>();
  #cancelLook = (): void => {};
  #isClosed = false;

  /** `look`: reads the database into memory, and calls the listeners. No change of the same record runs meanwhile. */
  constructor(clock: Pick<Clock, 'after'>, look: (of: string) => Promise<void>) {
    this.#clock = clock;
    this.#look = look;
  }

  /** Records with a change under way or in doubt. */
  get open(): ReadonlySet<string> {
    return new Set([...this.#last.keys(), ...this.#doubtful.keys()]);
  }

  /**
   * Runs changes in turn, each checked against the result of the change before. Changes of different records (`of`) do
   * not wait for each other; without `of` all changes follow each other. Errors: STORAGE_FAILED if the database cannot
   * be read after a failed change; the errors of `work`.
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

  async settled(): Promise<void> {
    await Promise.all(this.#last.values());
  }

  /** Ends the automatic look-ups. */
  close(): void {
    this.#isClosed = true;
    this.#cancelLook();
  }

  async #tried<T>(work: () => Promise<T>, of: string): Promise<T> {
    try {
      return await work();
    } catch (error) {
      // Any other error of the gateway is a refusal: there was nothing to store.
      if (isGatewayError(error) && !isGatewayError(error, 'STORAGE_FAILED', 'STORAGE_FULL')) throw error;
      this.#doubtful.set(of, error instanceof Error ? error : new Error(String(error)));
      this.#lookLater();
      throw error;
    }
  }

  async #beSure(of: string): Promise<void> {
    const error = this.#doubtful.get(of);
    if (!error) return;
    // An earlier read could still be changed by it.
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

  /** One after the other: while the database is away, the first look-up fails for all. */
  async #lookAtAll(): Promise<void> {
    for (const of of [...this.#doubtful.keys()]) {
      // After the end a look-up would open the database again.
      if (this.#isClosed) return;
      await this.inTurn(async () => {}, of);
    }
  }
}

interface UnitChangesParts {
  readonly clock: Pick<Clock, 'after'>;
  /** As in `SureChanges`; data of removed units is then gone. */
  readonly look: (of: string) => Promise<void>;
  /** From the database, and then from memory. */
  readonly remove: (unitIds: readonly string[]) => Promise<void>;
  /** Key of the turn for changes of a unit. Default: all changes follow each other. */
  readonly turnOf?: (unitId: string) => string;
}

/**
 * Changes of data of units. Nothing of a removed unit may stay: a later unit of the same name may be another meter.
 * Failed removals are repeated before every look-up.
 */
export class UnitChanges extends SureChanges {
  readonly #remove: UnitChangesParts['remove'];
  readonly #turnOf: (unitId: string) => string;
  /** Removed units whose data may still be in the database. */
  readonly #removed = new Set<string>();

  constructor({ clock, look, remove, turnOf = () => '' }: UnitChangesParts) {
    super(clock, async (of) => {
      await this.#forget(of);
      await look(of);
    });
    this.#remove = remove;
    this.#turnOf = turnOf;
  }

  /**
   * `isKnown`: memory had data of the unit, which is now removed. Errors: STORAGE_FULL, STORAGE_FAILED; the removal is
   * then done later.
   */
  forget(unitId: string, isKnown: boolean): Promise<void> {
    const of = this.#turnOf(unitId);
    if (!isKnown && !this.open.has(of)) return Promise.resolve();
    const note = () => void this.#removed.add(unitId);
    // Only in its turn: an earlier change may have removed the data of the unit.
    const done = this.inTurn(() => {
      note();
      return this.#forget(of);
    }, of);
    return done.catch((error: unknown) => {
      note();
      throw error;
    });
  }

  async #forget(of: string): Promise<void> {
    const unitIds = [...this.#removed].filter((unitId) => this.#turnOf(unitId) === of);
    if (unitIds.length === 0) return;
    await this.#remove(unitIds);
    for (const unitId of unitIds) this.#removed.delete(unitId);
  }
}
