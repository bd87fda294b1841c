/** Whose a unit is, and the units of this process. What is given away is not acted on from the moment the request leaves, whatever becomes of it. */
import { GATEWAY_ROLE } from '../domain/cluster-units.ts';
import type { ClusterView } from './contract.ts';

const byUnit = new WeakMap<ClusterView, ReadonlyMap<string, string | undefined>>();

function ownersIn(view: ClusterView): ReadonlyMap<string, string | undefined> {
  const known = byUnit.get(view) ?? new Map(view.owners.map(({ unit, member }) => [unit, member]));
  byUnit.set(view, known);
  return known;
}

/**
 * The member that owns a unit; undefined: nobody does. A unit without a row is that of the gateway: only the gateway makes rows, so nobody else can have claimed it. So are all
 * units where they are not shared.
 */
export function unitOwner(view: ClusterView, unit: string): string | undefined {
  const owners = ownersIn(view);
  return owners.get(owners.has(unit) ? unit : GATEWAY_ROLE);
}

/** Whose a unit is, as far as one member may rely on it. */
export class OwnUnits {
  readonly #member: string;
  #units: ReadonlySet<string> = new Set();
  /** All that have a row. */
  #rows: ReadonlyMap<string, unknown> = new Map();
  readonly #givenAway = new Set<string>();

  constructor(member: string) {
    this.#member = member;
  }

  /** All that the store said, also those that are being given away. */
  get all(): ReadonlySet<string> {
    return this.#units;
  }

  /** True if this member owns the unit, or as the gateway one without a row, and keeps it. Says nothing of the lease. */
  has(unit: string): boolean {
    const row = this.#rows.has(unit) ? unit : GATEWAY_ROLE;
    return this.#units.has(row) && !this.#givenAway.has(row);
  }

  /** A request leaves that gives these away. Gives all that requests without an answer give away. */
  giveAway(units: Iterable<string>): readonly string[] {
    for (const unit of units) this.#givenAway.add(unit);
    return [...this.#givenAway];
  }

  /** The answer to the last request that left: older ones can change nothing after it. */
  are(view: ClusterView): void {
    this.#rows = ownersIn(view);
    this.#units = new Set(view.owners.filter(({ member }) => member === this.#member).map(({ unit }) => unit));
    this.#givenAway.clear();
  }

  /** Nothing is owned any more. */
  lose(): void {
    this.#units = new Set();
    this.#givenAway.clear();
  }
}
