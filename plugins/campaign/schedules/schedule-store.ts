/** The schedules are read from memory; a change is on the disk before memory shows it. The results of their runs are on the disk. */
import type { KeptOfUnits } from '../../../lib/built-in.ts';
import { type Clock, type Tables, UnitChanges } from '../../../lib/index.ts';
import { RUNS, type RunRow, SCHEDULES, type ScheduleRow } from '../tables.ts';
import type { Schedule } from './schedule.ts';

const KEPT_RUNS = 200;

type Key = Pick<RunRow, 'unitId' | 'due' | 'action' | 'profile'>;

export class ScheduleStore implements KeptOfUnits {
  readonly unitTables = [SCHEDULES, RUNS];
  readonly #tables: Tables;
  readonly #schedules = new Map<string, ScheduleRow>();
  readonly #changes: UnitChanges;

  /** `found` is called with a unit whose schedule the database had stored without an answer. */
  constructor(tables: Tables, clock: Pick<Clock, 'after'>, found: (unitId: string) => void) {
    this.#tables = tables;
    this.#changes = new UnitChanges({
      clock,
      look: async (unitId) => {
        const [row] = await tables.read((rows) => rows.find(SCHEDULES, { where: { unitId } }));
        if (row) this.#schedules.set(unitId, row);
        else this.#schedules.delete(unitId);
        found(unitId);
      },
      remove: (unitIds) => this.#remove(unitIds),
      turnOf: (unitId) => unitId,
    });
  }

  async load(): Promise<void> {
    for (const row of await this.#tables.read((rows) => rows.find(SCHEDULES))) this.#schedules.set(row.unitId, row);
  }

  /** Units that have a schedule, always up to date. */
  get units(): { has(unitId: string): boolean } {
    return this.#schedules;
  }

  list(): readonly ScheduleRow[] {
    return [...this.#schedules.values()];
  }

  find(unitId: string): ScheduleRow | undefined {
    return this.#schedules.get(unitId);
  }

  /** Units whose schedule names the profile. */
  usersOf(profile: string): readonly string[] {
    return this.list().flatMap(({ unitId, body }) =>
      body.entries.some((entry) => entry.profile === profile) ? [unitId] : [],
    );
  }

  /** Runs up to `handledUntil` (ms since 1970 UTC) are not done. */
  put(unitId: string, body: Schedule, handledUntil: number): Promise<void> {
    return this.#changes.inTurn(() => this.#write({ unitId, body, handledUntil }, []), unitId);
  }

  /** These runs are done, and all others up to this time. */
  handled(unitId: string, handledUntil: number, runs: readonly RunRow[]): Promise<void> {
    return this.#changes.inTurn(async () => {
      const present = this.#schedules.get(unitId);
      if (present) await this.#write({ ...present, handledUntil }, runs);
    }, unitId);
  }

  async noted({ unitId, due, action, profile }: Key): Promise<RunRow | undefined> {
    const [row] = await this.#tables.read((rows) => rows.find(RUNS, { where: { unitId, due, action, profile } }));
    return row;
  }

  /** The job of this run is about to be started. */
  async begins(run: RunRow): Promise<void> {
    await this.#tables.write((rows) => rows.put(RUNS, [run]));
  }

  /** The newest first. */
  recent(unitId: string, limit: number): Promise<readonly RunRow[]> {
    return this.#tables.read((rows) => rows.find(RUNS, { where: { unitId }, order: { due: 'desc' }, limit }));
  }

  /** Another meter may get the id later. Errors: STORAGE_FULL, STORAGE_FAILED; then it is done later. */
  forget(unitId: string, isKept = false): Promise<void> {
    return this.#changes.forget(unitId, this.#schedules.delete(unitId) || isKept);
  }

  close(): void {
    this.#changes.close();
  }

  async #remove(unitIds: readonly string[]): Promise<void> {
    await this.#tables.write(async (rows) => {
      await rows.remove(SCHEDULES, { unitId: unitIds });
      await rows.remove(RUNS, { unitId: unitIds });
    });
    for (const unitId of unitIds) this.#schedules.delete(unitId);
  }

  async #write(row: ScheduleRow, runs: readonly RunRow[]): Promise<void> {
    const { unitId } = row;
    await this.#tables.write(async (rows) => {
      await rows.put(SCHEDULES, [row]);
      if (runs.length === 0) return;
      await rows.put(RUNS, runs);
      const [old] = await rows.find(RUNS, { where: { unitId }, order: { due: 'desc' }, offset: KEPT_RUNS, limit: 1 });
      if (old) await rows.remove(RUNS, { unitId, due: { atMost: old.due } });
    });
    this.#schedules.set(unitId, row);
  }
}
