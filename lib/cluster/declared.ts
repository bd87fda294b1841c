/** The units that there are, as the gateway of this process knows them. They go to the store only where it shows others. */
import { GATEWAY_ROLE } from '../domain/cluster-units.ts';
import type { ClusterView, DeclaredUnit } from './contract.ts';

/** Of a member; it is empty-handed while it is not the gateway. */
export class DeclaredUnits {
  #units: ReadonlyMap<string, DeclaredUnit> | undefined;

  /** These there are, and no others. */
  are(units: readonly DeclaredUnit[]): void {
    this.#units = new Map(units.filter(({ unit }) => unit !== GATEWAY_ROLE).map((one) => [one.unit, one]));
  }

  /** It is not the gateway any more: another one knows better. */
  forget(): void {
    this.#units = undefined;
  }

  /** What the store has to be told, and which of them it does not have; undefined where it shows the same. */
  unsaid({
    owners,
  }: ClusterView): { readonly units: readonly DeclaredUnit[]; readonly missing: readonly string[] } | undefined {
    const units = this.#units;
    if (!units) return undefined;
    const missing = new Set(units.keys());
    let isSame = true;
    for (const { unit, site, member, removed } of owners) {
      if (unit === GATEWAY_ROLE) continue;
      const told = units.get(unit);
      missing.delete(unit);
      if (told ? removed || told.site !== site : !removed || member === undefined) isSame = false;
    }
    return isSame && missing.size === 0 ? undefined : { units: [...units.values()], missing: [...missing] };
  }

  /** The rows as they will be when the store has heard it, without new ones. */
  seenIn(view: ClusterView): ClusterView {
    const units = this.#units;
    if (!units) return view;
    const owners = view.owners.map((row) => {
      if (row.unit === GATEWAY_ROLE) return row;
      const told = units.get(row.unit);
      return told ? { ...row, site: told.site, removed: false } : { ...row, removed: true };
    });
    return { ...view, owners };
  }
}
