/** Which unit goes where: to the first member that sees it and has not its share yet, and it stays there. */
import type { ClusterView, MemberRow, OwnerRow } from './contract.ts';

/** What one member wants to change. */
export interface Placement {
  readonly claim: readonly string[];
  readonly release: readonly string[];
}

/**
 * What `me` claims of the units that are nobody's (the store gives each to the first who claims it), and which of its own it gives away: those pinned to another member, and what
 * it has above its share while another one has at least two less. At most `moves` are given away.
 * @param fit Members that may be given units: they stay and are heard of.
 */
export function placement(view: ClusterView, me: string, fit: readonly MemberRow[], moves: number): Placement {
  const load = new Map(fit.map(({ id }) => [id, 0]));
  const add = (id: string, count: number) => load.set(id, (load.get(id) ?? 0) + count);
  for (const { member } of view.owners) if (member !== undefined) add(member, 1);
  const share = Math.ceil(view.owners.length / Math.max(1, fit.length));
  const sites = fit.find(({ id }) => id === me)?.sites ?? [];
  const free = view.owners.filter(({ member }) => member === undefined).toSorted(byUnit);
  const claim: string[] = [];
  for (const row of free) {
    const target = targetOf(row, fit, load);
    if (target === undefined) continue;
    // Who leaves it to a member with fewer may wait for one that has just looked and left it to this one.
    const takes = target !== row.pinned && sites.includes(row.site) && (load.get(me) ?? 0) < share;
    add(takes ? me : target, 1);
    if (takes || target === me) claim.push(row.unit);
  }
  const release: string[] = [];
  for (const row of view.owners.filter(({ member }) => member === me).toSorted(byUnit)) {
    if (release.length >= moves) break;
    const target = targetOf(row, fit, load);
    if (target === undefined || target === me || row.pinned === me) continue;
    const mine = load.get(me) ?? 0;
    const isOver = mine > share && mine - (load.get(target) ?? 0) >= 2;
    if (row.pinned !== target && !isOver) continue;
    add(me, -1);
    add(target, 1);
    release.push(row.unit);
  }
  return { claim, release };
}

const byUnit = (a: OwnerRow, b: OwnerRow) => (a.unit < b.unit ? -1 : 1);

/** The pinned member if it can, else that with the fewest units that reaches the site; of equals the first by name. */
function targetOf(
  { site, pinned }: OwnerRow,
  fit: readonly MemberRow[],
  load: ReadonlyMap<string, number>,
): string | undefined {
  let best: string | undefined;
  let least = Number.POSITIVE_INFINITY;
  for (const { id, sites } of fit) {
    if (!sites.includes(site)) continue;
    if (id === pinned) return id;
    const count = load.get(id) ?? 0;
    if (count < least || (count === least && best !== undefined && id < best)) {
      best = id;
      least = count;
    }
  }
  return best;
}
