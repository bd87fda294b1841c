/** What each member has, and its share. Some rows cannot move, such as the gateway role: the others are shared so that all who can get one have the same, as near as these allow. */
import { GATEWAY_ROLE } from '../domain/cluster-units.ts';
import type { ClusterView, MemberRow, OwnerRow } from './contract.ts';

/** How much a row counts: a whole number, 0 or more. */
export type WeightOf = (row: OwnerRow, view: ClusterView) => number;

/** Whether a member may be given the row. Nobody needs a link to become the gateway. */
export const mayHave = (member: MemberRow, { unit, site }: Pick<OwnerRow, 'unit' | 'site'>): boolean =>
  unit === GATEWAY_ROLE ? member.sites.includes(site) : mayHaveUnits(member, site);

const mayHaveUnits = ({ sites, linked }: MemberRow, site: string): boolean => linked && sites.includes(site);

/** Of the members that are fit, by one view. */
export class MemberLoads {
  readonly #view: ClusterView;
  readonly #weightOf: WeightOf;
  readonly #fit: ReadonlyMap<string, MemberRow>;
  readonly #loads = new Map<string, number>();
  readonly #shares = new Map<string, number>();

  constructor(view: ClusterView, fit: readonly MemberRow[], weightOf: WeightOf) {
    this.#view = view;
    this.#weightOf = weightOf;
    this.#fit = new Map(fit.map((row) => [row.id, row]));
    for (const row of view.owners) {
      const member = this.wanted(row) ?? row.member;
      if (member !== undefined) this.#loads.set(member, this.of(member) + this.weigh(row));
    }
    for (const site of new Set(view.owners.map((row) => row.site))) this.#shares.set(site, this.#shareOf(site));
  }

  /** The member that the row is pinned to, if it can have it. */
  wanted(row: OwnerRow): string | undefined {
    const member = row.pinned === undefined ? undefined : this.#fit.get(row.pinned);
    return member && mayHave(member, row) ? row.pinned : undefined;
  }

  /** What a member has, with what is pinned to it. */
  of(member: string): number {
    return this.#loads.get(member) ?? 0;
  }

  /** How much of the units of this network, with all else that it has, each member should have, rounded up. */
  share(site: string): number {
    return this.#shares.get(site) ?? 0;
  }

  /** True if the member has its share also without the row. */
  isAbove(member: string, row: OwnerRow): boolean {
    return this.of(member) - this.weigh(row) >= this.share(row.site);
  }

  weigh(row: OwnerRow): number {
    return this.#weightOf(row, this.#view);
  }

  remove(member: string, row: OwnerRow): void {
    this.#loads.set(member, this.of(member) - this.weigh(row));
  }

  /** As water finds its level: those who have more than the level of other things get nothing of these. */
  #shareOf(site: string): number {
    const moving = this.#view.owners.filter(
      (row) => row.site === site && row.unit !== GATEWAY_ROLE && this.wanted(row) === undefined,
    );
    const rest = new Map(this.#loads);
    let sum = 0;
    for (const row of moving) {
      const weight = this.weigh(row);
      sum += weight;
      if (row.member !== undefined) rest.set(row.member, (rest.get(row.member) ?? 0) - weight);
    }
    const fixed = [...this.#fit.values()]
      .filter((member) => mayHaveUnits(member, site))
      .map(({ id }) => rest.get(id) ?? 0)
      .toSorted((a, b) => a - b);
    let level = 0;
    for (const [at, below] of fixed.entries()) {
      if (at > 0 && level <= below) break;
      sum += below;
      level = sum / (at + 1);
    }
    return Math.ceil(level);
  }
}
