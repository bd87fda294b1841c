/** Changes of data of units. Nothing of a removed unit may stay: a later unit of the same name may be another meter. */
import type { Clock } from '../clock.ts';
import { SureChanges } from './sure-changes.ts';

/** Functions of a store for its changes. */
export interface UnitChangesParts {
  readonly clock: Pick<Clock, 'after'>;
  /** As in `SureChanges`; data of removed units is then gone. */
  readonly look: (of: string) => Promise<void>;
  /** Removes the data of these units from the database, and then from memory. */
  readonly remove: (unitIds: readonly string[]) => Promise<void>;
  /** Key of the turn for changes of a unit. Default: all changes follow each other. */
  readonly turnOf?: (unitId: string) => string;
}

/** Failed removals are repeated before every look-up. */
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
