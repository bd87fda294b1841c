/** Changes of what is kept for units. Nothing of a removed unit is left: what comes later under its name may be another meter. */
import type { Clock } from '../clock.ts';
import { SureChanges } from './sure-changes.ts';

/** What a store does for its changes. */
export interface UnitChangesParts {
  readonly clock: Pick<Clock, 'after'>;
  /** As in `SureChanges`; what is of removed units is gone then. */
  readonly look: (of: string) => Promise<void>;
  /** Removes what the database, and then memory, has of these units. */
  readonly remove: (unitIds: readonly string[]) => Promise<void>;
  /** Of which turn the changes of a unit are. Default: all follow each other. */
  readonly turnOf?: (unitId: string) => string;
}

/** Removals that failed are done again before every look. */
export class UnitChanges extends SureChanges {
  readonly #remove: UnitChangesParts['remove'];
  readonly #turnOf: (unitId: string) => string;
  /** Units that were removed, while the database may still have something of theirs. */
  readonly #removed = new Set<string>();

  constructor({ clock, look, remove, turnOf = () => '' }: UnitChangesParts) {
    super(clock, async (of) => {
      await this.#forget(of);
      await look(of);
    });
    this.#remove = remove;
    this.#turnOf = turnOf;
  }

  /** `isKnown`: memory had something of the unit, and has it no more. Errors: STORAGE_FULL, STORAGE_FAILED; then it is done later. */
  forget(unitId: string, isKnown: boolean): Promise<void> {
    const of = this.#turnOf(unitId);
    if (!isKnown && !this.open.has(of)) return Promise.resolve();
    const note = () => void this.#removed.add(unitId);
    // Only in its turn: one before may have removed what the unit had then.
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
