/** The last measurement of each unit that a cycle started: which store is looked for when it has ended by itself. */
import type { Tables } from '../../../lib/index.ts';
import { CYCLES, type CycleRow } from '../tables.ts';

/** One row for each unit. */
export class CycleStore {
  readonly #tables: Tables;
  readonly #cycles = new Map<string, CycleRow>();

  constructor(tables: Tables) {
    this.#tables = tables;
  }

  async load(): Promise<void> {
    for (const row of await this.#tables.read((rows) => rows.find(CYCLES))) this.#cycles.set(row.unitId, row);
  }

  find(unitId: string): CycleRow | undefined {
    return this.#cycles.get(unitId);
  }

  async put(row: CycleRow): Promise<void> {
    await this.#tables.write((rows) => rows.put(CYCLES, [row]));
    this.#cycles.set(row.unitId, row);
  }

  async forget(unitId: string): Promise<void> {
    if (!this.#cycles.delete(unitId)) return;
    await this.#tables.write((rows) => rows.remove(CYCLES, { unitId }));
  }
}
