/** A gateway without `share_meters` where meters were shared out before: a meter serves one connection, so the others end their sessions first. */
import type { MemberLoop } from '../cluster/member-loop.ts';
import { GATEWAY_ROLE, unitIdOf } from '../domain/cluster-units.ts';

/**
 * Tells the store that no unit is shared, and resolves when no other instance has one: one that runs gives them away at once, one that is silent is closed in time. False where this instance is not
 * to be the gateway any more, or the signal aborts, before that.
 */
export async function hasAllMeters(
  loop: Pick<MemberLoop, 'declare' | 'holds' | 'until' | 'view'>,
  signal: AbortSignal,
): Promise<boolean> {
  loop.declare([]);
  const isFree = () => loop.view.owners.every(({ unit, member }) => unitIdOf(unit) === undefined || !member);
  await loop.until(() => isFree() || !loop.holds(GATEWAY_ROLE), signal).catch(() => {});
  return !signal.aborted && loop.holds(GATEWAY_ROLE);
}
