/** The last measurement of each unit that a cycle started: it names the store to look for if the measurement ended by itself. */
import type { KeptOfUnits } from '../../../lib/built-in.ts';
import { type Clock, SureChanges, type Tables } from '../../../lib/index.ts';
import { CYCLES, type CycleRow } from '../tables.ts';

/** One row for each unit. The meter has measured, so memory is right: rows that the database did not accept are written again. */
export class CycleStore implements KeptOfUnits {
  readonly unitTables = [CYCLES];
  readonly #tables: Tables;
  readonly #cycles = new Map<string, CycleRow>();
  readonly #changes: SureChanges;

  constructor(tables: Tables, clock: Pick<Clock, 'after'>) {
    this.#tables = tables;
    this.#changes = new SureChanges(clock, (unitId) => this.#write(unitId));
  }

  async load(): Promise<void> {
    for (const row of await this.#tables.read((rows) => rows.find(CYCLES))) this.#cycles.set(row.unitId, row);
  }

  find(unitId: string): CycleRow | undefined {
    return this.#cycles.get(unitId);
  }

  /** Errors: STORAGE_FULL, STORAGE_FAILED; then it is written later. */
  put(row: CycleRow): Promise<void> {
    this.#cycles.set(row.unitId, row);
    return this.#changes.inTurn(() => this.#write(row.unitId), row.unitId);
  }

  /** Another meter may get the id later. Errors: STORAGE_FULL, STORAGE_FAILED; then it is done later. */
  forget(unitId: string): Promise<void> {
    if (!this.#cycles.delete(unitId) && !this.#changes.open.has(unitId)) return Promise.resolve();
    return this.#changes.inTurn(() => this.#write(unitId), unitId);
  }

  close(): void {
    this.#changes.close();
  }

  async #write(unitId: string): Promise<void> {
    const row = this.#cycles.get(unitId);
    await this.#tables.write(async (rows) => {
      if (row) await rows.put(CYCLES, [row]);
      else await rows.remove(CYCLES, { unitId });
    });
  }
}
