/** The profiles that the gateway has. */
import type { Profile } from '../../client/index.ts';
import { client } from '../state/access.ts';
import { changes } from '../state/fleet.ts';
import { useFound } from '../state/found.ts';

/** Undefined until the answer comes, and if the gateway runs without campaigns. */
export function useProfiles(): { readonly profiles: readonly Profile[] | undefined; again(): void } {
  const { found: profiles, again } = useFound(() => client.value.profiles(), [changes.value.job]);
  return { profiles, again };
}
