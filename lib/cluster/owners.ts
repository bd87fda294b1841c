/** The units of this process. What is given away is not acted on from the moment the request leaves, whatever becomes of it. */
import type { ClusterView } from './contract.ts';

/** Whose a unit is, as far as one member may rely on it. */
export class OwnUnits {
  readonly #member: string;
  #units: ReadonlySet<string> = new Set();
  readonly #givenAway = new Set<string>();

  constructor(member: string) {
    this.#member = member;
  }

  /** All that the store said, also those that are being given away. */
  get all(): ReadonlySet<string> {
    return this.#units;
  }

  /** True if this member owns the unit and keeps it. Says nothing of the lease. */
  has(unit: string): boolean {
    return this.#units.has(unit) && !this.#givenAway.has(unit);
  }

  /** A request leaves that gives these away. */
  giveAway(units: Iterable<string>): void {
    for (const unit of units) this.#givenAway.add(unit);
  }

  /** The answer to the last request that left: older ones can change nothing after it. */
  are({ owners }: ClusterView): void {
    this.#units = new Set(owners.filter(({ member }) => member === this.#member).map(({ unit }) => unit));
    this.#givenAway.clear();
  }

  /** Nothing is owned any more. */
  lose(): void {
    this.#units = new Set();
    this.#givenAway.clear();
  }
}
