/** Removes the data that plugins have of removed units: a later unit of the same name may be another meter. */
import type { Tables, UnitTable } from '../store/contract.ts';
import type { Host } from './contract.ts';

/** A part with data of units. */
export interface KeptOfUnits {
  /** Its tables with rows of units. */
  readonly unitTables: readonly UnitTable[];
  /**
   * `isKept`: the database has rows of the unit. Errors: STORAGE_FULL, STORAGE_FAILED; the removal is then done later.
   */
  forget(unitId: string, isKept: boolean): Promise<void>;
}

/**
 * Forgets removed units, first those that were removed before this start: the gateway may have ended before the change
 * was stored. Called after `kept` has loaded its data. Never rejects.
 */
export async function forgetRemoved(
  { on, log }: Pick<Host, 'on' | 'log'>,
  tables: Pick<Tables, 'read'>,
  ...kept: readonly KeptOfUnits[]
): Promise<void> {
  const forget = (one: KeptOfUnits, unitId: string, isKept: boolean) =>
    one
      .forget(unitId, isKept)
      .catch((err: unknown) => log.warn({ unit_id: unitId, err }, 'data of a removed unit is removed later'));
  on('removal', ({ unitId }) => {
    for (const one of kept) void forget(one, unitId, false);
  });
  for (const one of kept) {
    const left = await tables
      .read(async (rows) => {
        const found = new Set<string>();
        for (const table of one.unitTables)
          for (const unitId of await rows.unitsWithoutConfig(table)) found.add(unitId);
        return [...found];
      })
      .catch((err: unknown) => {
        log.warn({ err }, 'data of units that were removed earlier stays until the next start');
        return [];
      });
    await Promise.all(left.map((unitId) => forget(one, unitId, true)));
  }
}
