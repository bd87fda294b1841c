/** Which unit goes where: to the first member that sees it and has not its share yet, and it stays there. */
import { GATEWAY_ROLE } from '../domain/cluster-units.ts';
import { FORMER_OWNER } from '../domain/former-owner.ts';
import type { ClusterView, MemberRow, OwnerRow } from './contract.ts';
import { MemberLoads, mayHave, type WeightOf } from './member-loads.ts';

/** What one member wants to change. */
export interface Placement {
  /** The store gives each to the first who claims it. */
  readonly claim: readonly string[];
  /** Its own that others should have: those pinned to another member, and what it has above its share. */
  readonly move: readonly string[];
  /** Its own that it must not have: removed ones, and those that it or the gateway does not reach. */
  readonly drop: readonly string[];
}

/** How a member gives its units away. */
export interface PlacementRules {
  /** So many move at most. */
  readonly moves: number;
  /** Those with the smallest number move first; of equals the first by name. */
  readonly rank?: (unit: string) => number;
  /** True for one that must not move now. */
  readonly stays?: ((unit: string) => boolean) | undefined;
  /** How much of the share of a member a row is, a whole number; 1 without it. */
  readonly weightOf?: WeightOf;
}

/** What the gateway does for meters elsewhere, as sessions that it could serve. Measured: `bench/shared.ts`. */
const GATEWAY_SHARE = 0.75;

/** The gateway role counts as three quarters of the units, rounded up: of two members the gateway serves an eighth, of more none (docs/adr/0059). */
export const gatewayWeight: WeightOf = ({ unit }, { owners }) =>
  unit === GATEWAY_ROLE
    ? Math.ceil(owners.filter((row) => row.unit !== GATEWAY_ROLE && !row.removed).length * GATEWAY_SHARE)
    : 1;

/**
 * What `me` claims of what is nobody's, and what it gives away. The gateway role is claimed by all who see it free, whatever they have, and is not moved but by a pin. One that the gateway does not reach
 * claims nothing else and moves nothing, but keeps what it has. Where all members go by
 * the same view nothing is moved twice: what is above the shares fits below those of the others.
 * @param fit Members that may be given units: they stay and are heard of. A member that is not one of them wants nothing.
 */
export function placement(
  view: ClusterView,
  me: string,
  fit: readonly MemberRow[],
  { moves, rank = () => 0, stays = () => false, weightOf = () => 1 }: PlacementRules,
): Placement {
  const own = fit.find(({ id }) => id === me);
  if (!own) return { claim: [], move: [], drop: [] };
  const hasPlace = placedIn(view);
  const loads = new MemberLoads({ ...view, owners: view.owners.filter(hasPlace) }, fit, weightOf);
  const claim: string[] = [];
  let claimed = 0;
  for (const row of view.owners.filter(({ member }) => member === undefined).toSorted(byUnit)) {
    if (!hasPlace(row) || !mayHave(own, row)) continue;
    const wanted = loads.wanted(row);
    const isFree =
      wanted === undefined && (row.unit === GATEWAY_ROLE || loads.of(me) + claimed < loads.share(row.site));
    if (wanted !== me && !isFree) continue;
    if (isFree) claimed += loads.weigh(row);
    claim.push(row.unit);
  }
  const move: string[] = [];
  const present = view.owners.filter(({ member }) => member === me);
  const keeps = (row: OwnerRow) => hasPlace(row) && own.sites.includes(row.site);
  const mayMove = present.filter((row) => keeps(row) && mayHave(own, row) && !stays(row.unit));
  const ranked = mayMove.map((row) => ({ row, rank: rank(row.unit) }));
  for (const { row } of ranked.toSorted((a, b) => a.rank - b.rank || byUnit(a.row, b.row))) {
    if (move.length >= moves) break;
    const wanted = loads.wanted(row);
    const isOver = wanted === undefined && row.unit !== GATEWAY_ROLE && loads.isAbove(me, row);
    if (!isOver && (wanted ?? me) === me) continue;
    if (isOver) loads.remove(me, row);
    move.push(row.unit);
  }
  return { claim, move, drop: present.filter((row) => !keeps(row)).map(({ unit }) => unit) };
}

/** Rows that somebody should have: units that are not removed, where the gateway shares them. */
function placedIn({ members, owners }: ClusterView): (row: OwnerRow) => boolean {
  const gateway = owners.find(({ unit }) => unit === GATEWAY_ROLE)?.member;
  // While nobody knows who was the gateway, meters stay where they are.
  const sites = members.find(({ id }) => id === gateway && id !== FORMER_OWNER.id)?.sites;
  return ({ unit, site, removed }) => unit === GATEWAY_ROLE || (!removed && (sites?.includes(site) ?? true));
}

const byUnit = (a: OwnerRow, b: OwnerRow) => (a.unit < b.unit ? -1 : 1);
